/**
 * Functions of FLOAT64 that a library of mathematics computes: engines differ in the last digit, as their sums do.
 * They fail where the arguments are finite and the result is not.
 */

import { FALSE } from "../sql/atoms.ts";
import { callSql, joinSql, type Sql, sql } from "../sql/sql.ts";
import { double, ofDoubles } from "./number.ts";
import { named } from "./rows.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** ClickHouse's own is an approximation. */
const tanh = (x: Sql) => sql`if(abs(${x}) > 22, sign(${x}), sinh(${x}) / cosh(${x}))`;

/** ClickHouse's names for them. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ EXP: "exp", LN: "log", LOG10: "log10", COS: "cos", COSH: "cosh", ACOS: "acos", ACOSH: "acosh", SIN: "sin" },
  ...{ SINH: "sinh", ASIN: "asin", ASINH: "asinh", TAN: "tan", ATAN: "atan", ATANH: "atanh", CBRT: "cbrt" },
};

function finiteOf(context: CallContext, inputs: readonly Sql[], result: Sql): Sql {
  return context.bind([result], (value) => {
    const areFinite = inputs.map((input) => sql`isFinite(${input})`);
    const fails = sql`NOT isFinite(${value}) AND ${joinSql(areFinite, " AND ")}`;
    return context.failIf(fails, `Floating point error in function: ${context.call.function}`, value);
  });
}

function unary(form: (x: Sql) => Sql): PrintCall {
  return ofDoubles((context, x) => finiteOf(context, [x], form(x)));
}

function logarithm(context: CallContext, x: Sql, base: Sql | undefined): Sql {
  if (base === undefined) return finiteOf(context, [x], sql`log(${x})`);
  const fails = sql`isFinite(${x}) AND isFinite(${base}) AND (${x} <= 0 OR ${base} <= 0 OR ${base} = 1)`;
  const isNone = sql`${x} = CAST('-inf', 'Float64') OR ${base} = CAST('inf', 'Float64')`;
  const value = sql`if(isNull(${x}) OR isNull(${base}), NULL, if(${isNone}, CAST('nan', 'Float64'), log(${x}) / log(${base})))`;
  return context.failIf(fails, "Floating point error in function: LOG", value);
}

/** ClickHouse's own is wrong where the result is next to 0 or to infinity: those are products of two. */
function power(context: CallContext, x: Sql, y: Sql): Sql {
  const digits = sql`ifNull(${y} * log(abs(${x})), 0)`;
  const isPlain = sql`isFinite(${x}) AND isFinite(${y}) AND ${x} != 0`;
  const isFar = sql`${isPlain} AND abs(${digits}) > 700 AND (${x} > 0 OR ${y} = trunc(${y}))`;
  const half = sql`pow(abs(${x}), ${y} / 2)`;
  const size = sql`multiIf(${digits} > 1500, CAST('inf', 'Float64'), ${digits} < -1500, 0., ${half} * ${half})`;
  const isNegative = sql`${x} < 0 AND abs(${y} - 2 * trunc(${y} / 2)) = 1`;
  const value = sql`if(${isFar}, if(${isNegative}, -${size}, ${size}), pow(${x}, ${y}))`;
  return finiteOf(context, [x, y], value);
}

/** Prints a distance of two dense vectors, as arrays of FLOAT64. */
function distance(measure: (x: Sql, y: Sql) => { readonly value: Sql; readonly isNone: Sql }): PrintCall {
  return named((context, left, right) => {
    const areDense = context.types.every((type) => type.kind === "ARRAY" && type.element.kind === "FLOAT64");
    if (!areDense) return context.refuse("vectors that are no ARRAY<FLOAT64>");
    const areThere = sql`notEmpty(${left}) AND notEmpty(${right})`;
    const [x, other] = [sql`${left}[1]`, sql`${right}[1]`];
    const haveNull = [x, other].map((each) => sql`arrayExists(lw_n -> isNull(lw_n), ${each})`);
    const differ = sql`length(${x}) != length(${other})`;
    const { value, isNone } = measure(x, sql`arrayResize(${other}, length(${x}))`);
    const fails = sql`${areThere} AND (${differ} OR ${joinSql(haveNull, " OR ")} OR ${isNone})`;
    const message = `${context.call.function}: the vectors have no distance`;
    return context.failIf(fails, message, sql`if(${areThere}, ${value}, NULL)`);
  });
}

const sumOf = (x: Sql, y: Sql, term: Sql) => sql`arraySum((lw_x, lw_y) -> ifNull(${term}, 0.), ${x}, ${y})`;

const cosineDistance = distance((x, y) => {
  const product = sql`lw_x * lw_y`;
  const [left, right] = [sumOf(x, x, product), sumOf(y, y, product)];
  const value = sql`1 - ${sumOf(x, y, product)} / (sqrt(${left}) * sqrt(${right}))`;
  return { value, isNone: sql`${left} = 0 OR ${right} = 0` };
});

const euclideanDistance = distance((x, y) => {
  const squares = sumOf(x, y, sql`(lw_x - lw_y) * (lw_x - lw_y)`);
  return { value: sql`sqrt(${squares})`, isNone: FALSE };
});

export const floatFunctions: FunctionTable = {
  ...Object.fromEntries(Object.entries(NAMED).map(([name, server]) => [name, unary((x) => callSql(server, [x]))])),
  ATAN2: (context) => sql`atan2(${double(context)}, ${double(context, 1)})`,
  COSINE_DISTANCE: cosineDistance,
  COT: unary((x) => sql`1 / tan(${x})`),
  COTH: unary((x) => sql`1 / ${tanh(x)}`),
  CSC: unary((x) => sql`1 / sin(${x})`),
  CSCH: unary((x) => sql`1 / sinh(${x})`),
  EUCLIDEAN_DISTANCE: euclideanDistance,
  LOG: ofDoubles(logarithm),
  POW: ofDoubles(power),
  SEC: unary((x) => sql`1 / cos(${x})`),
  SECH: unary((x) => sql`1 / cosh(${x})`),
  TANH: unary(tanh),
};
