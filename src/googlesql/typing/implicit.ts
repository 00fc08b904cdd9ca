/**
 * Which types become which others on their own. Source: the "Conversion rules" page of the GoogleSQL reference.
 */
import {
  BIGNUMERIC,
  DATETIME,
  FLOAT64,
  MIXED,
  type MixedType,
  NUMERIC,
  type RecordField,
  type RecordType,
  recordIn,
  type SqlType,
  type StructField,
  UNKNOWN,
} from "../types.ts";
import { isSameType, numericRank } from "./same-type.ts";

/**
 * Returns the cost of an implicit conversion of `from` to `to`: 0 for the same type, more for a longer way, undefined
 * if it is impossible. UNKNOWN (an untyped NULL) becomes anything.
 */
export function implicitCost(from: SqlType, to: SqlType): number | undefined {
  if (isSameType(from, to)) return 0;
  if (from.kind === "UNKNOWN") return 1;
  const rank = numericRank(from);
  if (rank !== -1) {
    const target = numericRank(to);
    if (target <= rank) return undefined;
    // INT64 is nearer to FLOAT64 than to NUMERIC: functions that have both forms answer FLOAT64 for integers.
    return rank === 0 && target === 3 ? 1 : rank === 0 ? target + 1 : target - rank;
  }
  if (from.kind === "DATE" && to.kind === "DATETIME") return 1;
  if (from.kind === "ARRAY" && to.kind === "ARRAY") return implicitCost(from.element, to.element);
  if (from.kind === "RECORD" && to.kind === "RECORD") return 1;
  if (to.kind === "MIXED")
    return from.kind === "MIXED" || from.kind === "ARRAY" || from.kind === "RECORD" ? 1 : undefined;
  if (from.kind === "STRUCT" && to.kind === "STRUCT" && from.fields.length === to.fields.length) {
    let total = 1;
    for (const [i, field] of from.fields.entries()) {
      const cost = implicitCost(field.type, to.fields[i]?.type ?? UNKNOWN);
      if (cost === undefined) return undefined;
      total += cost;
    }
    return total;
  }
  return undefined;
}

/** The type that both become implicitly; undefined when there is none. */
export function supertype(a: SqlType, b: SqlType): SqlType | undefined {
  if (isSameType(a, b)) return a;
  if (a.kind === "UNKNOWN") return b;
  if (b.kind === "UNKNOWN") return a;
  const rankA = numericRank(a);
  const rankB = numericRank(b);
  if (rankA !== -1 && rankB !== -1) return [a, NUMERIC, BIGNUMERIC, FLOAT64][Math.max(rankA, rankB)];
  if ((a.kind === "DATE" && b.kind === "DATETIME") || (a.kind === "DATETIME" && b.kind === "DATE")) return DATETIME;
  if (a.kind === "MIXED") return withMixed(a, b);
  if (b.kind === "MIXED") return withMixed(b, a);
  if (a.kind === "ARRAY" && b.kind === "ARRAY") {
    const element = supertype(a.element, b.element);
    return element === undefined ? undefined : { kind: "ARRAY", element };
  }
  if (a.kind === "RECORD" && b.kind === "RECORD") return mergeRecords(a, b);
  if (a.kind === "STRUCT" && b.kind === "STRUCT" && a.fields.length === b.fields.length) {
    const fields: StructField[] = [];
    for (const [i, field] of a.fields.entries()) {
      const other = b.fields[i];
      const type = other === undefined ? undefined : supertype(field.type, other.type);
      if (type === undefined) return undefined;
      const name = field.name ?? other?.name;
      const isLenient = field.isLenient === true || other?.isLenient === true;
      fields.push({ ...(name === undefined ? {} : { name }), type, ...(isLenient ? { isLenient } : {}) });
    }
    return { kind: "STRUCT", fields };
  }
  return undefined;
}

/**
 * Finds the common type of a field of several shapes and another value: lists and records are among its shapes, and a
 * scalar determines the type. Any number counts as FLOAT64, so that fractions are not lost.
 */
function withMixed(mixed: MixedType, other: SqlType): SqlType | undefined {
  switch (other.kind) {
    case "MIXED":
      return mixedOf(mixed.record, other.record);
    case "RECORD":
      return mixedOf(mixed.record, other);
    case "ARRAY":
      return other.element.kind === "RECORD" ? mixedOf(mixed.record, other.element) : mixed;
    case "INT64":
      return FLOAT64;
    case "STRUCT":
    case "JSON":
      return undefined;
    default:
      return other;
  }
}

/** The type of several shapes that a type of events' values is one of; undefined for other types. */
export function mixedTypeOf(type: SqlType): MixedType | undefined {
  switch (type.kind) {
    case "INT64":
    case "FLOAT64":
    case "BOOL":
    case "STRING":
    case "RECORD":
      return mixedOf(recordIn(type), undefined);
    case "ARRAY":
      return type.element.kind === "MIXED" ? undefined : mixedTypeOf(type.element);
    default:
      return undefined;
  }
}

function mixedOf(a: RecordType | undefined, b: RecordType | undefined): MixedType {
  const record = a !== undefined && b !== undefined ? mergeRecords(a, b) : (a ?? b);
  return record === undefined ? MIXED : { kind: "MIXED", record };
}

/** The record type that describes the events of both. A field with two types has their supertype, else MIXED. */
function mergeRecords(a: SqlType & { kind: "RECORD" }, b: SqlType & { kind: "RECORD" }): SqlType & { kind: "RECORD" } {
  const fields = new Map<string, RecordField>(a.fields.map((field) => [field.name.toLowerCase(), field]));
  for (const field of b.fields) {
    const key = field.name.toLowerCase();
    const known = fields.get(key);
    fields.set(key, known === undefined ? field : mergeFields(known, field));
  }
  return {
    kind: "RECORD",
    fields: [...fields.values()],
    isRepeated: a.isRepeated || b.isRepeated,
    isOpen: a.isOpen || b.isOpen,
  };
}

function mergeFields(a: RecordField, b: RecordField): RecordField {
  const names = new Set([a.name, ...(a.names ?? []), b.name, ...(b.names ?? [])]);
  return {
    name: a.name,
    type: fieldSupertype(a.type, b.type),
    ...(names.size > 1 ? { names: [...names] } : {}),
    ...(a.isDeclared === true || b.isDeclared === true ? { isDeclared: true } : {}),
  };
}

/** Numbers of two kinds are numbers; else a field of two types has several shapes. */
function fieldSupertype(a: SqlType, b: SqlType): SqlType {
  if (a.kind === "MIXED" || b.kind === "MIXED" || supertype(a, b) === undefined)
    return mixedOf(recordIn(a), recordIn(b));
  return supertype(a, b) ?? MIXED;
}

/** The type of an array made of values of a type: one made of log records may hold several. */
export function arrayOfValues(element: SqlType): SqlType {
  return { kind: "ARRAY", element: element.kind === "RECORD" ? { ...element, isRepeated: true } : element };
}
