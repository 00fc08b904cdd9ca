/**
 * The JSON text of events' values, as DuckDB writes JSON: what it takes out of a record is the same text as is kept,
 * so that no answer shows where a value is.
 */
import { numberText } from "../contract/parse-json.ts";
import type { EventValue } from "../contract/query-engine.ts";
import { isScalar, type ScalarValue, type ValueType } from "./value-type.ts";

export type EventObject = { readonly [field: string]: EventValue };

/** Characters that a JSON string has to escape: quotes, backslashes, control characters, lone surrogates. */
const NEEDS_ESCAPE = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

/** A backslash with what it escapes. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;

function stringText(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return `"${value}"`;
  const text = JSON.stringify(value);
  if (!text.includes("\\u")) return text;
  return text.replace(ESCAPE, (found) => (found.startsWith("\\u") ? `\\u${found.slice(2).toUpperCase()}` : found));
}

export function scalarText(value: ScalarValue): string {
  if (typeof value === "string") return stringText(value);
  return typeof value === "number" ? numberText(value) : String(value);
}

/** Text of an element in an array of strings that also held other things. */
function elementText(item: EventValue): string {
  if (typeof item === "string") return item;
  return isScalar(item) ? scalarText(item) : plainJson(item);
}

/** The value in its original form. */
export function plainJson(value: EventValue): string {
  if (isScalar(value)) return scalarText(value);
  if (Array.isArray(value)) return `[${value.map(plainJson).join(",")}]`;
  const object = value as EventObject;
  return `{${Object.keys(object)
    .map((key) => `${JSON.stringify(key)}:${plainJson(object[key] ?? "")}`)
    .join(",")}}`;
}

/** The value with every object in an array of its own, as records' texts have them. */
export function recordJson(value: EventValue): string {
  if (isScalar(value)) return scalarText(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => (isObject(item) ? objectJson(item) : plainJson(item))).join(",")}]`;
  }
  return `[${objectJson(value as EventObject)}]`;
}

function objectJson(object: EventObject): string {
  const fields = Object.keys(object).map((key) => `${JSON.stringify(key)}:${recordJson(object[key] ?? "")}`);
  return `{${fields.join(",")}}`;
}

/** A list of an array column, as batches carry it. */
export function listText(items: readonly EventValue[], type: ValueType): string {
  if (type === "STRING[]") return `[${items.map((item) => JSON.stringify(elementText(item))).join(",")}]`;
  return `[${items.map((item) => (isScalar(item) ? scalarText(item) : "null")).join(",")}]`;
}

export function isObject(value: EventValue): value is EventObject {
  return !isScalar(value) && !Array.isArray(value);
}

/** An array with at least one object in it. */
export function holdsObject(items: readonly EventValue[]): boolean {
  return items.some(isObject);
}

/** Whether the value is a record: an object, or an array with one in it. */
export function isRecordValue(value: EventValue): boolean {
  return !isScalar(value) && (!Array.isArray(value) || holdsObject(value));
}
