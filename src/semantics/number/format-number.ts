/** Numbers as printf writes them, with exact decimal digits. Source: FORMAT of the GoogleSQL string functions page. */
import { absolute, divideRounded, type RoundingMode } from "../../values/decimal.ts";
import { splitDouble } from "./round-double.ts";

/** A number as `scaled / 10^scale`. */
export interface ExactDecimal {
  readonly isNegative: boolean;
  readonly scaled: bigint;
  readonly scale: number;
  /** Doubles are rounded halves to even, as C does; decimals halves away from zero. */
  readonly rounding: RoundingMode;
}

/** The exact value of a finite double. */
export function exactDouble(value: number): ExactDecimal {
  const { mantissa, exponent } = splitDouble(value);
  const shared = { isNegative: value < 0 || Object.is(value, -0), rounding: "ROUND_HALF_EVEN" as const };
  return exponent >= 0
    ? { ...shared, scaled: mantissa << BigInt(exponent), scale: 0 }
    : { ...shared, scaled: mantissa * 5n ** BigInt(-exponent), scale: -exponent };
}

/** A NUMERIC or BIGNUMERIC from its canonical text. */
export function exactDecimal(text: string): ExactDecimal {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  return {
    isNegative: text.startsWith("-"),
    scaled: BigInt(whole + fraction),
    scale: fraction.length,
    rounding: "ROUND_HALF_AWAY_FROM_ZERO",
  };
}

function shift(value: bigint, digits: number, rounding: RoundingMode): bigint {
  return digits >= 0 ? value * 10n ** BigInt(digits) : divideRounded(value, 10n ** BigInt(-digits), rounding);
}

/** Digits before and after the point. */
export interface FixedDigits {
  readonly whole: string;
  readonly fraction: string;
}

/** Decimal notation with `precision` digits after the point. */
export function fixedDigits(value: ExactDecimal, precision: number): FixedDigits {
  // Zeros beyond the value's own digits need no arithmetic.
  const kept = Math.min(precision, value.scale);
  const digits = shift(value.scaled, kept - value.scale, value.rounding)
    .toString()
    .padStart(kept + 1, "0");
  const point = digits.length - kept;
  return { whole: digits.slice(0, point), fraction: digits.slice(point).padEnd(precision, "0") };
}

/** Scientific notation: one digit before the point, `precision` after it. */
export interface ScientificDigits extends FixedDigits {
  readonly exponent: number;
}

export function scientificDigits(value: ExactDecimal, precision: number): ScientificDigits {
  if (value.scaled === 0n) return { whole: "0", fraction: "0".repeat(precision), exponent: 0 };
  const length = absolute(value.scaled).toString().length;
  const kept = Math.min(precision + 1, length);
  const digits = shift(value.scaled, kept - length, value.rounding).toString();
  // Rounding up 9.99 makes a digit more.
  const carry = digits.length - kept;
  return {
    whole: digits.slice(0, 1),
    fraction: digits.slice(1, kept).padEnd(precision, "0"),
    exponent: length - 1 - value.scale + carry,
  };
}

/** Digits in groups from the right. */
export function groupDigits(digits: string, size: number, separator: string): string {
  const first = digits.length % size;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += size) groups.push(digits.slice(at, at + size));
  return groups.join(separator);
}
