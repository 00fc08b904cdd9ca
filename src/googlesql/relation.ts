import type { SqlType } from "./types.ts";

/** A table that queries may name: a log source, or a table made for one run. */
export interface TableDefinition {
  /** The canonical name; engines find their physical table by it. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /**
   * True for a log source: a column that the table lacks is NULL of unknown type (no event has carried it) instead of
   * an error. False elsewhere: a misspelt column is an error.
   */
  readonly isLenient?: boolean;
}

export interface TableColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** Where the resolver looks tables up. Names arrive as written; back-ticks are already taken off and parts joined with dots. */
export interface TableCatalog {
  /** Undefined when no such table is visible. Matching is case-insensitive, an exact match first. */
  findTable(name: string): TableDefinition | undefined;
  /** The names to suggest from when one is unknown; never more than what the caller may know of. */
  tableNames(): readonly string[];
}
