import { trimEnd } from "./trim-end.ts";
/**
 * NUMERIC and BIGNUMERIC as scaled integers. A NUMERIC is a DECIMAL(38, 9) in DuckDB; DuckDB has no decimal of
 * 76 digits, so a BIGNUMERIC is a BIGNUM (an integer of any size) that holds the value times 10^38: it compares, sorts,
 * groups, adds and sums natively, and everything else is done here, on JavaScript's bigint.
 * Ranges and rounding: the "Decimal types" section of the GoogleSQL data types page.
 */

/** One of the two decimal types. */
export interface DecimalType {
  readonly name: "NUMERIC" | "BIGNUMERIC";
  /** Digits after the point. */
  readonly scale: number;
  readonly one: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

export const NUMERIC_DECIMAL: DecimalType = {
  name: "NUMERIC",
  scale: 9,
  one: 10n ** 9n,
  min: 1n - 10n ** 38n,
  max: 10n ** 38n - 1n,
};

export const BIGNUMERIC_DECIMAL: DecimalType = {
  name: "BIGNUMERIC",
  scale: 38,
  one: 10n ** 38n,
  min: -(2n ** 255n),
  max: 2n ** 255n - 1n,
};

/** The decimal types by their names. */
export const DECIMAL_TYPES = { NUMERIC: NUMERIC_DECIMAL, BIGNUMERIC: BIGNUMERIC_DECIMAL } as const;

/** How a value between two representable ones is rounded; halves go away from zero unless stated otherwise. */
export type RoundingMode = "ROUND_HALF_AWAY_FROM_ZERO" | "ROUND_HALF_EVEN" | "TRUNCATE" | "FLOOR" | "CEILING";

/** `numerator / denominator` as an integer, rounded as `mode` says. The denominator must not be zero. */
export function divideRounded(
  numerator: bigint,
  denominator: bigint,
  mode: RoundingMode = "ROUND_HALF_AWAY_FROM_ZERO",
): bigint {
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n) return quotient;
  const isNegative = rest < 0n !== denominator < 0n;
  const away = isNegative ? quotient - 1n : quotient + 1n;
  switch (mode) {
    case "TRUNCATE":
      return quotient;
    case "FLOOR":
      return isNegative ? away : quotient;
    case "CEILING":
      return isNegative ? quotient : away;
    default: {
      const twice = absolute(rest) * 2n;
      const whole = absolute(denominator);
      if (twice !== whole) return twice > whole ? away : quotient;
      return mode === "ROUND_HALF_EVEN" && quotient % 2n === 0n ? quotient : away;
    }
  }
}

/** The absolute value. */
export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The scaled integer itself, or undefined where it lies outside the type's range. */
function inRange(value: bigint, type: DecimalType): bigint | undefined {
  return value >= type.min && value <= type.max ? value : undefined;
}

/** The scaled integer itself; throws `NUMERIC overflow: ...` outside the type's range. */
export function checkRange(value: bigint, type: DecimalType, what: string): bigint {
  if (value < type.min || value > type.max) throw new Error(`${type.name} overflow: ${what}`);
  return value;
}

/** More digits than any value has. */
const MAX_DIGITS = 80;

/**
 * Reads `[+-]digits[.digits][e[+-]digits]`, spaces around it allowed, into a scaled integer, rounding halves away from
 * zero. Undefined where the text is not such a number, or out of the type's range; with `isExact` also where it would
 * have to be rounded, as a literal may not be.
 */
export function parseDecimal(text: string, type: DecimalType, isExact = false): bigint | undefined {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  const kept = digits.length - fraction.length + type.scale + Number(exponent);
  if (kept > MAX_DIGITS) return undefined;
  const lost = kept < 0 ? "0" : digits.slice(kept);
  if (isExact && (kept < 0 || /[1-9]/.test(lost))) return undefined;
  const head = BigInt(digits.slice(0, Math.max(kept, 0)).padEnd(kept, "0"));
  const magnitude = lost >= "5" ? head + 1n : head;
  return inRange(sign === "-" ? -magnitude : magnitude, type);
}

/** The canonical text: no exponent, no trailing zeros after the point, no point that nothing follows. */
export function formatDecimal(value: bigint, type: DecimalType): string {
  const magnitude = absolute(value);
  const whole = magnitude / type.one;
  const fraction = trimEnd((magnitude % type.one).toString().padStart(type.scale, "0"), "0");
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A double as a scaled integer, from its exact binary value; undefined for NaN, infinities and values out of range. */
export function decimalFromDouble(value: number, type: DecimalType): bigint | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value)) return inRange(BigInt(value) * type.one, type);
  // A double is mantissa * 2^-shift with a shift of at most 1,074.
  let mantissa = value;
  let shift = 0n;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    shift += 1n;
  }
  return inRange(divideRounded(BigInt(mantissa) * type.one, 2n ** shift), type);
}

/** The nearest double. */
export function decimalToDouble(value: bigint, type: DecimalType): number {
  return Number(`${value}e-${type.scale}`);
}
