/** Mathematical functions. A decimal's are JavaScript functions named after its type (see udf/decimal-math.ts). */
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { arithmeticFunctions } from "./math-arithmetic.ts";
import { compareFunctions } from "./math-compare.ts";
import { roundingFunctions } from "./math-rounding.ts";
import { asDouble, byNumberKind, printCall } from "./number-kinds.ts";
import { NUMERIC_TYPE } from "./numeric.ts";

/** Of one or two numbers: a decimal in its own type, everything else as a double. */
function real(name: string): PrintCall {
  return byNumberKind({
    FLOAT64: (...args) => printCall(`lw_${name}`, args),
    INT64: (...args) => printCall(`lw_${name}`, args.map(asDouble)),
    NUMERIC: (...args) => printCall(`lw_numeric_${name}`, args),
    BIGNUMERIC: (...args) => printCall(`lw_bignumeric_${name}`, args),
  });
}

/** Native where the argument is within `domain`, where DuckDB and GoogleSQL agree; the rest is left to JavaScript. */
function fastReal(name: string, domain: (x: string) => string): PrintCall {
  const slow = real(name);
  const double = (x: string) =>
    computeOnce([x], name, (v) => `CASE WHEN ${domain(v)} THEN ${name}(${v}) ELSE lw_${name}(${v}) END`);
  return (context) => {
    const [x = "", ...rest] = context.args;
    const kind = context.types[0]?.kind;
    if (rest.length > 0 || kind === "NUMERIC" || kind === "BIGNUMERIC") return slow(context);
    return double(kind === "FLOAT64" ? x : asDouble(x));
  };
}

const isPositiveFinite = (x: string) => `${x} > 0 AND ${x} < 'Infinity'::DOUBLE`;

const sign: PrintCall = byNumberKind({
  INT64: (x = "") => `CAST(sign(${x}) AS BIGINT)`,
  FLOAT64: (x = "") =>
    computeOnce([x], "sign", (v) => `CASE WHEN isnan(${v}) THEN ${v} ELSE CAST(sign(${v}) AS DOUBLE) END`),
  NUMERIC: (x = "") => `CAST(sign(${x}) AS ${NUMERIC_TYPE})`,
  BIGNUMERIC: (x = "") => `lw_bignumeric_sign(${x})`,
});

const trigonometric = [
  ...["cos", "cosh", "acos", "acosh", "cot", "coth", "csc", "csch", "sec", "sech"],
  ...["sin", "sinh", "asin", "asinh", "tan", "tanh", "atan", "atanh", "atan2"],
];

export const mathFunctions: FunctionTable = {
  ...arithmeticFunctions,
  ...compareFunctions,
  ...roundingFunctions,
  ABS: byNumberKind({
    INT64: (x = "") => `abs(${x})`,
    FLOAT64: (x = "") => `abs(${x})`,
    NUMERIC: (x = "") => `abs(${x})`,
    BIGNUMERIC: (x = "") => `lw_bignumeric_abs(${x})`,
  }),
  SIGN: sign,
  IS_INF: ({ args }) => printCall("isinf", args),
  IS_NAN: ({ args }) => printCall("isnan", args),
  IEEE_DIVIDE: ({ args }) => `(${args.join(" / ")})`,
  RAND: () => "random()",
  SQRT: fastReal("sqrt", (x) => `${x} >= 0 AND ${x} < 'Infinity'::DOUBLE`),
  CBRT: ({ args }) => printCall("cbrt", args),
  POW: real("pow"),
  EXP: fastReal("exp", (x) => `${x} BETWEEN -700 AND 700`),
  LN: fastReal("ln", isPositiveFinite),
  LOG: (context) => (context.args.length > 1 ? real("log")(context) : fastReal("ln", isPositiveFinite)(context)),
  LOG10: fastReal("log10", isPositiveFinite),
  ...Object.fromEntries(
    trigonometric.map((name): [string, PrintCall] => [name.toUpperCase(), ({ args }) => printCall(`lw_${name}`, args)]),
  ),
};
