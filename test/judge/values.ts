/** The judge's values, as plain as can be, and how they compare. */

import { float64Json, int64Json } from "../../src/engines/values/value-text.ts";
import type { SqlType } from "../../src/googlesql/types.ts";

/** A record is its JSON, in which every nested object is an array of one object. */
export interface RecordValue {
  readonly [field: string]: unknown;
}

/** INT64 and TIMESTAMP are bigints, FLOAT64 a number; an ARRAY and a STRUCT are lists. */
export type Value = null | boolean | bigint | number | string | RecordValue | readonly Value[];

/** A query that fails by GoogleSQL's rules, such as a scalar sub-query of two rows. */
export class Failure extends Error {}

/** More rows than the judge cares to look at. */
export class TooMuch extends Error {}

/** The judge has no rule for it: a gap in the judge, never an answer. */
export class Lacking extends Error {}

export function itemsOf(value: Value): readonly Value[] {
  if (!Array.isArray(value)) throw new Lacking(`A list was expected, not ${String(value)}`);
  return value as readonly Value[];
}

export function integerOf(value: Value): bigint {
  if (typeof value !== "bigint") throw new Lacking(`A whole number was expected, not ${String(value)}`);
  return value;
}

export function textOf(value: Value): string {
  if (typeof value !== "string") throw new Lacking(`A text was expected, not ${String(value)}`);
  return value;
}

/** Below zero when `a` sorts before `b`; NULLs first, NaN before every other number. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Equal texts are values that GROUP BY, DISTINCT and set operations hold to be the same. */
export function keyOf(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(keyOf).join(",")}]`;
  if (typeof value === "string" || (typeof value === "object" && value !== null)) return JSON.stringify(value);
  return Object.is(value, -0) ? "0" : String(value);
}

/** Compares as `=` does: NULL where the answer is not known, and NaN equals nothing. */
export function equalValues(a: Value, b: Value): boolean | null {
  if (a === null || b === null) return null;
  if (!Array.isArray(a)) return a === b;
  const fields = a.map((item, index) => equalValues(item, itemsOf(b)[index] ?? null));
  return fields.includes(false) ? false : fields.includes(null) ? null : true;
}

/** As an engine's "cells" write it, and JSON reads it. */
export function cellOf(type: SqlType, value: Value): unknown {
  if (value === null) return null;
  switch (type.kind) {
    case "INT64":
    case "TIMESTAMP":
    case "UNKNOWN":
      return JSON.parse(int64Json(integerOf(value)));
    case "FLOAT64":
      return JSON.parse(float64Json(Number(value)));
    case "BOOL":
    case "STRING":
      return value;
    case "STRUCT":
      return type.fields.map((field, index) => cellOf(field.type, itemsOf(value)[index] ?? null));
    case "ARRAY":
      if (type.element.kind === "RECORD") return JSON.stringify(value);
      return itemsOf(value).map((item) => cellOf(type.element, item));
    case "RECORD":
    case "MIXED":
      return JSON.stringify(value);
    default:
      throw new Lacking(`A value of the type ${type.kind}`);
  }
}

const isObject = (value: unknown): value is RecordValue => typeof value === "object" && value !== null;

/** A field's JSON as a value of the type; NULL where it is none. */
function readJson(type: SqlType, json: unknown): Value {
  if (json === null || json === undefined) return null;
  switch (type.kind) {
    case "INT64":
      return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : null;
    case "FLOAT64":
      return typeof json === "number" ? json : null;
    case "STRING":
      return typeof json === "string" ? json : null;
    case "BOOL":
      return typeof json === "boolean" ? json : null;
    case "ARRAY":
      return Array.isArray(json) ? json.map((item) => readJson(type.element, item)) : null;
    case "RECORD":
    case "MIXED":
      return json as Value;
    default:
      return null;
  }
}

/** Reads the value at a path below a record, or below the first of an array of records. */
export function readField(base: Value, path: readonly string[], type: SqlType): Value {
  let found: unknown = base;
  for (const name of path) {
    const record: unknown = Array.isArray(found) ? found[0] : found;
    found = isObject(record) ? record[name] : null;
  }
  return readJson(type, found);
}
