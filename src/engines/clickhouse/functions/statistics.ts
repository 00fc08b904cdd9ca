/**
 * Variances, deviations, covariances and correlations of numbers. Values whose squares leave the range of doubles are
 * made smaller by a power of two before, and the result larger after.
 */
import type { AggregateContext, AggregateTable } from "./types.ts";

const NAN = "CAST('nan', 'Float64')";

/** 2^-600, and from where on it is needed. */
const SCALE = "2.409919865102884e-181";
const UNSCALE = "4.149515568880993e180";
const LARGE = "1e150";

type PrintAggregate = (context: AggregateContext) => string;

interface Side {
  readonly value: string;
  readonly isLarge: string;
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
  const size = `maxOrNull(abs(${value}))${over}`;
  const isLarge = kind === "INT64" ? "false" : `ifNull(${size} >= ${LARGE}, false)`;
  const isInfinite = kind === "INT64" ? "false" : `countIf(NOT isFinite(${value}))${over} > 0`;
  return { value, isLarge, isInfinite };
}

/** One value for no large ones, and one for large ones. */
function byScale(side: Side, print: (value: string) => string, unscale: (result: string) => string): string {
  if (side.isLarge === "false") return print(side.value);
  return `if(${side.isLarge}, ${unscale(print(`(${side.value} * ${SCALE})`))}, ${print(side.value)})`;
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

function ofOne(name: string, unscale: (result: string) => string): PrintAggregate {
  return (context) => {
    checkForm(context);
    const side = sideOf(context, 0);
    const result = byScale(side, (value) => `${name}(${value})${context.over}`, unscale);
    return settled(context, [side], name.includes("Samp") ? 2 : 1, result);
  };
}

function ofPairs(name: string, unscale: (result: string) => string): PrintAggregate {
  return (context) => {
    checkForm(context);
    const [left, right] = [sideOf(context, 0), sideOf(context, 1)];
    const call = (x: string, y: string) => `${name}(${x}, ${y})${context.over}`;
    const result = byScale(left, (x) => byScale(right, (y) => call(x, y), unscale), unscale);
    return settled(context, [left, right], name === "covarPopStable" ? 1 : 2, result);
  };
}

const once = (result: string) => `${result} * ${UNSCALE}`;
const twice = (result: string) => `${result} * ${UNSCALE} * ${UNSCALE}`;

export const statisticalFunctions: AggregateTable = {
  CORR: ofPairs("corrStable", (result) => result),
  COVAR_POP: ofPairs("covarPopStable", once),
  COVAR_SAMP: ofPairs("covarSampStable", once),
  STDDEV_POP: ofOne("stddevPopStable", once),
  STDDEV_SAMP: ofOne("stddevSampStable", once),
  VAR_POP: ofOne("varPopStable", twice),
  VAR_SAMP: ofOne("varSampStable", twice),
};
