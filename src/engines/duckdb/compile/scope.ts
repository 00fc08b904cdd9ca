/** Columns as the expressions of one SELECT print them. */

import type { SqlType } from "../../../googlesql/types.ts";
import type { Sql } from "../sql/sql.ts";
import type { JsonPlace } from "./expression/json-place.ts";

/** Where the fields below a record come from when its column can be traced to a table. Paths are below the record. */
export interface RecordSource {
  /**
   * The leaf's value, from its physical columns; undefined where the table keeps the leaf in the JSON only. `as`: of
   * a leaf of several shapes, the values of this type (MIXED: what they sort by), undefined also where the columns
   * alone do not show them.
   */
  leaf(path: readonly string[], as?: SqlType): Sql | undefined;
  /** A BOOLEAN that is true where the event has the record at `path`; undefined if only the JSON shows. */
  presence(path: readonly string[]): Sql | undefined;
  /** The JSON text that holds the value, and where in it. */
  json(): JsonPlace;
}

/** A column of a source's table under its own name. */
export interface StoredColumn {
  /** The table, and the name that it has in FROM. */
  readonly table: string;
  readonly alias: string;
  /** Unquoted. */
  readonly column: string;
  /** A message or a record's JSON. */
  readonly isText: boolean;
  /** Distinguishes events, beside a column of their times. */
  readonly isEventId: boolean;
  /** The events' own time. */
  readonly isEventTime: boolean;
}

/** A column as expressions of one SELECT print it. */
export interface Binding {
  readonly sql: () => Sql;
  /** True when printing it again costs nothing: a column of FROM, a literal, a parameter. */
  readonly isCheap: boolean;
  /** True when it can be no NaN: it comes from JSON or from integers. */
  readonly isNeverNaN?: boolean | undefined;
  readonly record?: RecordSource | undefined;
  /** For an array: prints the element at an offset without the array, where that is cheaper. */
  readonly element?: ((offset: bigint) => Sql | undefined) | undefined;
  /**
   * For values of several shapes: prints them as values of a type, or what they sort by (MIXED), where that takes
   * less than the whole value.
   */
  readonly as?: ((type: SqlType) => Sql | undefined) | undefined;
  /** Set where it prints as a column of a table. */
  readonly stored?: StoredColumn | undefined;
}

/** All bindings are made here, with the same fields: reading them is fast while they have the same shape. */
export function makeBinding(
  sql: () => Sql,
  isCheap: boolean,
  isNeverNaN?: boolean,
  record?: RecordSource,
  element?: Binding["element"],
  as?: Binding["as"],
  stored?: StoredColumn,
): Binding {
  return { sql, isCheap, isNeverNaN, record, element, as, stored };
}

/** A binding that prints as this. */
export function cheapBinding(sql: Sql, isNeverNaN?: boolean, record?: RecordSource, stored?: StoredColumn): Binding {
  return makeBinding(() => sql, true, isNeverNaN, record, undefined, undefined, stored);
}
