/**
 * What is kept of a source's schema: one entry for each thing that events were seen to carry. Entries only ever add, so
 * the schema of a source is the sum of its entries in their order. They are rows of a table in the database file.
 */

/**
 * Types that a field of an event can have; arrays are of scalars. An array of objects is a record. WIDE is an integer
 * beyond 64 bits: its column has it as a DOUBLE, and the JSON exactly.
 */
export type ValueType = ScalarValueType | `${ScalarValueType}[]`;

type ScalarValueType = "INT64" | "FLOAT64" | "WIDE" | "BOOL" | "STRING";

/**
 * `path` is the dotted path of a field, in exact case; empty for the event itself. Entries of fields that differ by
 * case share their columns. `isStale`: some rows have such a value in the JSON and not in the column, which nothing
 * reads therefore.
 */
export type SchemaEntry =
  /** A value of this type was seen. `column` holds such values; null: they are in the JSON of their record only. */
  | {
      readonly role: "value";
      readonly path: string;
      readonly type: ValueType;
      readonly column: string | null;
      readonly isStale?: boolean;
    }
  /** An object was seen. `column` (BOOLEAN) tells which rows have it; null: the JSON does. */
  | { readonly role: "record"; readonly path: string; readonly column: string | null; readonly isStale?: boolean }
  /** The JSON text column of a top-level record; with an empty path that of all top-level fields without a column. */
  | { readonly role: "json"; readonly path: string; readonly column: string }
  /** An array of objects was seen at the path of a record. */
  | { readonly role: "repeated"; readonly path: string }
  /** More fields were seen below than are listed; of stores of the first format only. */
  | { readonly role: "open"; readonly path: string };

const valueColumnTypes: Readonly<Record<ValueType, string>> = {
  INT64: "BIGINT",
  FLOAT64: "DOUBLE",
  WIDE: "DOUBLE",
  BOOL: "BOOLEAN",
  STRING: "VARCHAR",
  "INT64[]": "BIGINT[]",
  "FLOAT64[]": "DOUBLE[]",
  "WIDE[]": "DOUBLE[]",
  "BOOL[]": "BOOLEAN[]",
  "STRING[]": "VARCHAR[]",
};

export interface ColumnDefinition {
  readonly name: string;
  /** DuckDB's type, with a compression where the automatic choice costs too much. */
  readonly type: string;
}

/** The column that an entry adds to the source's table, if it adds one. */
export function columnOf(entry: SchemaEntry): ColumnDefinition | undefined {
  if (entry.role === "value" && entry.column !== null) {
    return { name: entry.column, type: valueColumnTypes[entry.type] };
  }
  if (entry.role === "record" && entry.column !== null) return { name: entry.column, type: "BOOLEAN" };
  // Choosing a compression for long text takes three times as long as compressing it.
  if (entry.role === "json") return { name: entry.column, type: "VARCHAR USING COMPRESSION zstd" };
  return undefined;
}

/** The column of an entry as a place to read from; null for none. */
export function liveColumn(entry: SchemaEntry): string | null {
  if (entry.role === "json") return entry.column;
  return (entry.role === "value" || entry.role === "record") && entry.isStale !== true ? entry.column : null;
}

/** Columns that every source's table begins with. */
export const fixedColumns: readonly ColumnDefinition[] = [
  { name: "id", type: "VARCHAR" },
  { name: "timestamp", type: "TIMESTAMP" },
  { name: "event_message", type: "VARCHAR USING COMPRESSION zstd" },
  // Number of the sorted run that the row is in; NULL since it was appended.
  { name: "lw_run", type: "INTEGER" },
];
