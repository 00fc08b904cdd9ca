/**
 * Variances, deviations, covariances and correlations of numbers. Values whose squares leave the range of doubles are
 * made smaller (or larger) by a power of two before, and the result larger (or smaller) after.
 */

import { FALSE, nameSql, numberSql } from "../sql/atoms.ts";
import { both, NAN } from "../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import type { AggregateContext, AggregateTable } from "./types.ts";

/** 2^-600 and 2^600, which bring values beyond these sizes near 1. */
const DOWN = sql`2.409919865102884e-181`;
const UP = sql`4.149515568880993e180`;
const LARGE = sql`1e150`;
const TINY = sql`1e-140`;
/** Between them the server's own correlation, which multiplies the variances, is within range. */
const MODEST = sql`1e-70 AND 1e70`;

type PrintAggregate = (context: AggregateContext) => Sql;

interface Side {
  readonly value: Sql;
  /** The largest size; undefined where none leaves the range. */
  readonly size: Sql | undefined;
  readonly isInfinite: Sql;
}

/** An argument as doubles of the rows that count: of pairs, those with both. */
function sideOf({ args, types, filter, over, refuse }: AggregateContext, index: number): Side {
  const kind = types[index]?.kind;
  if (kind !== "FLOAT64" && kind !== "INT64") refuse("values of this type");
  const other = args[1 - index];
  const condition = both(filter, other === undefined ? undefined : sql`isNotNull(${other})`);
  const number = sql`toFloat64(${args[index] ?? EMPTY})`;
  const value = condition === undefined ? number : sql`if(${condition}, ${number}, NULL)`;
  const size = kind === "INT64" ? undefined : sql`ifNull(maxOrNull(abs(${value}))${over}, 0)`;
  const isInfinite = kind === "INT64" ? FALSE : sql`countIf(NOT isFinite(${value}))${over} > 0`;
  return { value, size, isInfinite };
}

type Unscale = (result: Sql, factor: Sql) => Sql;

/** Prints a statistic of the values, or of values made smaller or larger where the largest is beyond the range. */
function byScale({ value, size }: Side, print: (value: Sql) => Sql, unscale: Unscale): Sql {
  if (size === undefined) return print(value);
  const large = unscale(print(sql`(${value} * ${DOWN})`), UP);
  const tiny = unscale(print(sql`(${value} * ${UP})`), DOWN);
  return sql`multiIf(${size} >= ${LARGE}, ${large}, ${size} > 0 AND ${size} < ${TINY}, ${tiny}, ${print(value)})`;
}

function guardedResult(context: AggregateContext, sides: readonly [Side, ...Side[]], least: number, result: Sql): Sql {
  const rows = sql`count(${sides[0].value})${context.over}`;
  const areInfinite = joinSql(
    sides.map((side) => side.isInfinite),
    " OR ",
  );
  return sql`multiIf(${rows} < ${numberSql(least)}, NULL, ${areInfinite}, ${NAN}, ${result})`;
}

function checkForm(context: AggregateContext): void {
  if (context.order.length > 0 || context.limit !== undefined) context.refuse("ORDER BY or LIMIT in the call");
  if (context.isDistinct) context.refuse("DISTINCT");
}

function ofOne(name: string, unscale: Unscale): PrintAggregate {
  return (context) => {
    checkForm(context);
    const side = sideOf(context, 0);
    const result = byScale(side, (value) => sql`${nameSql(name)}(${value})${context.over}`, unscale);
    return guardedResult(context, [side], name.includes("Samp") ? 2 : 1, result);
  };
}

function ofPairs(name: string, unscale: Unscale): PrintAggregate {
  return (context) => {
    checkForm(context);
    const [left, right] = [sideOf(context, 0), sideOf(context, 1)];
    const call = (x: Sql, y: Sql) => sql`${nameSql(name)}(${x}, ${y})${context.over}`;
    const result = byScale(left, (x) => byScale(right, (y) => call(x, y), unscale), unscale);
    return guardedResult(context, [left, right], name === "covarPopStable" ? 1 : 2, result);
  };
}

const same: Unscale = (result) => result;
const once: Unscale = (result, factor) => sql`${result} * ${factor}`;
const twice: Unscale = (result, factor) => sql`${result} * ${factor} * ${factor}`;

/** The covariance of the two by their deviations, which is the same at any scale. */
function correlation(context: AggregateContext): Sql {
  checkForm(context);
  const sides = [sideOf(context, 0), sideOf(context, 1)] as const;
  const [left, right] = sides;
  const covariance = (x: Sql, y: Sql) => sql`covarPopStable(${x}, ${y})${context.over}`;
  const deviation = (side: Side) => byScale(side, (value) => sql`stddevPopStable(${value})${context.over}`, same);
  const scaled = byScale(left, (x) => byScale(right, (y) => covariance(x, y), same), same);
  const plain = sql`corrStable(${left.value}, ${right.value})${context.over}`;
  const sizes = sides.flatMap(({ size }) => size ?? []);
  const areModest = joinSql(
    sizes.map((size) => sql`(${size} = 0 OR ${size} BETWEEN ${MODEST})`),
    " AND ",
  );
  const result = sql`${scaled} / ${deviation(left)} / ${deviation(right)}`;
  return guardedResult(context, sides, 2, sizes.length === 0 ? plain : sql`if(${areModest}, ${plain}, ${result})`);
}

export const statisticalFunctions: AggregateTable = {
  CORR: correlation,
  COVAR_POP: ofPairs("covarPopStable", once),
  COVAR_SAMP: ofPairs("covarSampStable", once),
  STDDEV_POP: ofOne("stddevPopStable", once),
  STDDEV_SAMP: ofOne("stddevSampStable", once),
  VAR_POP: ofOne("varPopStable", twice),
  VAR_SAMP: ofOne("varSampStable", twice),
};
