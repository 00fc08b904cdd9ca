/**
 * Approximate aggregate functions, computed exactly: DuckDB's own estimates are off by several percent even for
 * a handful of values, and an exact answer is a valid approximation.
 */
import { physicalTypeSql } from "../../compile/expression/literals.ts";
import { raiseError } from "../../sql-text.ts";
import { computeOnce, literalInteger } from "../compute-once.ts";
import { type AggregateContext, type AggregateTable, printAggregate } from "./aggregate-shape.ts";

/** Above this many groups the boundaries are picked from a sorted list instead of being listed in the SQL. */
const MAX_LISTED_GROUPS = 1_000n;
const DIGITS = 18;

/** `i / n` cut to 18 digits: DuckDB's rank for it is that of the exact fraction. */
function fraction(i: bigint, n: bigint): string {
  if (i === n) return "1";
  return `0.${((i * 10n ** BigInt(DIGITS)) / n).toString().padStart(DIGITS, "0")}`;
}

function sortedBoundaries(context: AggregateContext, groups: string): string {
  const [x = ""] = context.args;
  const skipsNulls = context.modifiers.nulls !== "RESPECT";
  const { nulls: _, ...modifiers } = context.modifiers;
  const values =
    `list_sort(${printAggregate("list", [x], modifiers, skipsNulls ? `${x} IS NOT NULL` : undefined)}, 'ASC', ` +
    "'NULLS FIRST')";
  return computeOnce([values, groups], "quantiles", (sorted, n) => {
    const failure = raiseError("'APPROX_QUANTILES: the number of groups must be from 1 to 100000'");
    const rank = `greatest((len(${sorted}) * lw_group + ${n} - 1) // ${n}, 1)`;
    return (
      `CASE WHEN ${n} NOT BETWEEN 1 AND 100000 THEN ${failure} ` +
      `ELSE list_transform(range(0, ${n} + 1), lambda lw_group: ${sorted}[${rank}]) END`
    );
  });
}

function quantiles(context: AggregateContext): string {
  const [x = "", groups = ""] = context.args;
  const count = literalInteger(groups);
  if (count === undefined || count < 1n || count > MAX_LISTED_GROUPS || context.modifiers.nulls === "RESPECT") {
    return sortedBoundaries(context, groups);
  }
  const fractions = Array.from({ length: Number(count) + 1 }, (_, i) => fraction(BigInt(i), count));
  return printAggregate("quantile_disc", [x, `[${fractions.join(", ")}]`], context.modifiers);
}

/**
 * The element at `index` of APPROX_QUANTILES alone, for a query that reads no other; undefined where the call is
 * computed otherwise or has no such element.
 */
export function printQuantile(context: AggregateContext, index: bigint): string | undefined {
  const [x = "", groups = ""] = context.args;
  const count = literalInteger(groups);
  if (count === undefined || index < 0n || index > count || context.modifiers.nulls === "RESPECT") return undefined;
  return printAggregate("quantile_disc", [x, fraction(index, count)], context.modifiers);
}

/** Rows as a list of structs; `ranking` gives the top of them as texts `position:amount`. */
function top(context: AggregateContext, fields: string, ranking: (rows: string) => string, amountType: string): string {
  const rows = printAggregate("list", [`{${fields}}`], context.modifiers);
  return computeOnce([rows], "top", (all) => {
    const position = "CAST(split_part(lw_entry, ':', 1) AS BIGINT)";
    const amount = `CAST(nullif(split_part(lw_entry, ':', 2), '') AS ${amountType})`;
    return `list_transform(${ranking(all)}, lambda lw_entry: {'f1': ${all}[${position}].v, 'f2': ${amount}})`;
  });
}

/** Texts that are equal exactly when the values are. */
function keys(rows: string): string {
  return `list_transform(${rows}, lambda lw_row: CAST(lw_row.v AS VARCHAR))`;
}

function topCount(context: AggregateContext): string {
  const [x = "", n = ""] = context.args;
  return top(context, `'v': ${x}`, (rows) => `lw_top_counts(${keys(rows)}, ${n})`, "BIGINT");
}

function topSum(context: AggregateContext): string {
  const [x = "", weight = "", n = ""] = context.args;
  const weightType = context.types[1] ?? { kind: "INT64" };
  const isFloat = weightType.kind === "FLOAT64";
  const ranking = (rows: string) => {
    const weights = `list_transform(${rows}, lambda lw_row: ${isFloat ? "lw_row.w" : "CAST(lw_row.w AS VARCHAR)"})`;
    return `lw_top_${isFloat ? "doubles" : "decimals"}(${keys(rows)}, ${weights}, ${n})`;
  };
  return top(context, `'v': ${x}, 'w': ${weight}`, ranking, physicalTypeSql(weightType));
}

export const approximateFunctions: AggregateTable = {
  APPROX_COUNT_DISTINCT: ({ args, modifiers }) => printAggregate("count", args, { ...modifiers, isDistinct: true }),
  APPROX_QUANTILES: quantiles,
  APPROX_TOP_COUNT: topCount,
  APPROX_TOP_SUM: topSum,
};
