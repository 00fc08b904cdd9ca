/** The columns of a source's table, with DuckDB's types. */

import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import { driverTypes } from "./row-chunks.ts";

export interface ColumnDefinition {
  readonly name: string;
  /** DuckDB's type, with a compression where the automatic choice costs too much. */
  readonly type: string;
}

/** The column that an entry adds to the source's table, if it adds one. */
export function columnOf(entry: SchemaEntry): ColumnDefinition | undefined {
  if (entry.role === "value" && entry.column !== null) {
    return { name: entry.column, type: String(driverTypes[entry.type]) };
  }
  if (entry.role === "record" && entry.column !== null) return { name: entry.column, type: "BOOLEAN" };
  // Choosing a compression for long text takes three times as long as compressing it.
  if (entry.role === "json") return { name: entry.column, type: "VARCHAR USING COMPRESSION zstd" };
  return undefined;
}

/** Columns that every source's table begins with. */
export const fixedColumns: readonly ColumnDefinition[] = [
  { name: "id", type: "VARCHAR" },
  { name: "timestamp", type: "TIMESTAMP" },
  { name: "event_message", type: "VARCHAR USING COMPRESSION zstd" },
  // Number of the sorted run that the row is in; NULL since it was appended.
  { name: "lw_run", type: "INTEGER" },
];
