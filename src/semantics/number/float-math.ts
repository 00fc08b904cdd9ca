/**
 * Functions of doubles. GoogleSQL fails where the arguments are finite and the result is not, and follows IEEE 754
 * otherwise; DuckDB fails for infinite arguments too, or gives NaN. Source: "Mathematical functions" of the GoogleSQL
 * reference.
 */

import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { roundToDigits } from "./round-double.ts";

function check(name: string, result: number, ...values: readonly number[]): number {
  if (!Number.isFinite(result) && values.every(Number.isFinite)) {
    throw new Error(`Floating point error in function: ${name}(${values.join(", ")})`);
  }
  return result;
}

function squareRoot(x: number): number {
  if (x < 0) throw new Error(`Argument to SQRT cannot be negative: ${x}`);
  return Math.sqrt(x);
}

const unary: Readonly<Record<string, (x: number) => number>> = {
  SQRT: squareRoot,
  CBRT: Math.cbrt,
  EXP: Math.exp,
  LN: Math.log,
  LOG10: Math.log10,
  COS: Math.cos,
  COSH: Math.cosh,
  ACOS: Math.acos,
  ACOSH: Math.acosh,
  SIN: Math.sin,
  SINH: Math.sinh,
  ASIN: Math.asin,
  ASINH: Math.asinh,
  TAN: Math.tan,
  TANH: Math.tanh,
  ATAN: Math.atan,
  ATANH: Math.atanh,
  COT: (x) => 1 / Math.tan(x),
  COTH: (x) => 1 / Math.tanh(x),
  CSC: (x) => 1 / Math.sin(x),
  CSCH: (x) => 1 / Math.sinh(x),
  SEC: (x) => 1 / Math.cos(x),
  SECH: (x) => 1 / Math.cosh(x),
};

/** As C's `pow`, which differs from JavaScript's where the base is 1 or -1. */
function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && (y === Number.POSITIVE_INFINITY || y === Number.NEGATIVE_INFINITY))) return 1;
  return check("POW", x ** y, x, y);
}

function logarithm(x: number, base: number): number {
  if (x === Number.NEGATIVE_INFINITY || base === Number.POSITIVE_INFINITY) return Number.NaN;
  const areFinite = Number.isFinite(x) && Number.isFinite(base);
  if (areFinite && (x <= 0 || base <= 0 || base === 1))
    throw new Error(`Floating point error in function: LOG(${x}, ${base})`);
  return Math.log(x) / Math.log(base);
}

/** Keeps `digits` decimal digits (negative: zeroes before the point). */
function atDigits(name: string, mode: "round" | "trunc"): (x: number, digits: bigint) => number {
  return (x, digits) => {
    const bounded = Number(digits > 1000n ? 1000n : digits < -1000n ? -1000n : digits);
    return check(name, roundToDigits(x, bounded, mode), x, Number(digits));
  };
}

export const floatMathFunctions: readonly ScalarFunction[] = [
  ...Object.entries(unary).map(([name, compute]) =>
    defineFunction(`lw_${name.toLowerCase()}`, ["FLOAT64"], "FLOAT64", (x) => check(name, compute(x), x)),
  ),
  defineFunction("lw_atan2", ["FLOAT64", "FLOAT64"], "FLOAT64", Math.atan2),
  defineFunction("lw_pow", ["FLOAT64", "FLOAT64"], "FLOAT64", power),
  defineFunction("lw_log", ["FLOAT64", "FLOAT64"], "FLOAT64", logarithm),
  defineFunction("lw_round", ["FLOAT64", "INT64"], "FLOAT64", atDigits("ROUND", "round")),
  defineFunction("lw_trunc", ["FLOAT64", "INT64"], "FLOAT64", atDigits("TRUNC", "trunc")),
];
