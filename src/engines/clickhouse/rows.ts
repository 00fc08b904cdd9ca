/**
 * Rows of the server as JSON text of answers, or as values of a parameter of the embedded engine, by the columns'
 * GoogleSQL types. They come as JSON arrays, one a line, with 64-bit integers, decimals, NaN and infinities in quotes.
 */
import { formatType, type SqlType } from "../../googlesql/types.ts";
import { shortestFloat64 } from "../../values/number-text.ts";
import { formatDate, formatDatetime, formatTime } from "../../values/time-text.ts";
import type { OutputColumn, ParameterValue, RowEncoding } from "../contract/query-engine.ts";
import {
  createValueWriter,
  float64Json,
  int64Json,
  trimDecimal,
  type ValueReader,
  type WriteValue,
} from "../values/value-text.ts";
import { readRow } from "./driver/answer-body.ts";

type Json = null | boolean | number | string | readonly Json[];

function unexpected(value: Json, type: SqlType): never {
  const shape = Array.isArray(value) ? "an array" : typeof value;
  throw new TypeError(`The server answered ${shape} for a column of type ${formatType(type)}`);
}

const FLOATS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  "-nan": Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

function integer(value: Json, type: SqlType): bigint {
  return typeof value === "string" || typeof value === "number" ? BigInt(value) : unexpected(value, type);
}

function float(value: Json, type: SqlType): number {
  if (typeof value === "number") return value;
  const special = typeof value === "string" ? FLOATS[value] : undefined;
  return special ?? unexpected(value, type);
}

function bool(value: Json, type: SqlType): boolean {
  if (typeof value === "boolean") return value;
  return value === 0 || value === 1 ? value === 1 : unexpected(value, type);
}

function text(value: Json, type: SqlType): string {
  return typeof value === "string" ? value : unexpected(value, type);
}

function scalar(type: SqlType): WriteValue<Json> {
  switch (type.kind) {
    case "INT64":
    case "UNKNOWN":
      return (value) => int64Json(integer(value, type));
    case "FLOAT64":
      return (value) => float64Json(float(value, type));
    case "NUMERIC":
      return (value) => `"${trimDecimal(String(value))}"`;
    case "BOOL":
      return (value) => String(bool(value, type));
    case "BYTES":
      return (value) => JSON.stringify(text(value, type));
    case "TIMESTAMP":
      return (value) => `${integer(value, type)}`;
    case "DATE":
      return (value) => `"${formatDate(Number(integer(value, type)))}"`;
    case "TIME":
      return (value) => `"${formatTime(integer(value, type))}"`;
    case "DATETIME":
      return (value) => `"${formatDatetime(integer(value, type))}"`;
    default:
      return (value) => unexpected(value, type);
  }
}

function isMissing(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Unwraps an array or a struct: the one element of the array that represents it. */
function inner(value: Json): readonly Json[] {
  const found = Array.isArray(value) ? value[0] : undefined;
  if (!Array.isArray(found)) throw new TypeError("The server answered no array for an array or a struct");
  return found;
}

const reader: ValueReader<Json> = {
  isNull: isMissing,
  scalar,
  text: (value) => text(value, { kind: "STRING" }),
  items: inner,
  fields: inner,
  bounds: () => {
    throw new TypeError("The server answers no ranges");
  },
  boundText: () => "",
};

/** Writes rows, given as the server's lines without the last line feed, comma separated without brackets. */
export function createLineEncoder(
  columns: readonly OutputColumn[],
  encoding: RowEncoding,
): (lines: readonly string[]) => string {
  const writers = columns.map((column) => createValueWriter(column.type, encoding, reader));
  const keys = columns.map((column) => (encoding === "objects" ? `${JSON.stringify(column.name)}:` : ""));
  const [open, close] = encoding === "objects" ? ["{", "}"] : ["[", "]"];
  return (lines) =>
    lines
      .map((line) => {
        const row = readRow(line) as readonly Json[];
        return `${open}${writers.map((write, index) => `${keys[index]}${write(row[index] ?? null)}`).join(",")}${close}`;
      })
      .join(",");
}

/** A line as the value of a STRUCT of the columns' types. */
export function toRow(types: readonly SqlType[], line: string): ParameterValue {
  const row = readRow(line) as readonly Json[];
  return types.map((type, index) => toParameter(type, row[index] ?? null));
}

function toParameter(type: SqlType, value: Json): ParameterValue {
  if (isMissing(value)) return null;
  if (type.kind === "ARRAY" && type.element.kind !== "RECORD") {
    return inner(value).map((item) => toParameter(type.element, item));
  }
  if (type.kind === "STRUCT") {
    const fields = inner(value);
    return type.fields.map((field, index) => toParameter(field.type, fields[index] ?? null));
  }
  switch (type.kind) {
    case "BOOL":
      return value === true || value === 1;
    case "FLOAT64":
      return typeof value === "number" ? shortestFloat64(value) : String(value);
    case "DATE":
      return formatDate(Number(value));
    case "TIME":
      return formatTime(BigInt(String(value)));
    case "DATETIME":
      return formatDatetime(BigInt(String(value)));
    default:
      return String(value);
  }
}
