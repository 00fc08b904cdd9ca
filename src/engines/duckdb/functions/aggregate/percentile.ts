/** PERCENTILE_CONT and PERCENTILE_DISC: values in the order of ORDER BY, which has NULL and then NaN first. */
import type { SqlType } from "../../../../googlesql/types.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { bignumericToFloat64 } from "../number/bignumeric.ts";
import { numericToFloat64 } from "../number/numeric.ts";
import { printAggregate, type WindowContext } from "./aggregate-shape.ts";

/** The percentile as a literal's exact decimal text, or undefined where it must be computed. */
function literalPercentile(context: WindowContext): string | undefined {
  const percentile = context.call.arguments[1];
  if (percentile?.kind !== "Literal" || percentile.value === null) return undefined;
  const value = Number(percentile.value);
  if (!(value >= 0 && value <= 1)) return undefined;
  return value.toFixed(18);
}

/** DuckDB's own quantiles do for values that are no NaN, and cost less than a sorted list. */
function isPlain(context: WindowContext): boolean {
  return context.isNeverNaN && context.modifiers.nulls !== "RESPECT";
}

/** The partition's sorted values, and their number. */
interface SortedValues {
  /** The value at a position from 1. Not bound once: DuckDB would copy the list for each row. */
  readonly at: (position: string) => string;
  readonly count: string;
}

function sortedValues(value: string, context: WindowContext): SortedValues {
  const { nulls, ...modifiers } = context.modifiers;
  const filter = nulls === "RESPECT" ? undefined : `${value} IS NOT NULL`;
  const nan = context.isNeverNaN ? "" : `isnan(${value}) DESC NULLS FIRST, `;
  const sorted = printAggregate(
    "list",
    [value],
    { ...modifiers, orderBySql: `${nan}${value} ASC NULLS FIRST` },
    filter,
  );
  return { at: (position) => `(${sorted})[${position}]`, count: printAggregate("count", ["*"], modifiers, filter) };
}

function asDouble(sql: string, type: SqlType | undefined): string {
  switch (type?.kind) {
    case "NUMERIC":
      return numericToFloat64(sql);
    case "BIGNUMERIC":
      return bignumericToFloat64(sql);
    case "INT64":
    case "UNKNOWN":
      return `CAST(${sql} AS DOUBLE)`;
    default:
      return sql;
  }
}

function refuse(what: string): string {
  return raiseError(quoteString(what));
}

function outOfRange(name: string): string {
  return refuse(`${name}: the percentile must be from 0 to 1`);
}

/** Between the two values beside the percentile; one beside a NULL stands for both. */
function interpolateDoubles(low: string, high: string, share: string): string {
  return computeOnce([low, high, share], "interpolate", (a = "", b = "", s = "") => {
    // Weighted, not by the difference: two infinities, or values far apart, have none.
    return `CASE WHEN ${s} = 0 THEN ${a} WHEN ${a} IS NULL THEN ${b} ELSE ${a} * (1 - ${s}) + ${b} * ${s} END`;
  });
}

function decimalPercentile(context: WindowContext, name: "numeric" | "bignumeric"): string {
  const [value = "", percentile = ""] = context.args;
  const { at, count } = sortedValues(value, context);
  const position = `lw_${name}_position(${percentile}, ${count})`;
  const low = at(`${position} + 1`);
  const high = at(`least(${position} + 2, ${count})`);
  const between = computeOnce([low, high], "interpolate", (a = "", b = "") => {
    return (
      `CASE WHEN ${a} IS NULL THEN CASE WHEN lw_${name}_position(${percentile}, ${count}) = ${count} - 1 ` +
      `THEN ${a} ELSE ${b} END ELSE lw_${name}_interpolate(${a}, ${b}, ${percentile}, ${count}) END`
    );
  });
  const [zero, one] =
    name === "numeric" ? ["0", "1"] : ["lw_bignumeric_from_bigint(0)", "lw_bignumeric_from_bigint(1)"];
  return (
    `CASE WHEN ${percentile} NOT BETWEEN ${zero} AND ${one} THEN ${outOfRange("PERCENTILE_CONT")} ` +
    `WHEN ${count} > 0 THEN ${between} END`
  );
}

/** The percentile, interpolated between the values next to it. */
export function percentileCont(context: WindowContext): string {
  const [value = "", percentile = ""] = context.args;
  if (context.call.orderBy.length > 0) return refuse("PERCENTILE_CONT: ORDER BY is not allowed in OVER");
  if (context.type.kind === "NUMERIC") return decimalPercentile(context, "numeric");
  if (context.type.kind === "BIGNUMERIC") return decimalPercentile(context, "bignumeric");
  const double = asDouble(value, context.types[0]);
  const literal = literalPercentile(context);
  if (literal !== undefined && isPlain(context)) {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_cont", [double, literal], modifiers);
  }
  const { at, count } = sortedValues(double, context);
  const p = asDouble(percentile, context.types[1]);
  const place = `(${p} * (${count} - 1))`;
  const low = at(`CAST(floor(${place}) AS BIGINT) + 1`);
  const high = at(`CAST(ceil(${place}) AS BIGINT) + 1`);
  const result = interpolateDoubles(low, high, `${place} - floor(${place})`);
  return (
    `CASE WHEN ${p} NOT BETWEEN 0 AND 1 THEN ${outOfRange("PERCENTILE_CONT")} WHEN ${count} > 0 THEN ${result} ` + "END"
  );
}

/** The first value whose cumulative share is at least the percentile. */
export function percentileDisc(context: WindowContext): string {
  const [value = "", percentile = ""] = context.args;
  if (context.call.orderBy.length > 0) return refuse("PERCENTILE_DISC: ORDER BY is not allowed in OVER");
  const literal = literalPercentile(context);
  if (literal !== undefined && isPlain(context)) {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_disc", [value, literal], modifiers);
  }
  const { at, count } = sortedValues(value, context);
  const p = asDouble(percentile, context.types[1]);
  const result = at(`CAST(greatest(ceil(${p} * ${count}), 1) AS BIGINT)`);
  return `CASE WHEN ${p} NOT BETWEEN 0 AND 1 THEN ${outOfRange("PERCENTILE_DISC")} ELSE ${result} END`;
}
