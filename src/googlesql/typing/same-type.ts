import type { RecordField, ScalarKind, SqlType } from "../types.ts";

/**
 * Are both types the same? Names of struct fields count case-insensitively; two records are the same when their
 * fields are.
 */
export function isSameType(a: SqlType, b: SqlType): boolean {
  if (a === b) return true;
  if (a.kind === "ARRAY") return b.kind === "ARRAY" && isSameType(a.element, b.element);
  if (a.kind === "RANGE") return b.kind === "RANGE" && isSameType(a.element, b.element);
  if (a.kind === "STRUCT") {
    if (b.kind !== "STRUCT" || a.fields.length !== b.fields.length) return false;
    return a.fields.every((field, i) => {
      const other = b.fields[i];
      if (other === undefined || !isSameType(field.type, other.type)) return false;
      return field.name?.toLowerCase() === other.name?.toLowerCase();
    });
  }
  if (a.kind === "RECORD") {
    if (
      b.kind !== "RECORD" ||
      a.fields.length !== b.fields.length ||
      a.isRepeated !== b.isRepeated ||
      a.isOpen !== b.isOpen
    )
      return false;
    return a.fields.every((field, i) => {
      const other = b.fields[i];
      return other !== undefined && isSameField(field, other);
    });
  }
  if (a.kind === "MIXED" && b.kind === "MIXED")
    return (
      a.record === b.record || (a.record !== undefined && b.record !== undefined && isSameType(a.record, b.record))
    );
  return a.kind === b.kind;
}

function isSameField(a: RecordField, b: RecordField): boolean {
  if (a.name !== b.name || a.isDeclared !== b.isDeclared || a.names?.length !== b.names?.length) return false;
  return (a.names ?? []).every((name, i) => name === b.names?.[i]) && isSameType(a.type, b.type);
}

const NUMERIC_KINDS: readonly string[] = ["INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64"] satisfies ScalarKind[];

/** INT64, NUMERIC, BIGNUMERIC or FLOAT64. */
export function isNumericType(type: SqlType): boolean {
  return NUMERIC_KINDS.includes(type.kind);
}

/**
 * Position in the chain INT64, NUMERIC, BIGNUMERIC, FLOAT64, in which each type coerces to the later ones; -1 for
 * others.
 */
export function numericRank(type: SqlType): number {
  return NUMERIC_KINDS.indexOf(type.kind);
}

/** Does the type, or a type inside it, satisfy the test? */
function typeContains(type: SqlType, test: (type: SqlType) => boolean): boolean {
  if (test(type)) return true;
  switch (type.kind) {
    case "ARRAY":
    case "RANGE":
      return typeContains(type.element, test);
    case "STRUCT":
    case "RECORD":
      return type.fields.some((field) => typeContains(field.type, test));
    default:
      return false;
  }
}

/**
 * May values be compared with `=`? JSON may not, nor may what holds it; arrays may, as the page of data types says.
 * Records compare as their text.
 */
export function isComparable(type: SqlType): boolean {
  return !typeContains(type, (inner) => inner.kind === "JSON");
}

/** May values be sorted? */
export function isOrderable(type: SqlType): boolean {
  return !typeContains(
    type,
    (inner) => inner.kind === "JSON" || inner.kind === "ARRAY" || inner.kind === "STRUCT" || inner.kind === "RECORD",
  );
}

/** Is it, or does it hold, a STRING with a collation? */
export function isCollated(type: SqlType): boolean {
  return typeContains(type, (inner) => inner.kind === "STRING" && inner.collation !== undefined);
}

/** May GROUP BY, DISTINCT and PARTITION BY use it as it is? A string with a collation stands for what compares so. */
export function isGroupable(type: SqlType): boolean {
  return !typeContains(
    type,
    (inner) => inner.kind === "JSON" || (inner.kind === "STRING" && inner.collation !== undefined),
  );
}

/** May PARTITION BY use it? As GROUP BY, but for floating point numbers. */
export function isPartitionable(type: SqlType): boolean {
  return isGroupable(type) && !typeContains(type, (inner) => inner.kind === "FLOAT64");
}
