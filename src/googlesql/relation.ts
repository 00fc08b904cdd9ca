import type { Query } from "./ast.ts";
import type { Span } from "./diagnostic.ts";
import type { SqlType } from "./types.ts";

/**
 * A table that queries may name: a log source as one tenant sees it or as a whole, or a table made for one run.
 * Immutable.
 */
export interface TableDefinition {
  /** The canonical name. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /**
   * True for a log source: a column that the table lacks is NULL of unknown type (no event has carried it) instead of
   * an error. False elsewhere: a misspelt column is an error.
   */
  readonly isLenient?: boolean;
  /** Dotted path of the field that identifies the tenant, for a log source that has tenants. */
  readonly tenantField?: string;
}

export interface TableColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** Where a query names a table. */
export interface TablePlace {
  /** The text that the span counts in. */
  readonly text: string;
  readonly span: Span;
}

/** Whose rows a scan reads: the tenant that a parameter of the type STRING names, which no query can, or a text. */
export type TenantRule =
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "text"; readonly value: string };

/** A saved query that other queries may read as a table. It sees its own tables only, never what its readers define. */
export interface ViewDefinition {
  /** Distinguishes views: two with the same key are the same. */
  readonly key: string;
  readonly name: string;
  readonly query: Query;
  /** The text that the query's spans count in. */
  readonly text: string;
  /** Types of the parameters that it may read, by lower-case name. */
  readonly parameters: ReadonlyMap<string | number, SqlType>;
  /** The detectors, comma separated, whose findings `$redact` hides from readers of its columns. */
  readonly redaction?: string;
}

/**
 * Where the resolver looks tables up. Names arrive as written; back-ticks are already taken off and parts joined with
 * dots.
 */
export interface TableCatalog {
  /** Undefined when no such table is visible. Matching is case-insensitive, an exact match first. */
  findTable(name: string, place: TablePlace): TableDefinition | undefined;
  /**
   * Whose rows of a table that `findTable` answered are read at the place; undefined for all. The resolver filters
   * them.
   */
  findTenant?(table: TableDefinition, place: TablePlace): TenantRule | undefined;
  /** Asked for a name that no table has. */
  findView?(name: string): ViewDefinition | undefined;
  /** Called for a name that is neither: what it is elsewhere and what to write, if the caller may know. */
  explainMissing?(name: string): string | undefined;
  /** The names to suggest from when one is unknown; never more than what the caller may know of. */
  tableNames(): readonly string[];
}
