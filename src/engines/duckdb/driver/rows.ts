/** Result chunks as JSON text, driven by the columns' GoogleSQL types (see `RowEncoding` of the engine contract). */
import type { SqlType } from "../../../googlesql/types.ts";
import { BIGNUMERIC_DECIMAL, formatDecimal } from "../../../values/decimal.ts";
import { formatInterval } from "../../../values/interval.ts";
import { formatDate, formatDatetime, formatTime } from "../../../values/time-text.ts";
import type { OutputColumn, RowEncoding } from "../../contract/query-engine.ts";
import {
  bytesJson,
  createValueWriter,
  float64Json,
  int64Json,
  trimDecimal,
  type ValueReader,
  type WriteValue,
} from "../../values/value-text.ts";
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
} from "./driver.ts";

function unexpected(value: DuckDBValue, type: string): never {
  const shape = value !== null && typeof value === "object" ? value.constructor.name : typeof value;
  throw new TypeError(`The engine answered ${shape} for a column of type ${type}`);
}

function encodeInt64(value: DuckDBValue): string {
  if (typeof value === "number" && Number.isInteger(value)) return String(value);
  return typeof value === "bigint" ? int64Json(value) : unexpected(value, "INT64");
}

function encodeFloat64(value: DuckDBValue): string {
  if (typeof value === "number") return float64Json(value);
  if (typeof value === "bigint") return String(Number(value));
  if (value instanceof DuckDBDecimalValue) return String(value.toDouble());
  return unexpected(value, "FLOAT64");
}

function encodeDecimal(value: DuckDBValue): string {
  if (value instanceof DuckDBDecimalValue) return `"${trimDecimal(value.toString())}"`;
  if (typeof value === "bigint" || typeof value === "number") return `"${value}"`;
  if (typeof value === "string") return JSON.stringify(trimDecimal(value));
  return unexpected(value, "NUMERIC");
}

/** A BIGNUMERIC arrives as a BIGNUM, the value times 10^38. */
function encodeBignumeric(value: DuckDBValue): string {
  return typeof value === "bigint" ? `"${formatDecimal(value, BIGNUMERIC_DECIMAL)}"` : unexpected(value, "BIGNUMERIC");
}

/** Text of a value of a type that is written without looking inside; also the bounds of a range. */
function temporalText(kind: SqlType["kind"], value: DuckDBValue): string {
  if (kind === "DATE" && value instanceof DuckDBDateValue) return formatDate(value.days);
  if (kind === "TIME" && value instanceof DuckDBTimeValue) return formatTime(value.micros);
  if (kind === "DATETIME" && value instanceof DuckDBTimestampValue) return formatDatetime(value.micros);
  if (kind === "DATETIME" && value instanceof DuckDBDateValue) return `${formatDate(value.days)}T00:00:00`;
  if (kind === "INTERVAL" && value instanceof DuckDBIntervalValue) return formatInterval(value);
  if (kind === "TIMESTAMP") return `${formatDatetime(microsOf(value), " ")}+00`;
  return unexpected(value, kind);
}

function microsOf(value: DuckDBValue): bigint {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return value.micros;
  return unexpected(value, "TIMESTAMP");
}

function encodeScalar(type: SqlType): WriteValue<DuckDBValue> {
  switch (type.kind) {
    case "INT64":
      return encodeInt64;
    case "FLOAT64":
      return encodeFloat64;
    case "NUMERIC":
      return encodeDecimal;
    case "BIGNUMERIC":
      return encodeBignumeric;
    case "BOOL":
      return (value) => (typeof value === "boolean" ? String(value) : unexpected(value, "BOOL"));
    case "BYTES":
      return (value) => (value instanceof DuckDBBlobValue ? bytesJson(value.bytes) : unexpected(value, "BYTES"));
    case "TIMESTAMP":
      return (value) => `${microsOf(value)}`;
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "INTERVAL":
      return (value) => `"${temporalText(type.kind, value)}"`;
    default:
      return (value) => unexpected(value, type.kind);
  }
}

/** Fields are matched by position: the physical names are the compiler's. */
const reader: ValueReader<DuckDBValue> = {
  isNull: (value) => value === null || value === undefined,
  scalar: encodeScalar,
  text: (value) => (typeof value === "string" ? value : unexpected(value, "STRING")),
  items: (value) => (value instanceof DuckDBListValue ? value.items : unexpected(value, "ARRAY")),
  fields: (value) => (value instanceof DuckDBStructValue ? Object.values(value.entries) : unexpected(value, "STRUCT")),
  bounds(value) {
    if (!(value instanceof DuckDBStructValue)) return unexpected(value, "RANGE");
    const { start = null, end = null } = value.entries;
    return [start, end];
  },
  boundText: (element, value) => temporalText(element.kind, value),
};

/** Rows by columns, such as the driver's chunks. */
export interface RowChunk {
  readonly rowCount: number;
  getColumnVector(columnIndex: number): { getItem(rowIndex: number): DuckDBValue | null };
}

/** Rows that were read already, as a chunk. */
export function chunkOf(rows: readonly (readonly DuckDBValue[])[]): RowChunk {
  return {
    rowCount: rows.length,
    getColumnVector: (column) => ({ getItem: (row) => rows[row]?.[column] ?? null }),
  };
}

/** The chunk; the values read are put into `rows` too, plus those of one column that the caller does not read. */
export function notedChunk(chunk: RowChunk, rows: DuckDBValue[][], unreadColumn?: number): RowChunk {
  const noted = Array.from({ length: chunk.rowCount }, (): DuckDBValue[] => []);
  rows.push(...noted);
  if (unreadColumn !== undefined) {
    const vector = chunk.getColumnVector(unreadColumn);
    for (const [row, of] of noted.entries()) of[unreadColumn] = vector.getItem(row);
  }
  return {
    rowCount: chunk.rowCount,
    getColumnVector(column) {
      const vector = chunk.getColumnVector(column);
      return {
        getItem(row) {
          const value = vector.getItem(row);
          const of = noted[row];
          if (of !== undefined) of[column] = value;
          return value;
        },
      };
    },
  };
}

/** Writes the rows of a chunk from one number (counted from 0) up to another, comma separated without brackets. */
export type EncodeRows = (chunk: RowChunk, from: number, to: number) => string;

/** Builds the writer of a query's rows once; its columns are matched by position. */
export function createRowEncoder(columns: readonly OutputColumn[], encoding: RowEncoding): EncodeRows {
  const encoders = columns.map((column) => createValueWriter(column.type, encoding, reader));
  const keys = columns.map((column) => (encoding === "objects" ? `${JSON.stringify(column.name)}:` : ""));
  const [open, close] = encoding === "objects" ? ["{", "}"] : ["[", "]"];
  return (chunk, from, to) => {
    const vectors = columns.map((_, index) => chunk.getColumnVector(index));
    const rows: string[] = [];
    for (let row = from; row < to; row++) {
      let text = open;
      for (let index = 0; index < vectors.length; index++) {
        const value = vectors[index]?.getItem(row) ?? null;
        text += `${index === 0 ? "" : ","}${keys[index]}${encoders[index]?.(value) ?? "null"}`;
      }
      rows.push(text + close);
    }
    return rows.join(",");
  };
}
