/** Values of answers as JSON text, by their GoogleSQL types and the form of rows (`RowEncoding` of the contract). */
import type { SqlType } from "../../googlesql/types.ts";
import { trimEnd } from "../../values/trim-end.ts";
import type { RowEncoding } from "../contract/query-engine.ts";

/** Writes one value of an engine's driver. */
export type WriteValue<V> = (value: V) => string;

/**
 * Reads the values of a driver. For NULL only `isNull` is called; a value that is not of the type throws a TypeError.
 */
export interface ValueReader<V> {
  isNull(value: V): boolean;
  /** Writes scalars of the type but texts, JSON and records, as JSON. */
  scalar(type: SqlType): WriteValue<V>;
  /** The text of a STRING, and the JSON text of a JSON, a record or a value of several shapes. */
  text(value: V): string;
  items(value: V): readonly V[];
  /** In the type's order: names may be missing, or the same. */
  fields(value: V): readonly V[];
  bounds(value: V): readonly [start: V, end: V];
  /** A bound of a range, without quotes. */
  boundText(element: SqlType, value: V): string;
}

const MAX_EXACT_INTEGER = 2n ** 53n;

/** A number up to 2^53, its digits in a string beyond. */
export function int64Json(value: bigint): string {
  return value <= MAX_EXACT_INTEGER && value >= -MAX_EXACT_INTEGER ? `${value}` : `"${value}"`;
}

/** A number, or its name in a string where JSON has none. */
export function float64Json(value: number): string {
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

/** The text of a decimal without trailing zeros after the point, and without a point that nothing follows. */
export function trimDecimal(text: string): string {
  if (!text.includes(".")) return text;
  const trimmed = trimEnd(text, "0").replace(/\.$/, "");
  return trimmed === "-0" || trimmed === "" ? "0" : trimmed;
}

/** Base64 in a string. */
export function bytesJson({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return `"${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}"`;
}

function writeList<V>(element: SqlType, encoding: RowEncoding, reader: ValueReader<V>): WriteValue<V> {
  const write = createValueWriter(element, encoding, reader);
  return (value) => `[${reader.items(value).map(write).join(",")}]`;
}

function writeStruct<V>(
  type: SqlType & { kind: "STRUCT" },
  encoding: RowEncoding,
  reader: ValueReader<V>,
): WriteValue<V> {
  const writers = type.fields.map((field) => createValueWriter(field.type, encoding, reader));
  const keys = type.fields.map((field, index) => `${JSON.stringify(field.name ?? `_field_${index + 1}`)}:`);
  return (value) => {
    const fields = reader.fields(value);
    const parts = writers.map((write, index) => write(fields[index] as V));
    return encoding === "cells"
      ? `[${parts.join(",")}]`
      : `{${parts.map((part, index) => (keys[index] ?? "") + part).join(",")}}`;
  };
}

function writeRange<V>(element: SqlType, reader: ValueReader<V>): WriteValue<V> {
  const bound = (value: V) => (reader.isNull(value) ? "UNBOUNDED" : reader.boundText(element, value));
  return (value) => {
    const [start, end] = reader.bounds(value);
    return `"[${bound(start)}, ${bound(end)})"`;
  };
}

/** JSON text goes into an object unchanged, and into a cell as a string. */
function writeJsonText<V>(encoding: RowEncoding, reader: ValueReader<V>): WriteValue<V> {
  return encoding === "cells" ? (value) => JSON.stringify(reader.text(value)) : (value) => reader.text(value);
}

function writerOf<V>(type: SqlType, encoding: RowEncoding, reader: ValueReader<V>): WriteValue<V> {
  switch (type.kind) {
    case "STRING":
      return (value) => JSON.stringify(reader.text(value));
    case "JSON":
    case "RECORD":
    case "MIXED":
      return writeJsonText(encoding, reader);
    case "ARRAY":
      return type.element.kind === "RECORD"
        ? writeJsonText(encoding, reader)
        : writeList(type.element, encoding, reader);
    case "STRUCT":
      return writeStruct(type, encoding, reader);
    case "RANGE":
      return writeRange(type.element, reader);
    default:
      return reader.scalar(type);
  }
}

/** Builds the writer of values of a type, NULL among them, once. */
export function createValueWriter<V>(type: SqlType, encoding: RowEncoding, reader: ValueReader<V>): WriteValue<V> {
  const write = writerOf(type, encoding, reader);
  const nullText = type.kind === "ARRAY" && encoding === "objects" ? "[]" : "null";
  return (value) => (reader.isNull(value) ? nullText : write(value));
}
