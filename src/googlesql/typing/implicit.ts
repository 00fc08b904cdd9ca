/**
 * Which types become which others on their own. Source: the "Conversion rules" page of the GoogleSQL reference.
 */
import { BIGNUMERIC, DATETIME, FLOAT64, NUMERIC, type RecordField, type SqlType, UNKNOWN } from "../types.ts";
import { isSameType, numericRank } from "./same-type.ts";

/**
 * What it costs to make `to` of a value of type `from` implicitly: 0 for the same type, more for a longer way,
 * undefined when it cannot be done. UNKNOWN (an untyped NULL) becomes anything.
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
  if (a.kind === "ARRAY" && b.kind === "ARRAY") {
    const element = supertype(a.element, b.element);
    return element === undefined ? undefined : { kind: "ARRAY", element };
  }
  if (a.kind === "RECORD" && b.kind === "RECORD") return mergeRecords(a, b);
  if (a.kind === "STRUCT" && b.kind === "STRUCT" && a.fields.length === b.fields.length) {
    const fields: { name?: string; type: SqlType }[] = [];
    for (const [i, field] of a.fields.entries()) {
      const other = b.fields[i];
      const type = other === undefined ? undefined : supertype(field.type, other.type);
      if (type === undefined) return undefined;
      const name = field.name ?? other?.name;
      fields.push(name === undefined ? { type } : { name, type });
    }
    return { kind: "STRUCT", fields };
  }
  return undefined;
}

/** The record type that describes the events of both. A field with two types has their supertype, else STRING. */
function mergeRecords(a: SqlType & { kind: "RECORD" }, b: SqlType & { kind: "RECORD" }): SqlType & { kind: "RECORD" } {
  const fields = new Map<string, RecordField>(a.fields.map((field) => [field.name, field]));
  for (const field of b.fields) {
    const known = fields.get(field.name);
    const type = known === undefined ? field.type : (supertype(known.type, field.type) ?? { kind: "STRING" });
    fields.set(field.name, { name: field.name, type });
  }
  return {
    kind: "RECORD",
    fields: [...fields.values()],
    isRepeated: a.isRepeated || b.isRepeated,
    isOpen: a.isOpen || b.isOpen,
  };
}

/** The type of an array made of values of a type: one made of log records may hold several. */
export function arrayOfValues(element: SqlType): SqlType {
  return { kind: "ARRAY", element: element.kind === "RECORD" ? { ...element, isRepeated: true } : element };
}
