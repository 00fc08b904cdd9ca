/** PERCENTILE_CONT and PERCENTILE_DISC: values in the order of ORDER BY, which has NULL and then NaN first. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { decimalSql, nameSql, numberSql } from "../../sql/atoms.ts";
import { castTo, raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { DOUBLE } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { DECIMALS } from "../number/decimal.ts";
import { printAggregate, type WindowContext } from "./aggregate-shape.ts";

/** The percentile as a literal's exact decimal text, or undefined where it must be computed. */
function literalPercentile(context: WindowContext): Sql | undefined {
  const percentile = context.call.arguments[1];
  if (percentile?.kind !== "Literal" || percentile.value === null) return undefined;
  const value = Number(percentile.value);
  if (!(value >= 0 && value <= 1)) return undefined;
  return decimalSql(value.toFixed(18));
}

/** DuckDB's own quantiles do for values that are no NaN, and cost less than a sorted list. */
function isPlain(context: WindowContext): boolean {
  return context.isNeverNaN && context.modifiers.nulls !== "RESPECT";
}

/** The partition's sorted values, and their number. */
interface SortedValues {
  /** The value at a position from 1. Not bound once: DuckDB would copy the list for each row. */
  readonly at: (position: Sql) => Sql;
  readonly count: Sql;
}

function sortedValues(value: Sql, context: WindowContext): SortedValues {
  const { nulls, ...modifiers } = context.modifiers;
  const filter = nulls === "RESPECT" ? undefined : sql`${value} IS NOT NULL`;
  const nan = context.isNeverNaN ? EMPTY : sql`isnan(${value}) DESC NULLS FIRST, `;
  const sorted = printAggregate(
    "list",
    [value],
    { ...modifiers, orderBySql: sql`${nan}${value} ASC NULLS FIRST` },
    filter,
  );
  return {
    at: (position) => sql`(${sorted})[${position}]`,
    count: printAggregate("count", [sql`*`], modifiers, filter),
  };
}

function asDouble(sql: Sql, type: SqlType | undefined): Sql {
  switch (type?.kind) {
    case "NUMERIC":
    case "BIGNUMERIC":
      return DECIMALS[type.kind].toFloat64(sql);
    case "INT64":
    case "UNKNOWN":
      return castTo(sql, DOUBLE);
    default:
      return sql;
  }
}

function outOfRange(name: string): Sql {
  return raiseText(`${name}: the percentile must be from 0 to 1 and not NULL`);
}

/** Between the two values beside the percentile; one beside a NULL stands for both. */
function interpolateDoubles(low: Sql, high: Sql, share: Sql): Sql {
  return computeOnce([low, high, share], "interpolate", (a = EMPTY, b = EMPTY, s = EMPTY) => {
    // Weighted, not by the difference: two infinities, or values far apart, have none.
    return sql`CASE WHEN ${s} = 0 THEN ${a} WHEN ${a} IS NULL THEN ${b} ELSE ${a} * (1 - ${s}) + ${b} * ${s} END`;
  });
}

type DecimalName = "numeric" | "bignumeric";

function decimalName(type: SqlType | undefined): DecimalName | undefined {
  return type?.kind === "NUMERIC" ? "numeric" : type?.kind === "BIGNUMERIC" ? "bignumeric" : undefined;
}

/** 0 and 1. */
function decimalBounds(name: DecimalName): readonly [Sql, Sql] {
  if (name === "numeric") return [numberSql(0), numberSql(1)];
  return [sql`lw_bignumeric_from_bigint(0)`, sql`lw_bignumeric_from_bigint(1)`];
}

function decimalPercentile(context: WindowContext, name: DecimalName): Sql {
  const [value = EMPTY, percentile = EMPTY] = context.args;
  const { at, count } = sortedValues(value, context);
  const position = sql`${nameSql(`lw_${name}_position`)}(${percentile}, ${count})`;
  const low = at(sql`${position} + 1`);
  const high = at(sql`least(${position} + 2, ${count})`);
  const between = computeOnce([low, high], "interpolate", (a = EMPTY, b = EMPTY) => {
    return sql`
      CASE WHEN ${a} IS NULL THEN CASE WHEN ${nameSql(`lw_${name}_position`)}(${percentile}, ${count}) = ${count} - 1
      THEN ${a} ELSE ${b} END ELSE ${nameSql(`lw_${name}_interpolate`)}(${a}, ${b}, ${percentile}, ${count}) END
    `;
  });
  const [zero, one] = decimalBounds(name);
  return sql`
    CASE WHEN (${percentile} BETWEEN ${zero} AND ${one}) IS NOT TRUE THEN ${outOfRange("PERCENTILE_CONT")}
    WHEN ${count} > 0 THEN ${between} END
  `;
}

/** The percentile, interpolated between the values next to it. */
export function percentileCont(context: WindowContext): Sql {
  const [value = EMPTY, percentile = EMPTY] = context.args;
  if (context.call.orderBy.length > 0) return raiseText("PERCENTILE_CONT: ORDER BY is not allowed in OVER");
  const decimal = decimalName(context.type);
  if (decimal !== undefined) return decimalPercentile(context, decimal);
  const double = asDouble(value, context.types[0]);
  const literal = literalPercentile(context);
  if (literal !== undefined && isPlain(context)) {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_cont", [double, literal], modifiers);
  }
  const { at, count } = sortedValues(double, context);
  const p = asDouble(percentile, context.types[1]);
  const place = sql`(${p} * (${count} - 1))`;
  const low = at(sql`CAST(floor(${place}) AS BIGINT) + 1`);
  const high = at(sql`CAST(ceil(${place}) AS BIGINT) + 1`);
  const result = interpolateDoubles(low, high, sql`${place} - floor(${place})`);
  return sql`CASE WHEN (${p} BETWEEN 0 AND 1) IS NOT TRUE THEN ${outOfRange("PERCENTILE_CONT")} WHEN ${count} > 0 THEN ${result} END`;
}

/** The first value whose cumulative share is at least the percentile. */
export function percentileDisc(context: WindowContext): Sql {
  const [value = EMPTY, percentile = EMPTY] = context.args;
  if (context.call.orderBy.length > 0) return raiseText("PERCENTILE_DISC: ORDER BY is not allowed in OVER");
  const literal = decimalName(context.types[1]) === undefined ? literalPercentile(context) : undefined;
  if (literal !== undefined && isPlain(context)) {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_disc", [value, literal], modifiers);
  }
  const { at, count } = sortedValues(value, context);
  const decimal = decimalName(context.types[1]);
  const p = decimal === undefined ? asDouble(percentile, context.types[1]) : percentile;
  const [zero, one] = decimal === undefined ? [numberSql(0), numberSql(1)] : decimalBounds(decimal);
  const rest = decimal === "bignumeric" ? DECIMALS.BIGNUMERIC.subtract(one, p) : sql`${one} - ${p}`;
  const rank =
    decimal === undefined
      ? sql`CAST(ceil(${p} * ${count}) AS BIGINT)`
      : sql`${count} - ${nameSql(`lw_${decimal}_position`)}(${rest}, ${count} + 1)`;
  const result = at(sql`greatest(${rank}, 1)`);
  return sql`CASE WHEN (${p} BETWEEN ${zero} AND ${one}) IS NOT TRUE THEN ${outOfRange("PERCENTILE_DISC")} ELSE ${result} END`;
}
