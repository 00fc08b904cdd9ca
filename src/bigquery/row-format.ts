import type { OutputColumn } from "../engines/contract/query-engine.ts";
import type { SqlType } from "../googlesql/types.ts";
import { formatIsoTimestamp, parseIsoTimestamp } from "../values/iso-timestamp.ts";
import { endOfString, splitMembers, splitValues } from "../values/json/split-json.ts";

/** A column or field as BigQuery's `TableFieldSchema`. */
export interface FieldSchema {
  readonly name: string;
  readonly type: string;
  readonly mode: "NULLABLE" | "REPEATED";
  readonly fields?: readonly FieldSchema[];
  readonly rangeElementType?: { readonly type: string };
}

/** A value as BigQuery writes it: texts, and for records and arrays objects of `f` and `v`. */
type Cell = null | string | readonly { readonly v: Cell }[] | Row;

export interface Row {
  readonly f: readonly { readonly v: Cell }[];
}

/** The texts of timestamps: microseconds since 1970, seconds since 1970 as a decimal number, or ISO 8601. */
export type TimestampFormat = "INT64" | "FLOAT64" | "ISO8601_STRING";

/** BigQuery's names of types in schemas where they are not GoogleSQL's. */
const schemaNames: Readonly<Record<string, string>> = {
  INT64: "INTEGER",
  FLOAT64: "FLOAT",
  BOOL: "BOOLEAN",
  STRUCT: "RECORD",
  // An untyped NULL is one of GoogleSQL's INT64.
  UNKNOWN: "INTEGER",
  // A field of several shapes.
  MIXED: "JSON",
};

/** The schema of columns. A record whose fields are not all known, or that has none, is JSON. */
export function toSchema(columns: readonly OutputColumn[]): { readonly fields: readonly FieldSchema[] } {
  return { fields: columns.map(({ name, type }) => toField(name, type)) };
}

function toField(name: string, type: SqlType): FieldSchema {
  if (type.kind === "ARRAY") return { ...toField(name, type.element), mode: "REPEATED" };
  const mode = "NULLABLE";
  if (isOpaque(type)) return { name, type: "JSON", mode };
  if (type.kind === "RANGE") return { name, type: "RANGE", mode, rangeElementType: { type: type.element.kind } };
  if (type.kind === "STRUCT" || type.kind === "RECORD") {
    const fields = type.fields.map((field, index) => toField(field.name ?? `_field_${index + 1}`, field.type));
    return { name, type: "RECORD", mode, fields };
  }
  return { name, type: schemaNames[type.kind] ?? type.kind, mode };
}

const isOpaque = (type: SqlType): boolean => type.kind === "RECORD" && (type.isOpen || type.fields.length === 0);

/** A row, given as the JSON of its object, whose values are never read as numbers: nothing is rounded. */
export function toRow(json: string, columns: readonly OutputColumn[], format: TimestampFormat): Row {
  const values = [...splitMembers(json)];
  return { f: columns.map(({ type }, index) => ({ v: toCell(values[index] ?? "null", type, format) })) };
}

function toCell(json: string, type: SqlType, format: TimestampFormat): Cell {
  const text = json.trim();
  if (type.kind === "ARRAY") return toCells(text, type.element, format);
  if (text === "null") return null;
  if (type.kind === "JSON" || type.kind === "MIXED" || isOpaque(type)) return text;
  if (type.kind === "RECORD") {
    const members = readMembers(text);
    const find = ({ name, names = [name] }: (typeof type.fields)[number]) =>
      names.flatMap((each) => members.get(each) ?? []).at(0) ?? "null";
    return { f: type.fields.map((field) => ({ v: toCell(find(field), field.type, format) })) };
  }
  if (type.kind === "STRUCT") {
    const values = [...splitMembers(text)];
    return { f: type.fields.map((field, index) => ({ v: toCell(values[index] ?? "null", field.type, format) })) };
  }
  const plain = text.startsWith('"') ? (JSON.parse(text) as string) : text;
  if (type.kind === "RANGE" && type.element.kind === "TIMESTAMP") return toTimestampRange(plain, format);
  return type.kind === "TIMESTAMP" ? toTimestamp(plain, format) : plain;
}

/** A NULL array is an empty one, as in BigQuery. A record of events may stand alone. */
function toCells(text: string, element: SqlType, format: TimestampFormat): Cell {
  if (text === "null") return [];
  const values = text.startsWith("[") ? splitValues(text.slice(1, -1).trim()) : [text];
  return [...values].map((value) => ({ v: toCell(value, element, format) }));
}

/** The texts of an object's values, by their keys. */
function readMembers(object: string): ReadonlyMap<string, string> {
  if (!object.startsWith("{")) return new Map();
  const members = [...splitValues(object.slice(1, -1).trim())].map((member): [string, string] => {
    const start = member.indexOf('"');
    const end = endOfString(member, start);
    return [JSON.parse(member.slice(start, end)) as string, member.slice(member.indexOf(":", end) + 1)];
  });
  return new Map(members);
}

/** A range has its bounds in the form of timestamps. */
function toTimestampRange(range: string, format: TimestampFormat): string {
  const bounds = range.slice(1, -1).split(", ");
  return `[${bounds.map((each) => (each === "UNBOUNDED" ? each : toTimestamp(each, format))).join(", ")})`;
}

function toTimestamp(text: string, format: TimestampFormat): string {
  const us = /^-?\d+$/.test(text) ? BigInt(text) : parseIsoTimestamp(text)?.us;
  if (us === undefined || format === "INT64") return String(us ?? text);
  if (format === "ISO8601_STRING") return formatIsoTimestamp(us);
  const [sign, size] = us < 0n ? ["-", -us] : ["", us];
  return `${sign}${size / 1_000_000n}.${String(size % 1_000_000n).padStart(6, "0")}`;
}
