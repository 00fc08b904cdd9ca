/**
 * Variances, deviations, covariances and correlations of numbers. Values whose squares leave the range of doubles are
 * made smaller (or larger) by a power of two before, and the result larger (or smaller) after.
 */
import type { AggregateContext, AggregateTable } from "./types.ts";

const NAN = "CAST('nan', 'Float64')";

/** 2^-600 and 2^600, which bring values beyond these sizes near 1. */
const DOWN = "2.409919865102884e-181";
const UP = "4.149515568880993e180";
const LARGE = "1e150";
const TINY = "1e-140";
/** Between them the server's own correlation, which multiplies the variances, is within range. */
const MODEST = ["1e-70", "1e70"] as const;

type PrintAggregate = (context: AggregateContext) => string;

interface Side {
  readonly value: string;
  /** The largest size; undefined where none leaves the range. */
  readonly size: string | undefined;
  readonly isInfinite: string;
}

/** An argument as doubles of the rows that count: of pairs, those with both. */
function sideOf({ args, types, filter, over, refuse }: AggregateContext, index: number): Side {
  const kind = types[index]?.kind;
  if (kind !== "FLOAT64" && kind !== "INT64") return refuse("values of this type");
  const other = args[1 - index];
  const conditions = [filter, other === undefined ? undefined : `isNotNull(${other})`];
  const condition = conditions.filter((each) => each !== undefined).join(" AND ");
  const number = `toFloat64(${args[index]})`;
  const value = condition === "" ? number : `if(${condition}, ${number}, NULL)`;
  const size = kind === "INT64" ? undefined : `ifNull(maxOrNull(abs(${value}))${over}, 0)`;
  const isInfinite = kind === "INT64" ? "false" : `countIf(NOT isFinite(${value}))${over} > 0`;
  return { value, size, isInfinite };
}

type Unscale = (result: string, factor: string) => string;

/** Prints a statistic of the values, or of values made smaller or larger where the largest is beyond the range. */
function byScale({ value, size }: Side, print: (value: string) => string, unscale: Unscale): string {
  if (size === undefined) return print(value);
  const large = unscale(print(`(${value} * ${DOWN})`), UP);
  const tiny = unscale(print(`(${value} * ${UP})`), DOWN);
  return `multiIf(${size} >= ${LARGE}, ${large}, ${size} > 0 AND ${size} < ${TINY}, ${tiny}, ${print(value)})`;
}

function settled(context: AggregateContext, sides: readonly Side[], least: number, result: string): string {
  const rows = `count(${sides[0]?.value})${context.over}`;
  const areInfinite = sides.map((side) => side.isInfinite).join(" OR ");
  return `multiIf(${rows} < ${least}, NULL, ${areInfinite}, ${NAN}, ${result})`;
}

function checkForm(context: AggregateContext): void {
  if (context.order.length > 0 || context.limit !== undefined) context.refuse("ORDER BY or LIMIT in the call");
  if (context.isDistinct) context.refuse("DISTINCT");
}

function ofOne(name: string, unscale: Unscale): PrintAggregate {
  return (context) => {
    checkForm(context);
    const side = sideOf(context, 0);
    const result = byScale(side, (value) => `${name}(${value})${context.over}`, unscale);
    return settled(context, [side], name.includes("Samp") ? 2 : 1, result);
  };
}

function ofPairs(name: string, unscale: Unscale): PrintAggregate {
  return (context) => {
    checkForm(context);
    const [left, right] = [sideOf(context, 0), sideOf(context, 1)];
    const call = (x: string, y: string) => `${name}(${x}, ${y})${context.over}`;
    const result = byScale(left, (x) => byScale(right, (y) => call(x, y), unscale), unscale);
    return settled(context, [left, right], name === "covarPopStable" ? 1 : 2, result);
  };
}

const same: Unscale = (result) => result;
const once: Unscale = (result, factor) => `${result} * ${factor}`;
const twice: Unscale = (result, factor) => `${result} * ${factor} * ${factor}`;

/** The covariance of the two by their deviations, which is the same at any scale. */
function correlation(context: AggregateContext): string {
  checkForm(context);
  const sides = [sideOf(context, 0), sideOf(context, 1)] as const;
  const [left, right] = sides;
  const covariance = (x: string, y: string) => `covarPopStable(${x}, ${y})${context.over}`;
  const deviation = (side: Side) => byScale(side, (value) => `stddevPopStable(${value})${context.over}`, same);
  const scaled = byScale(left, (x) => byScale(right, (y) => covariance(x, y), same), same);
  const plain = `corrStable(${left.value}, ${right.value})${context.over}`;
  const sizes = sides.flatMap(({ size }) => size ?? []);
  const areModest = sizes.map((size) => `(${size} = 0 OR ${size} BETWEEN ${MODEST.join(" AND ")})`).join(" AND ");
  const result = `${scaled} / ${deviation(left)} / ${deviation(right)}`;
  return settled(context, sides, 2, areModest === "" ? plain : `if(${areModest}, ${plain}, ${result})`);
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
