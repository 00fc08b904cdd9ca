/**
 * Approximate aggregate functions, computed exactly: DuckDB's own estimates are off by several percent even for
 * a handful of values, and an exact answer is a valid approximation.
 */

import { physicalTypeSql } from "../../compile/expression/literals.ts";
import { decimalSql, nameSql, numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import { lambda, mapList, raiseError, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { BIGINT } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { sortKey } from "../sort-key.ts";
import { type AggregateContext, type AggregateTable, printAggregate } from "./aggregate-shape.ts";

/** Above this many groups the boundaries are picked from a sorted list instead of being listed in the SQL. */
const MAX_LISTED_GROUPS = 1_000n;
const DIGITS = 18;

/**
 * `i / n` cut to 18 digits: DuckDB's rank for it is that of the exact fraction. Below zero it counts from the greatest
 * value.
 */
function fraction(sign: Sql, i: bigint, n: bigint): Sql {
  if (i === n) return sql`${sign}${numberSql(1)}`;
  return sql`${sign}${decimalSql(`0.${((i * 10n ** BigInt(DIGITS)) / n).toString().padStart(DIGITS, "0")}`)}`;
}

/** The opposites of numbers, from the greatest, have NaN where it belongs: before all others. */
const signOf = (context: AggregateContext): Sql => (context.isNeverNaN ? EMPTY : sql`-`);

/** The value, or its opposite. */
const signed = (sign: Sql, value: Sql): Sql => (sign === EMPTY ? value : sql`(${sign}${value})`);

function sortedBoundaries(context: AggregateContext, groups: Sql): Sql {
  const [x = EMPTY] = context.args;
  const sign = signOf(context);
  const skipsNulls = context.modifiers.nulls !== "RESPECT";
  const { nulls: _, ...modifiers } = context.modifiers;
  const values = sql`
    list_sort(${printAggregate("list", [signed(sign, x)], modifiers, skipsNulls ? sql`${x} IS NOT NULL` : undefined)},
    ${textSql(context.isNeverNaN ? "ASC" : "DESC")}, 'NULLS FIRST')
  `;
  return computeOnce([values, groups], "quantiles", (sorted, n) => {
    const failure = raiseText("APPROX_QUANTILES: the number of groups must be from 1 to 100000");
    const rank = sql`greatest((len(${sorted}) * lw_group + ${n} - 1) // ${n}, 1)`;
    const boundary = lambda(variableSql("lw_group"), signed(sign, sql`${sorted}[${rank}]`));
    return sql`
      CASE WHEN (${n} BETWEEN 1 AND 100000) IS NOT TRUE THEN ${failure}
      ELSE list_transform(range(0, ${n} + 1), ${boundary}) END
    `;
  });
}

function quantiles(context: AggregateContext): Sql {
  const [x = EMPTY, groups = EMPTY] = context.args;
  const count = groups.integer;
  if (count === undefined || count < 1n || count > MAX_LISTED_GROUPS || context.modifiers.nulls === "RESPECT") {
    return sortedBoundaries(context, groups);
  }
  const sign = signOf(context);
  const fractions = Array.from({ length: Number(count) + 1 }, (_, i) => fraction(sign, BigInt(i), count));
  const values = printAggregate(
    "quantile_disc",
    [signed(sign, x), sql`[${joinSql(fractions, ", ")}]`],
    context.modifiers,
  );
  return context.isNeverNaN ? values : mapList(values, "lw_value", signed(sign, variableSql("lw_value")));
}

/**
 * The element at `index` of APPROX_QUANTILES alone, for a query that reads no other; undefined where the call is
 * computed otherwise or has no such element.
 */
export function printQuantile(context: AggregateContext, index: bigint): Sql | undefined {
  const [x = EMPTY, groups = EMPTY] = context.args;
  const count = groups.integer;
  if (count === undefined || index < 0n || index > count || context.modifiers.nulls === "RESPECT") return undefined;
  const sign = signOf(context);
  // Nothing is below a zero.
  if (sign !== EMPTY && index === 0n) return undefined;
  return signed(
    sign,
    printAggregate("quantile_disc", [signed(sign, x), fraction(sign, index, count)], context.modifiers),
  );
}

/** Rows as a list of structs; `ranking` gives the top of them as texts `position:amount`. */
function top(context: AggregateContext, fields: Sql, ranking: (rows: Sql) => Sql, amountType: Sql): Sql {
  const rows = printAggregate("list", [sql`{${fields}}`], context.modifiers);
  return computeOnce([rows], "top", (all) => {
    const position = sql`CAST(split_part(lw_entry, ':', 1) AS BIGINT)`;
    const amount = computeOnce([sql`nullif(split_part(lw_entry, ':', 2), '')`], "amount", (text) => {
      const message = sql`concat(${textSql(`${context.call.function}: the sum `)}, ${text}, ' is out of range')`;
      const failure = sql`CASE WHEN ${text} IS NOT NULL THEN ${raiseError(message)} END`;
      return sql`coalesce(TRY_CAST(${text} AS ${amountType}), ${failure})`;
    });
    return mapList(ranking(all), "lw_entry", sql`{'f1': ${all}[${position}].v, 'f2': ${amount}}`);
  });
}

/** Texts that are equal exactly when the values are. */
function keys(context: AggregateContext, rows: Sql): Sql {
  const [type] = context.types;
  const value = variableSql("lw_row.v");
  // Zero is equal to its negative.
  const key = type?.kind === "FLOAT64" ? sql`(${value} + 0)` : type?.kind === "INTERVAL" ? sortKey(type, value) : value;
  return mapList(rows, "lw_row", sql`CAST(${key} AS VARCHAR)`);
}

/** The number of values asked for: a literal is not NULL, a parameter may be. */
function countOf(context: AggregateContext, count: Sql): Sql {
  if (count.integer !== undefined) return count;
  const failure = raiseText(`${context.call.function}: the number of values must not be NULL`);
  return sql`CASE WHEN ${count} IS NULL THEN ${failure} ELSE ${count} END`;
}

function topCount(context: AggregateContext): Sql {
  const [x = EMPTY, n = EMPTY] = context.args;
  return top(
    context,
    sql`'v': ${x}`,
    (rows) => sql`lw_top_counts(${keys(context, rows)}, ${countOf(context, n)})`,
    BIGINT,
  );
}

function topSum(context: AggregateContext): Sql {
  const [x = EMPTY, weight = EMPTY, n = EMPTY] = context.args;
  const weightType = context.types[1] ?? { kind: "INT64" };
  const isFloat = weightType.kind === "FLOAT64";
  const ranking = (rows: Sql) => {
    const weights = mapList(rows, "lw_row", isFloat ? variableSql("lw_row.w") : sql`CAST(lw_row.w AS VARCHAR)`);
    return sql`${nameSql(`lw_top_${isFloat ? "doubles" : "decimals"}`)}(${keys(context, rows)}, ${weights}, ${countOf(context, n)})`;
  };
  return top(context, sql`'v': ${x}, 'w': ${weight}`, ranking, physicalTypeSql(weightType));
}

export const approximateFunctions: AggregateTable = {
  APPROX_COUNT_DISTINCT: ({ args, modifiers }) => printAggregate("count", args, { ...modifiers, isDistinct: true }),
  APPROX_QUANTILES: quantiles,
  APPROX_TOP_COUNT: topCount,
  APPROX_TOP_SUM: topSum,
};
