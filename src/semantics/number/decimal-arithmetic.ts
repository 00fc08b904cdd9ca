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

/** Functions that both types have. */
function functionsOf(type: DecimalType): readonly ScalarFunction[] {
  const { name, one } = type;
  const prefix = `lw_${name.toLowerCase()}`;
  return [
    defineFunction(`${prefix}_multiply`, [name, name], name, (left, right) =>
      checkRange(divideRounded(left * right, one), type, describe(left, "*", right, type)),
    ),
    defineFunction(`${prefix}_divide`, [name, name], name, (left, right) => {
      if (right === 0n) throw new Error(`division by zero: ${describe(left, "/", right, type)}`);
      return checkRange(divideRounded(left * one, right), type, describe(left, "/", right, type));
    }),
    defineFunction(`${prefix}_from_text`, ["STRING"], name, (text) => {
      const value = parseDecimal(text, type);
      if (value === undefined) throw new Error(`Invalid ${name} value: ${text}`);
      return value;
    }),
    defineFunction(`${prefix}_from_double`, ["FLOAT64"], name, (value) => {
      const converted = decimalFromDouble(value, type);
      if (converted === undefined) throw new Error(`Illegal conversion of FLOAT64 to ${name}: ${value}`);
      return converted;
    }),
    // The position, from 0, of the value at or before the percentile of `n` sorted values.
    defineFunction(`${prefix}_position`, [name, "INT64"], "INT64", (percentile, n) => (percentile * (n - 1n)) / one),
    // Between the values beside the percentile among `n` sorted ones, by its distance to each.
    defineFunction(`${prefix}_interpolate`, [name, name, name, "INT64"], name, (low, high, percentile, n) => {
      const share = (percentile * (n - 1n)) % one;
      return divideRounded(low * (one - share) + high * share, one);
    }),
  ];
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
  const total = BigInt(whole) * NUMERIC_DECIMAL.one + (parseDecimal(fraction, NUMERIC_DECIMAL) ?? 0n);
  return checkRange(divideRounded(total, count), NUMERIC_DECIMAL, "the result is out of range");
}

const SCALE_RATIO = BIGNUMERIC_DECIMAL.one / NUMERIC_DECIMAL.one;

function bignumericToNumeric(value: bigint): bigint {
  const text = formatDecimal(value, BIGNUMERIC_DECIMAL);
  return checkRange(divideRounded(value, SCALE_RATIO), NUMERIC_DECIMAL, text);
}

export const decimalArithmeticFunctions: readonly ScalarFunction[] = [
  ...functionsOf(NUMERIC_DECIMAL),
  ...functionsOf(BIGNUMERIC_DECIMAL),
  defineFunction("lw_numeric_from_bignumeric", ["BIGNUMERIC"], "NUMERIC", bignumericToNumeric),
  defineFunction("lw_numeric_total", ["STRING", "STRING", "INT64"], "NUMERIC", numericTotal),
  defineFunction("lw_bignumeric_average", ["BIGNUMERIC", "INT64"], "BIGNUMERIC", (total, count) =>
    checkBignumeric(divideRounded(total, count)),
  ),
  defineFunction("lw_bignumeric_check", ["BIGNUMERIC"], "BIGNUMERIC", checkBignumeric),
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
