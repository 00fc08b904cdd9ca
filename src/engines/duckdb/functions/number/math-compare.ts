/** GREATEST, LEAST, RANGE_BUCKET and distances of vectors. */
import { raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { mixedKey, valueOfKey } from "../mixed.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";

/** NULL where any is NULL. */
function greatestOf(name: "greatest" | "least", args: readonly string[]): string {
  return computeOnce(args, name, (...values) => {
    const isNull = values.map((value) => `${value} IS NULL`).join(" OR ");
    return `CASE WHEN ${isNull} THEN NULL ELSE ${name}(${values.join(", ")}) END`;
  });
}

function firstExtreme(values: readonly string[], operator: string): string {
  const isNull = values.map((value) => `${value} IS NULL`).join(" OR ");
  const branches = values.map((value, index) => {
    const beaten = values.flatMap((other, at) => {
      if (at === index) return [];
      return [at < index ? `${value} ${operator} ${other}` : `NOT (${other} ${operator} ${value})`];
    });
    return `WHEN ${beaten.join(" AND ")} THEN ${value}`;
  });
  return `CASE WHEN ${isNull} THEN NULL ${branches.join(" ")} END`;
}

/** GREATEST and LEAST: DuckDB's own skip NULLs, and its order puts NaN above everything. */
function extreme(name: "greatest" | "least"): PrintCall {
  return ({ args, type }) => {
    if (args.length === 1) return args[0] ?? "";
    if (type.kind === "MIXED") return valueOfKey(greatestOf(name, args.map(mixedKey)));
    return computeOnce(args, name, (...values) => {
      // Of intervals that are equal the first is the result, and DuckDB's own functions compare their fields one by
      // one.
      if (type.kind === "INTERVAL") return firstExtreme(values, name === "least" ? "<" : ">");
      const isNull = values.map((value) => `${value} IS NULL`).join(" OR ");
      const isAnyNaN = values.map((value) => `isnan(${value})`).join(" OR ");
      const nan = type.kind === "FLOAT64" && name === "least" ? ` WHEN ${isAnyNaN} THEN 'NaN'::DOUBLE` : "";
      return `CASE WHEN ${isNull} THEN NULL${nan} ELSE ${name}(${values.join(", ")}) END`;
    });
  };
}

/** Doubles of a dense vector, or of pairs of a key (as text) and a value. */
function distance(name: string): PrintCall {
  return ({ args, types }: CallContext) => {
    const [left = "", right = ""] = args;
    const type = types[0];
    if (type?.kind !== "ARRAY" || type.element.kind !== "STRUCT") return `lw_${name}(${left}, ${right})`;
    return computeOnce([left, right], name, (a, b) => {
      const part = (vector: string) =>
        `list_transform(${vector}, lambda e: CAST(e.f1 AS VARCHAR)), list_transform(${vector}, lambda e: e.f2)`;
      return `lw_sparse_${name}(${part(a)}, ${part(b)})`;
    });
  };
}

function rangeBucket({ args, types }: CallContext): string {
  const isFloat = types[0]?.kind === "FLOAT64";
  return computeOnce(args, "range_bucket", (point = "", boundaries = "") => {
    const hasGap = `len(${boundaries}) <> list_count(${boundaries})`;
    const hasNaN = isFloat ? ` OR list_contains(${boundaries}, 'NaN'::DOUBLE)` : "";
    const isPointNaN = isFloat ? ` OR isnan(${point})` : "";
    return (
      `CASE WHEN ${point} IS NULL OR ${boundaries} IS NULL${isPointNaN} THEN NULL ` +
      `WHEN ${hasGap}${hasNaN} THEN ${raiseError("'RANGE_BUCKET: the boundaries must not hold NULL or NaN'")} ` +
      (`WHEN list_sort(${boundaries}) <> ${boundaries} THEN ` +
        `${raiseError("'RANGE_BUCKET: the boundaries must be in ascending order'")} `) +
      `ELSE len(list_filter(${boundaries}, lambda lw_boundary: lw_boundary <= ${point})) END`
    );
  });
}

export const compareFunctions: FunctionTable = {
  GREATEST: extreme("greatest"),
  LEAST: extreme("least"),
  RANGE_BUCKET: rangeBucket,
  COSINE_DISTANCE: distance("cosine_distance"),
  EUCLIDEAN_DISTANCE: distance("euclidean_distance"),
};
