/** GREATEST, LEAST, RANGE_BUCKET and distances of vectors. */

import { nameSql, signSql, variableSql } from "../../sql/atoms.ts";
import { anyNull, callSql, filterList, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { mixedKey, valueOfKey } from "../mixed.ts";
import { intervalLength } from "../time/interval-parts.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";

/** NULL where any is NULL. */
function greatestOf(name: "greatest" | "least", args: readonly Sql[]): Sql {
  return computeOnce(args, name, (...values) => {
    const isNull = anyNull(values);
    return sql`CASE WHEN ${isNull} THEN NULL ELSE ${callSql(name, values)} END`;
  });
}

function firstExtreme(values: readonly Sql[], operator: "<" | ">"): Sql {
  const sign = signSql(operator);
  const isNull = anyNull(values);
  const keys = values.map(intervalLength);
  const branches = keys.map((key, index) => {
    const beaten = keys.flatMap((other, at) => {
      if (at === index) return [];
      return [at < index ? sql`${key} ${sign} ${other}` : sql`NOT (${other} ${sign} ${key})`];
    });
    return sql`WHEN ${joinSql(beaten, " AND ")} THEN ${values[index] ?? EMPTY}`;
  });
  return sql`CASE WHEN ${isNull} THEN NULL ${joinSql(branches, " ")} END`;
}

/** Values that are compared at once: DuckDB takes time quadratic in their number. */
const COMPARED_AT_ONCE = 16;

/** GREATEST and LEAST: DuckDB's own skip NULLs, and its order puts NaN above everything. */
function extreme(name: "greatest" | "least"): PrintCall {
  return (context) => {
    const { args, type } = context;
    if (args.length === 1) return args[0] ?? EMPTY;
    if (args.length > COMPARED_AT_ONCE) {
      const groups = Array.from({ length: Math.ceil(args.length / COMPARED_AT_ONCE) }, (_, group) =>
        args.slice(group * COMPARED_AT_ONCE, (group + 1) * COMPARED_AT_ONCE),
      );
      return extreme(name)({ ...context, args: groups.map((group) => extreme(name)({ ...context, args: group })) });
    }
    if (type.kind === "MIXED") return valueOfKey(greatestOf(name, args.map(mixedKey)));
    return computeOnce(args, name, (...values) => {
      // Of intervals that are equal the first is the result, and DuckDB's own functions compare their fields one by
      // one.
      if (type.kind === "INTERVAL") return firstExtreme(values, name === "least" ? "<" : ">");
      const isNull = anyNull(values);
      const isAnyNaN = joinMapped(values, " OR ", (value) => sql`isnan(${value})`);
      const nan = type.kind === "FLOAT64" && name === "least" ? sql` WHEN ${isAnyNaN} THEN 'NaN'::DOUBLE` : EMPTY;
      return sql`CASE WHEN ${isNull} THEN NULL${nan} ELSE ${callSql(name, values)} END`;
    });
  };
}

/** Doubles of a dense vector, or of pairs of a key (as text) and a value. */
function distance(name: string): PrintCall {
  return ({ args, types }: CallContext) => {
    const [left = EMPTY, right = EMPTY] = args;
    const type = types[0];
    if (type?.kind !== "ARRAY" || type.element.kind !== "STRUCT")
      return sql`${nameSql(`lw_${name}`)}(${left}, ${right})`;
    return computeOnce([left, right], name, (a, b) => {
      const part = (vector: Sql) =>
        sql`${mapList(vector, "e", sql`CAST(e.f1 AS VARCHAR)`)}, ${mapList(vector, "e", variableSql("e.f2"))}`;
      return sql`${nameSql(`lw_sparse_${name}`)}(${part(a)}, ${part(b)})`;
    });
  };
}

function rangeBucket({ args, types }: CallContext): Sql {
  const isFloat = types[0]?.kind === "FLOAT64";
  return computeOnce(args, "range_bucket", (point = EMPTY, boundaries = EMPTY) => {
    const hasGap = sql`len(${boundaries}) <> list_count(${boundaries})`;
    const hasNaN = isFloat ? sql` OR list_contains(${boundaries}, 'NaN'::DOUBLE)` : EMPTY;
    const isPointNaN = isFloat ? sql` OR isnan(${point})` : EMPTY;
    return sql`
      CASE WHEN ${point} IS NULL OR ${boundaries} IS NULL${isPointNaN} THEN NULL
      WHEN ${hasGap}${hasNaN} THEN ${raiseText("RANGE_BUCKET: the boundaries must not hold NULL or NaN")}
      WHEN list_sort(${boundaries}) <> ${boundaries} THEN
      ${raiseText("RANGE_BUCKET: the boundaries must be in ascending order")}
      ELSE len(${filterList(boundaries, "lw_boundary", sql`lw_boundary <= ${point}`)}) END
    `;
  });
}

export const compareFunctions: FunctionTable = {
  GREATEST: extreme("greatest"),
  LEAST: extreme("least"),
  RANGE_BUCKET: rangeBucket,
  COSINE_DISTANCE: distance("cosine_distance"),
  EUCLIDEAN_DISTANCE: distance("euclidean_distance"),
};
