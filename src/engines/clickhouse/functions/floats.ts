/**
 * Functions of FLOAT64 that a library of mathematics computes: engines differ in the last digit, as their sums do.
 * They fail where the arguments are finite and the result is not.
 */
import { double } from "./number.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** ClickHouse's own is an approximation. */
const TANH = "if(abs(x) > 22, sign(x), sinh(x) / cosh(x))";

/** ClickHouse's names for them, over `x`. */
const UNARY: Readonly<Record<string, string>> = {
  ...{ EXP: "exp(x)", LN: "log(x)", LOG10: "log10(x)", COS: "cos(x)", COSH: "cosh(x)", ACOS: "acos(x)" },
  ...{ ACOSH: "acosh(x)", SIN: "sin(x)", SINH: "sinh(x)", ASIN: "asin(x)", ASINH: "asinh(x)", TAN: "tan(x)" },
  ...{ TANH: TANH, ATAN: "atan(x)", ATANH: "atanh(x)", CBRT: "cbrt(x)" },
  ...{ COT: "1 / tan(x)", COTH: `1 / ${TANH}`, CSC: "1 / sin(x)", CSCH: "1 / sinh(x)" },
  ...{ SEC: "1 / cos(x)", SECH: "1 / cosh(x)" },
};

function finiteOf(context: CallContext, inputs: readonly string[], result: string): string {
  return context.bind([result], (value) => {
    const fails = `NOT isFinite(${value}) AND ${inputs.map((input) => `isFinite(${input})`).join(" AND ")}`;
    return context.failIf(fails, `Floating point error in function: ${context.call.function}`, value);
  });
}

function unary(form: string): PrintCall {
  return (context) => {
    if (context.type.kind !== "FLOAT64") return context.refuse(`values of the type ${context.type.kind}`);
    return context.bind([double(context)], (x) =>
      finiteOf(
        context,
        [x],
        form.replaceAll("(x)", () => `(${x})`),
      ),
    );
  };
}

const naturalLogarithm = unary("log(x)");

function logarithm(context: CallContext): string {
  if (context.args.length === 1) return naturalLogarithm(context);
  return context.bind([double(context), double(context, 1)], (x, base) => {
    const fails = `isFinite(${x}) AND isFinite(${base}) AND (${x} <= 0 OR ${base} <= 0 OR ${base} = 1)`;
    const isNone = `${x} = CAST('-inf', 'Float64') OR ${base} = CAST('inf', 'Float64')`;
    const value = `if(isNull(${x}) OR isNull(${base}), NULL, if(${isNone}, CAST('nan', 'Float64'), log(${x}) / log(${base})))`;
    return context.failIf(fails, "Floating point error in function: LOG", value);
  });
}

/** ClickHouse's own is wrong where the result is next to 0 or to infinity: those are products of two. */
function power(context: CallContext): string {
  if (context.type.kind !== "FLOAT64") return context.refuse(`values of the type ${context.type.kind}`);
  return context.bind([double(context), double(context, 1)], (x, y) => {
    const digits = `ifNull(${y} * log(abs(${x})), 0)`;
    const isPlain = `isFinite(${x}) AND isFinite(${y}) AND ${x} != 0`;
    const isFar = `${isPlain} AND abs(${digits}) > 700 AND (${x} > 0 OR ${y} = trunc(${y}))`;
    const half = `pow(abs(${x}), ${y} / 2)`;
    const size = `multiIf(${digits} > 1500, CAST('inf', 'Float64'), ${digits} < -1500, 0., ${half} * ${half})`;
    const isNegative = `${x} < 0 AND abs(${y} - 2 * trunc(${y} / 2)) = 1`;
    const value = `if(${isFar}, if(${isNegative}, -${size}, ${size}), pow(${x}, ${y}))`;
    return finiteOf(context, [x, y], value);
  });
}

/** Prints a distance of two dense vectors, as arrays of FLOAT64. */
function distance(measure: (x: string, y: string) => { readonly value: string; readonly isNone: string }): PrintCall {
  return (context) => {
    const areDense = context.types.every((type) => type.kind === "ARRAY" && type.element.kind === "FLOAT64");
    if (!areDense) return context.refuse("vectors that are no ARRAY<FLOAT64>");
    const name = context.call.function;
    return context.bind(context.args, (left = "", right = "") => {
      const areThere = `notEmpty(${left}) AND notEmpty(${right})`;
      const hasNull = [left, right].map((each) => `arrayExists(lw_n -> isNull(lw_n), ${each}[1])`).join(" OR ");
      const differ = `length(${left}[1]) != length(${right}[1])`;
      const [x, y] = [`${left}[1]`, `arrayResize(${right}[1], length(${left}[1]))`];
      const { value, isNone } = measure(x, y);
      const fails = `${areThere} AND (${differ} OR ${hasNull} OR ${isNone})`;
      return context.failIf(fails, `${name}: the vectors have no distance`, `if(${areThere}, ${value}, NULL)`);
    });
  };
}

const sumOf = (x: string, y: string, term: string) => `arraySum((lw_x, lw_y) -> ifNull(${term}, 0.), ${x}, ${y})`;

const cosineDistance = distance((x, y) => {
  const [left, right] = [sumOf(x, x, "lw_x * lw_y"), sumOf(y, y, "lw_x * lw_y")];
  const value = `1 - ${sumOf(x, y, "lw_x * lw_y")} / (sqrt(${left}) * sqrt(${right}))`;
  return { value, isNone: `${left} = 0 OR ${right} = 0` };
});

const euclideanDistance = distance((x, y) => {
  return { value: `sqrt(${sumOf(x, y, "(lw_x - lw_y) * (lw_x - lw_y)")})`, isNone: "false" };
});

export const floatFunctions: FunctionTable = {
  ...Object.fromEntries(Object.entries(UNARY).map(([name, form]) => [name, unary(form)])),
  ATAN2: (context) => `atan2(${double(context)}, ${double(context, 1)})`,
  COSINE_DISTANCE: cosineDistance,
  EUCLIDEAN_DISTANCE: euclideanDistance,
  LOG: logarithm,
  POW: power,
};
