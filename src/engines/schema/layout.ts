/**
 * How a source lies in an engine's table: the bridge between a store, which makes and widens tables, and a compiler,
 * which prints SQL over them. One table a source: `id`, `timestamp` (UTC), `event_message`, one column for each scalar
 * leaf, and for each top-level record field (such as `metadata`) one text column with its JSON, in which every object
 * is already an array of one object (`[{"request":[{"path":"/"}]}]`), so that it can be spliced into an answer as it
 * is.
 */
import type { TableDefinition } from "../../googlesql/relation.ts";
import type { SqlType } from "../../googlesql/types.ts";

export interface TableLayout {
  /** The logical side: what the resolver sees. */
  readonly definition: TableDefinition;
  /** Physical table name, unquoted. */
  readonly table: string;
  /** Logical top-level column name -> JSON text column (unquoted) of a record column. */
  readonly recordColumns: ReadonlyMap<string, string>;
  /**
   * Dotted path (`timestamp`, `project`, `metadata.request.path`; exact case) -> leaf, the fixed columns too. Leaves
   * that are not here are read from the JSON.
   */
  readonly leaves: ReadonlyMap<string, LeafLayout>;
  /**
   * Dotted path of a record (`metadata.request`) -> boolean column (unquoted), true where the event carried it. A
   * record without one is tested in the JSON.
   */
  readonly presence: ReadonlyMap<string, string>;
  /** Top-level fields without a column, or with values that their columns do not hold unchanged. */
  readonly rest?: RestLayout | undefined;
}

export interface RestLayout {
  /** Text column (unquoted) with the JSON text of an array of one object, whose fields they are. */
  readonly column: string;
  /** Logical column name -> the names that it has in that object. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Fields may have spellings that are not listed. */
  readonly isOpen: boolean;
}

export interface LeafLayout {
  /**
   * Logical type: that of the variant when there is one; FLOAT64 for numbers of two kinds, MIXED for other variants
   * and records.
   */
  readonly type: SqlType;
  /**
   * One physical column for each type that events carried at this path; at most one of them is not NULL in a row.
   * Their physical types are the engine's for 64-bit integers, doubles, booleans, texts, times, and arrays of the first
   * four.
   */
  readonly variants: readonly LeafVariant[];
  /** For a field that carried records too: the boolean column that marks rows with one. They are in the JSON. */
  readonly presence?: string | undefined;
  /** Some values are in the top-level field's JSON column only. */
  readonly isPartial?: boolean | undefined;
}

export interface LeafVariant {
  readonly column: string;
  readonly type: SqlType;
}

/** Finds the layout that was made with a definition, by the object itself. */
export type LayoutCatalog = (table: TableDefinition) => TableLayout | undefined;
