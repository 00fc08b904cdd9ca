/**
 * The stored form of a source's schema: one entry for each thing that events were found to contain. Entries are only
 * ever added, so the schema is the sum of a source's entries in their order. An engine stores them with the events.
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
  /** An object was seen. `column` (of booleans) says which rows have it; null: the JSON does. */
  | { readonly role: "record"; readonly path: string; readonly column: string | null; readonly isStale?: boolean }
  /** The JSON text column of a top-level record; with an empty path that of all top-level fields without a column. */
  | { readonly role: "json"; readonly path: string; readonly column: string }
  /** An array of objects was seen at the path of a record. */
  | { readonly role: "repeated"; readonly path: string }
  /** More fields were seen below than are listed; of stores of the first format only. */
  | { readonly role: "open"; readonly path: string };

/** The column of an entry as a place to read from; null for none. */
export function liveColumn(entry: SchemaEntry): string | null {
  if (entry.role === "json") return entry.column;
  return (entry.role === "value" || entry.role === "record") && entry.isStale !== true ? entry.column : null;
}

/** An entry of a value. */
export type ValueEntry = SchemaEntry & { readonly role: "value" };

/** Fields that every event has, in columns that no entry stands for. */
export const fixedFields: ReadonlySet<string> = new Set(["id", "timestamp", "event_message"]);
