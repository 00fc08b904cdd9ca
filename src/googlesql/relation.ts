import type { Query } from "./ast.ts";
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

/** A saved query that other queries may read as a table. It sees its own tables only, never what its readers define. */
export interface ViewDefinition {
  /** Tells views apart: two with the same key are the same. */
  readonly key: string;
  readonly name: string;
  readonly query: Query;
  /** The text that the query's spans count in. */
  readonly text: string;
  /** Types of the parameters that it may read, by lower-case name. */
  readonly parameters: ReadonlyMap<string | number, SqlType>;
  /** What of its columns readers do not see: names of detectors, comma separated, for `$redact`. */
  readonly redaction?: string;
}

/** Where the resolver looks tables up. Names arrive as written; back-ticks are already taken off and parts joined with dots. */
export interface TableCatalog {
  /** Undefined when no such table is visible. Matching is case-insensitive, an exact match first. */
  findTable(name: string): TableDefinition | undefined;
  /** Asked for a name that no table has. */
  findView?(name: string): ViewDefinition | undefined;
  /** The names to suggest from when one is unknown; never more than what the caller may know of. */
  tableNames(): readonly string[];
}
