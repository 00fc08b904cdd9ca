/** The types of an event's values, and how several types at one path become one. */

import { arrayOf, BOOL, FLOAT64, INT64, MIXED, type SqlType, STRING } from "../../googlesql/types.ts";
import { isInt64 } from "../../values/number-text.ts";
import { type EventValue, WideNumber } from "../contract/query-engine.ts";
import type { ValueType } from "./schema-entry.ts";

export type { ValueType };

export type ScalarValue = string | number | bigint | boolean | WideNumber;

export function isScalar(value: EventValue): value is ScalarValue {
  return typeof value !== "object" || value instanceof WideNumber;
}

/**
 * An integer that a double keeps apart from others, or a bigint of 64 bits, is INT64, a longer one and what is
 * beyond doubles WIDE; every other number is FLOAT64.
 */
export function scalarType(value: ScalarValue): ValueType {
  switch (typeof value) {
    case "string":
      return "STRING";
    case "boolean":
      return "BOOL";
    case "bigint":
      return isInt64(value) ? "INT64" : "WIDE";
    case "object":
      return "WIDE";
    default:
      return Number.isSafeInteger(value) ? "INT64" : "FLOAT64";
  }
}

/** How much of the numbers a type takes in: the greater of two takes in both. */
const NUMBER_RANKS: ReadonlyMap<ValueType, number> = new Map([
  ["INT64", 1],
  ["FLOAT64", 2],
  ["WIDE", 3],
]);

/**
 * The type of an array of scalars and arrays: of its elements where they agree, WIDE or FLOAT64 for numbers, else
 * STRING.
 */
export function arrayType(items: readonly EventValue[]): ValueType {
  let type: ValueType | undefined;
  for (const item of items) {
    const next = isScalar(item) ? scalarType(item) : "STRING";
    const [rank, nextRank] = [NUMBER_RANKS.get(type ?? next), NUMBER_RANKS.get(next)];
    if (type === undefined || type === next) type = next;
    else if (rank !== undefined && nextRank !== undefined) type = Math.max(rank, nextRank) === 3 ? "WIDE" : "FLOAT64";
    else type = "STRING";
  }
  return `${(type ?? "STRING") as "STRING"}[]`;
}

const sqlTypes: Readonly<Record<ValueType, SqlType>> = {
  INT64,
  FLOAT64,
  WIDE: FLOAT64,
  BOOL,
  STRING,
  "INT64[]": arrayOf(INT64),
  "FLOAT64[]": arrayOf(FLOAT64),
  "WIDE[]": arrayOf(FLOAT64),
  "BOOL[]": arrayOf(BOOL),
  "STRING[]": arrayOf(STRING),
};

/** The type of the values in its column. */
export function sqlTypeOf(type: ValueType): SqlType {
  return sqlTypes[type];
}

/** The type of events' values for a field that a source's definition declares; other types arrive as text. */
export function valueTypeOf(type: SqlType): ValueType {
  switch (type.kind) {
    case "INT64":
    case "FLOAT64":
    case "BOOL":
      return type.kind;
    case "ARRAY": {
      const element = valueTypeOf(type.element);
      return element.endsWith("[]") ? "STRING[]" : `${element as "STRING"}[]`;
    }
    default:
      return "STRING";
  }
}

/**
 * The type of a field that carried these types: numbers become FLOAT64, in arrays too; anything else has several
 * shapes, and so have integers beyond 64 bits, which no type of one column holds exactly.
 */
export function commonType(types: Iterable<ValueType>): SqlType {
  const seen = new Set(types);
  if (seen.has("WIDE") || seen.has("WIDE[]")) return MIXED;
  const [first = "STRING"] = seen;
  if (seen.size <= 1) return sqlTypeOf(first);
  const all = [...seen];
  if (all.every((type) => type === "INT64" || type === "FLOAT64")) return FLOAT64;
  if (all.every((type) => type === "INT64[]" || type === "FLOAT64[]")) return arrayOf(FLOAT64);
  return MIXED;
}
