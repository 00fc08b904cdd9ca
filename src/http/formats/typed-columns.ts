import type { OutputColumn } from "../../engines/contract/query-engine.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { splitMembers, splitValues } from "../../values/json/split-json.ts";

/** How a column is kept in formats that have types; all other values are their text, nested ones their JSON text. */
export type StoredKind = "int64" | "float64" | "bool" | "timestamp" | "date" | "text";

/** A value of a column: bigint for int64 and timestamp (microseconds), days since 1970 for date. */
export type StoredValue = bigint | number | boolean | string | null;

export interface StoredColumn {
  readonly name: string;
  readonly kind: StoredKind;
  /** Writes the values of a batch; `null` where there is none. */
  readonly values: StoredValue[];
}

const dayMs = 86_400_000;

export function storedKindOf(type: SqlType): StoredKind {
  switch (type.kind) {
    case "INT64":
      return "int64";
    case "FLOAT64":
      return "float64";
    case "BOOL":
      return "bool";
    case "TIMESTAMP":
      return "timestamp";
    case "DATE":
      return "date";
    default:
      return "text";
  }
}

/** The rows of a batch as columns. */
export function toStoredColumns(columns: readonly OutputColumn[], json: string): readonly StoredColumn[] {
  const stored = columns.map(({ name, type }): StoredColumn => ({ name, kind: storedKindOf(type), values: [] }));
  for (const row of splitValues(json)) {
    let index = 0;
    for (const text of splitMembers(row)) {
      const column = stored[index++];
      if (column !== undefined) column.values.push(readValue(column.kind, text));
    }
  }
  return stored;
}

function readValue(kind: StoredKind, json: string): StoredValue {
  if (json === "null") return null;
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  switch (kind) {
    case "int64":
    case "timestamp":
      return BigInt(text);
    case "float64":
      return Number(text);
    case "bool":
      return text === "true";
    case "date":
      return Math.round(Date.parse(`${text}T00:00:00Z`) / dayMs);
    case "text":
      // Nested values are copied: a slice holds the text of the whole batch for as long as a file's statistics hold it.
      return text === json ? Buffer.from(json).toString() : text;
  }
}
