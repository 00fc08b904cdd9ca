/** Arithmetic and conversions of NUMERIC and BIGNUMERIC that DuckDB rounds otherwise, or has no type for. */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import {
  BIGNUMERIC_DECIMAL,
  checkRange,
  type DecimalType,
  decimalFromDouble,
  decimalToDouble,
  divideRounded,
  formatDecimal,
  NUMERIC_DECIMAL,
  parseDecimal,
} from "../../values/decimal.ts";
import { isInt64 } from "../../values/number-text.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

function describe(left: bigint, operator: string, right: bigint, type: DecimalType): string {
  return `${formatDecimal(left, type)} ${operator} ${formatDecimal(right, type)}`;
}

function multiply(type: DecimalType): (left: bigint, right: bigint) => bigint {
  return (left, right) => checkRange(divideRounded(left * right, type.one), type, describe(left, "*", right, type));
}

function divide(type: DecimalType): (left: bigint, right: bigint) => bigint {
  return (left, right) => {
    if (right === 0n) throw new Error(`division by zero: ${describe(left, "/", right, type)}`);
    return checkRange(divideRounded(left * type.one, right), type, describe(left, "/", right, type));
  };
}

function fromText(type: DecimalType): (text: string) => bigint {
  return (text) => {
    const value = parseDecimal(text, type);
    if (value === undefined) throw new Error(`Invalid ${type.name} value: ${text}`);
    return value;
  };
}

function fromDouble(type: DecimalType): (value: number) => bigint {
  return (value) => {
    const converted = decimalFromDouble(value, type);
    if (converted === undefined) throw new Error(`Illegal conversion of FLOAT64 to ${type.name}: ${value}`);
    return converted;
  };
}

/** A result of DuckDB's own integer arithmetic on BIGNUM, checked against the range of BIGNUMERIC. */
function checkBignumeric(value: bigint): bigint {
  return checkRange(value, BIGNUMERIC_DECIMAL, "the result is out of range");
}

function bignumericToInt64(value: bigint): bigint {
  const rounded = divideRounded(value, BIGNUMERIC_DECIMAL.one);
  if (!isInt64(rounded)) {
    throw new Error(`INT64 out of range: ${formatDecimal(value, BIGNUMERIC_DECIMAL)}`);
  }
  return rounded;
}

/** The sum, or with a count the mean, of NUMERICs: their whole parts' sum and that of their fractions, as texts. */
function numericTotal(whole: string, fraction: string, count: bigint): bigint {
  const { one } = NUMERIC_DECIMAL;
  const [, sign, before = "0", after = ""] = /^(-?)(\d*)\.?(\d*)$/.exec(fraction) ?? [];
  const rest = BigInt(before) * one + BigInt(after.padEnd(NUMERIC_DECIMAL.scale, "0"));
  const total = BigInt(whole) * one + (sign === "-" ? -rest : rest);
  return checkRange(divideRounded(total, count), NUMERIC_DECIMAL, "the result is out of range");
}

/**
 * Interpolates between `low` and `high`, the values beside the percentile among `n` sorted ones, by its distance to
 * each.
 */
function interpolate(type: DecimalType): (low: bigint, high: bigint, percentile: bigint, n: bigint) => bigint {
  return (low, high, percentile, n) => {
    const share = (percentile * (n - 1n)) % type.one;
    return divideRounded(low * (type.one - share) + high * share, type.one);
  };
}

/** The position, from 0, of the value at or before the percentile of `n` sorted values. */
function positionOf(type: DecimalType): (percentile: bigint, n: bigint) => bigint {
  return (percentile, n) => (percentile * (n - 1n)) / type.one;
}

const SCALE_RATIO = BIGNUMERIC_DECIMAL.one / NUMERIC_DECIMAL.one;

function bignumericToNumeric(value: bigint): bigint {
  const text = formatDecimal(value, BIGNUMERIC_DECIMAL);
  return checkRange(divideRounded(value, SCALE_RATIO), NUMERIC_DECIMAL, text);
}

export const decimalArithmeticFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_numeric_multiply", ["NUMERIC", "NUMERIC"], "NUMERIC", multiply(NUMERIC_DECIMAL)),
  defineFunction("lw_numeric_divide", ["NUMERIC", "NUMERIC"], "NUMERIC", divide(NUMERIC_DECIMAL)),
  defineFunction("lw_numeric_from_text", ["STRING"], "NUMERIC", fromText(NUMERIC_DECIMAL)),
  defineFunction("lw_numeric_from_double", ["FLOAT64"], "NUMERIC", fromDouble(NUMERIC_DECIMAL)),
  defineFunction("lw_numeric_from_bignumeric", ["BIGNUMERIC"], "NUMERIC", bignumericToNumeric),
  defineFunction("lw_numeric_total", ["STRING", "STRING", "INT64"], "NUMERIC", numericTotal),
  defineFunction("lw_bignumeric_average", ["BIGNUMERIC", "INT64"], "BIGNUMERIC", (total, count) =>
    checkBignumeric(divideRounded(total, count)),
  ),
  defineFunction("lw_numeric_position", ["NUMERIC", "INT64"], "INT64", positionOf(NUMERIC_DECIMAL)),
  defineFunction("lw_bignumeric_position", ["BIGNUMERIC", "INT64"], "INT64", positionOf(BIGNUMERIC_DECIMAL)),
  defineFunction(
    "lw_numeric_interpolate",
    ["NUMERIC", "NUMERIC", "NUMERIC", "INT64"],
    "NUMERIC",
    interpolate(NUMERIC_DECIMAL),
  ),
  defineFunction(
    "lw_bignumeric_interpolate",
    ["BIGNUMERIC", "BIGNUMERIC", "BIGNUMERIC", "INT64"],
    "BIGNUMERIC",
    interpolate(BIGNUMERIC_DECIMAL),
  ),
  defineFunction("lw_bignumeric_check", ["BIGNUMERIC"], "BIGNUMERIC", checkBignumeric),
  defineFunction("lw_bignumeric_multiply", ["BIGNUMERIC", "BIGNUMERIC"], "BIGNUMERIC", multiply(BIGNUMERIC_DECIMAL)),
  defineFunction("lw_bignumeric_divide", ["BIGNUMERIC", "BIGNUMERIC"], "BIGNUMERIC", divide(BIGNUMERIC_DECIMAL)),
  defineFunction("lw_bignumeric_from_text", ["STRING"], "BIGNUMERIC", fromText(BIGNUMERIC_DECIMAL)),
  defineFunction("lw_bignumeric_from_double", ["FLOAT64"], "BIGNUMERIC", fromDouble(BIGNUMERIC_DECIMAL)),
  defineFunction(
    "lw_bignumeric_from_bigint",
    ["INT64"],
    "BIGNUMERIC",
    (value) => value * BIGNUMERIC_DECIMAL.one,
    NEVER_FAILS,
  ),
  defineFunction("lw_bignumeric_from_numeric", ["NUMERIC"], "BIGNUMERIC", (value) => value * SCALE_RATIO, NEVER_FAILS),
  defineFunction("lw_bignumeric_to_bigint", ["BIGNUMERIC"], "INT64", bignumericToInt64),
  defineFunction(
    "lw_bignumeric_to_double",
    ["BIGNUMERIC"],
    "FLOAT64",
    (value) => decimalToDouble(value, BIGNUMERIC_DECIMAL),
    NEVER_FAILS,
  ),
  defineFunction(
    "lw_bignumeric_to_text",
    ["BIGNUMERIC"],
    "STRING",
    (value) => formatDecimal(value, BIGNUMERIC_DECIMAL),
    NEVER_FAILS,
  ),
];
