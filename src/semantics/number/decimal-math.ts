/** Mathematical functions of NUMERIC and BIGNUMERIC, exact or correctly rounded to the type's last digit. */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import {
  absolute,
  BIGNUMERIC_DECIMAL,
  checkRange,
  type DecimalType,
  divideRounded,
  formatDecimal,
  NUMERIC_DECIMAL,
  type RoundingMode,
} from "../../values/decimal.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { exponential, FIXED_BITS, logarithm, roundFixed, squareRoot, toFixed } from "./fixed-point.ts";

function fail(name: string, type: DecimalType, ...values: readonly bigint[]): never {
  throw new Error(`Illegal argument in function: ${name}(${values.map((v) => formatDecimal(v, type)).join(", ")})`);
}

const ROUNDING_MODES: readonly string[] = ["ROUND_HALF_AWAY_FROM_ZERO", "ROUND_HALF_EVEN"];

function isRoundingMode(mode: string): mode is RoundingMode {
  return ROUNDING_MODES.includes(mode);
}

/** The value with `digits` digits after the point; negative ones count before it. */
function keepDigits(type: DecimalType, value: bigint, digits: bigint, mode: RoundingMode): bigint {
  if (digits >= BigInt(type.scale)) return value;
  // No value has more digits than this, and half a unit there is beyond every value.
  if (digits < -40n) return 0n;
  const unit = 10n ** (BigInt(type.scale) - digits);
  return checkRange(divideRounded(value, unit, mode) * unit, type, `ROUND(${formatDecimal(value, type)}, ${digits})`);
}

function naturalLogarithm(name: string, type: DecimalType, value: bigint): bigint {
  if (value <= 0n) fail(name, type, value);
  return logarithm(toFixed(value, type.one));
}

function power(type: DecimalType, base: bigint, exponent: bigint): bigint {
  const { one } = type;
  if (exponent === 0n || base === one) return one;
  if (base === 0n) return exponent < 0n ? fail("POW", type, base, exponent) : 0n;
  const isInteger = exponent % one === 0n;
  if (base < 0n && !isInteger) fail("POW", type, base, exponent);
  const logarithmOfResult = (logarithm(toFixed(absolute(base), one)) * exponent) / one;
  const magnitude = roundExponential("POW", type, logarithmOfResult, base, exponent);
  return base < 0n && (exponent / one) % 2n !== 0n ? -magnitude : magnitude;
}

function roundExponential(name: string, type: DecimalType, fixed: bigint, ...values: readonly bigint[]): bigint {
  // e^100 is beyond both ranges, e^-100 below both last digits.
  const limit = 100n << FIXED_BITS;
  if (fixed < -limit) return 0n;
  if (fixed > limit) fail(name, type, ...values);
  const result = roundFixed(exponential(fixed), type.one);
  return result > type.max ? fail(name, type, ...values) : result;
}

function quotientOfLogarithms(name: string, type: DecimalType, value: bigint, base: bigint): bigint {
  const divisor = naturalLogarithm(name, type, base);
  if (divisor === 0n) fail(name, type, value, base);
  const dividend = naturalLogarithm(name, type, value);
  return checkRange(roundFixed((dividend << FIXED_BITS) / divisor, type.one), type, name);
}

function remainder(type: DecimalType, left: bigint, right: bigint): bigint {
  if (right === 0n) {
    throw new Error(`division by zero: MOD(${formatDecimal(left, type)}, ${formatDecimal(right, type)})`);
  }
  return left % right;
}

function integerQuotient(type: DecimalType, left: bigint, right: bigint): bigint {
  const what = `DIV(${formatDecimal(left, type)}, ${formatDecimal(right, type)})`;
  if (right === 0n) throw new Error(`division by zero: ${what}`);
  return checkRange((left / right) * type.one, type, what);
}

function functionsOf(type: DecimalType): readonly ScalarFunction[] {
  const { name, one } = type;
  const prefix = `lw_${name.toLowerCase()}`;
  return [
    defineFunction(`${prefix}_round`, [name, "INT64", "STRING"], name, (value, digits, mode) => {
      if (!isRoundingMode(mode)) throw new Error(`Invalid rounding mode: ${mode}; use ${ROUNDING_MODES.join(" or ")}`);
      return keepDigits(type, value, digits, mode);
    }),
    defineFunction(`${prefix}_trunc`, [name, "INT64"], name, (value, digits) =>
      keepDigits(type, value, digits, "TRUNCATE"),
    ),
    defineFunction(`${prefix}_ceil`, [name], name, (value) => keepDigits(type, value, 0n, "CEILING")),
    defineFunction(`${prefix}_floor`, [name], name, (value) => keepDigits(type, value, 0n, "FLOOR")),
    defineFunction(`${prefix}_abs`, [name], name, (value) => checkRange(absolute(value), type, "ABS")),
    defineFunction(
      `${prefix}_sign`,
      [name],
      name,
      (value) => (value === 0n ? 0n : value < 0n ? -one : one),
      NEVER_FAILS,
    ),
    defineFunction(`${prefix}_mod`, [name, name], name, (left, right) => remainder(type, left, right)),
    defineFunction(`${prefix}_div`, [name, name], name, (left, right) => integerQuotient(type, left, right)),
    defineFunction(`${prefix}_sqrt`, [name], name, (value) =>
      value < 0n ? fail("SQRT", type, value) : squareRoot(value * one),
    ),
    defineFunction(`${prefix}_exp`, [name], name, (value) => roundExponential("EXP", type, toFixed(value, one), value)),
    defineFunction(`${prefix}_ln`, [name], name, (value) => roundFixed(naturalLogarithm("LN", type, value), one)),
    defineFunction(`${prefix}_log10`, [name], name, (value) => quotientOfLogarithms("LOG10", type, value, 10n * one)),
    defineFunction(`${prefix}_log`, [name, name], name, (value, base) =>
      quotientOfLogarithms("LOG", type, value, base),
    ),
    defineFunction(`${prefix}_pow`, [name, name], name, (base, exponent) => power(type, base, exponent)),
  ];
}

export const decimalMathFunctions: readonly ScalarFunction[] = [
  ...functionsOf(NUMERIC_DECIMAL),
  ...functionsOf(BIGNUMERIC_DECIMAL),
];
