/**
 * How a source lies on a ClickHouse server. Which column holds which field says `TableLayout` (`../schema/layout.ts`),
 * which the compiler gets by the `TableDefinition` that the store's `describe` answered; here stands what kind of
 * column each of them is. All of it is read as it stands: nothing needs FINAL.
 *
 * | what | column | its type, and how a missing value looks |
 * |---|---|---|
 * | `timestamp` | `timestamp` | Int64, microseconds since 1970, never missing: DateTime64 ends too early |
 * | `id` | `id` | String, never missing |
 * | `event_message` | `event_message` | Nullable(String) |
 * | a leaf's variant of INT64 | `c1`, `c2`, ... | Nullable(Int64) |
 * | of FLOAT64 (and of integers beyond 64 bits) | | Nullable(Float64); never NaN, never infinite |
 * | of BOOL | | Nullable(Bool) |
 * | of STRING | | Nullable(String); the tenant's column is LowCardinality(Nullable(String)) |
 * | of an array of one of these | | Array(T): no event has an empty array, so the empty one is the missing one |
 * | a record's presence | `p1`, `p2`, ... | Bool: true where the event has the record, else false |
 * | a record's JSON, the rest's JSON | `j1`, `j2`, ... | Nullable(String), the lossless text |
 *
 * A row is in the partition of its day; days before 1970 and after 2149 share the first and the last. Within a
 * partition rows are sorted by tenant (where the source has tenants), time and id, and the server skips by time without
 * help: conditions on `timestamp` should compare the column itself with integers.
 */
import type { SchemaEntry, ValueType } from "../schema/schema-entry.ts";

/** A column of a source's table. */
export interface ServerColumn {
  readonly name: string;
  /** The server's type, as a table is made with it. */
  readonly type: string;
  /** How its values are compressed, where the server's own choice is not the best. */
  readonly codec?: string;
}

const ELEMENT_TYPES = { INT64: "Int64", FLOAT64: "Float64", WIDE: "Float64", BOOL: "Bool", STRING: "String" } as const;

/** The type of a value, or of those of a list. */
export type Element = keyof typeof ELEMENT_TYPES;

/** The server's type of a column for values of a type that events have. */
export function serverTypeOf(type: ValueType): string {
  if (type.endsWith("[]")) return `Array(${ELEMENT_TYPES[type.slice(0, -2) as Element]})`;
  return `Nullable(${ELEMENT_TYPES[type as Element]})`;
}

/** Long texts that are read seldom. */
const TEXT_CODEC = "ZSTD(1)";

/** Columns that every source's table begins with. */
export const fixedColumns: readonly ServerColumn[] = [
  { name: "id", type: "String", codec: TEXT_CODEC },
  { name: "timestamp", type: "Int64", codec: "Delta, ZSTD(1)" },
  { name: "event_message", type: "Nullable(String)", codec: TEXT_CODEC },
];

/** The column that an entry of a schema stands for, if it has one. */
export function columnOf(entry: SchemaEntry): ServerColumn | undefined {
  switch (entry.role) {
    case "value":
      return entry.column === null ? undefined : { name: entry.column, type: serverTypeOf(entry.type) };
    case "record":
      return entry.column === null ? undefined : { name: entry.column, type: "Bool" };
    case "json":
      return { name: entry.column, type: "Nullable(String)", codec: TEXT_CODEC };
    default:
      return undefined;
  }
}
