/**
 * ROUND and TRUNC of a FLOAT64 to decimal digits, as the reference computes them: in numbers of 64 binary digits, by
 * dividing by a power of ten and multiplying by it again. So 8.645 rounds to 8.64, of which it is the nearest double
 * below.
 */

/** `mantissa * 2 ** exponent`, of at most 64 binary digits. */
interface Wide {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const DIGITS = 64;

/** Binary digits of a number that is not negative. */
function widthOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** `value >> shift`, to the nearest, halves to the even one. */
function shiftRounded(value: bigint, shift: number): bigint {
  if (shift <= 0) return value << BigInt(-shift);
  const by = BigInt(shift);
  const low = value & ((1n << by) - 1n);
  const half = 1n << (by - 1n);
  const quotient = value >> by;
  return low > half || (low === half && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

/** The quotient of integers, scaled by `2 ** exponent`, to 64 binary digits. */
function quotientOf(numerator: bigint, denominator: bigint, exponent: number): Wide {
  if (numerator === 0n) return { mantissa: 0n, exponent: 0 };
  // Two digits more than in the result, and one that says whether any other digit follows.
  const scale = DIGITS + 2 + Math.max(0, widthOf(denominator) - widthOf(numerator));
  const scaled = numerator << BigInt(scale);
  const sticky = scaled % denominator === 0n ? 0n : 1n;
  const exact = ((scaled / denominator) << 1n) | sticky;
  const excess = Math.max(0, widthOf(exact) - DIGITS);
  return { mantissa: shiftRounded(exact, excess), exponent: exponent - scale - 1 + excess };
}

/** `10 ** -digits`, by dividing or multiplying once for each digit. */
function unitOf(digits: number): Wide {
  let unit: Wide = { mantissa: 1n, exponent: 0 };
  for (let i = 0; i < Math.abs(digits); i++) {
    unit =
      digits > 0 ? quotientOf(unit.mantissa, 10n, unit.exponent) : quotientOf(unit.mantissa * 10n, 1n, unit.exponent);
  }
  return unit;
}

/** The size of a finite double as an integer and a power of two. */
export function splitDouble(value: number): Wide {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

function toDouble({ mantissa, exponent }: Wide): number {
  // In two steps, since a power of two may be beyond the doubles where the product is not.
  const half = Math.trunc(exponent / 2);
  return Number(mantissa) * 2 ** half * 2 ** (exponent - half);
}

const MOST_DIGITS = 323;
const LEAST_DIGITS = -308;

/**
 * The double next to `value` with so many decimal digits (negative: zeros before the point); infinite where that is
 * none.
 */
export function roundToDigits(value: number, digits: number, mode: "round" | "trunc"): number {
  if (!Number.isFinite(value) || value === 0 || digits > MOST_DIGITS) return value;
  if (digits < LEAST_DIGITS) return 0;
  const unit = unitOf(digits);
  const input = splitDouble(value);
  const { mantissa, exponent } = quotientOf(input.mantissa, unit.mantissa, input.exponent - unit.exponent);
  const shift = BigInt(Math.abs(exponent));
  const half = mode === "round" && exponent < 0 ? 1n << (shift - 1n) : 0n;
  const whole = exponent >= 0 ? mantissa << shift : (mantissa + half) >> shift;
  const result = exactQuotient(whole, digits) ?? toDouble(quotientOf(whole * unit.mantissa, 1n, unit.exponent));
  return value < 0 ? -result : result;
}

/**
 * The double nearest to so many units, as DuckDB's own rounding gives it too; undefined where a double does not hold
 * both. The reference multiplies by the unit, which may be off by one in the last digit.
 */
function exactQuotient(whole: bigint, digits: number): number | undefined {
  const isExact = digits > 0 && digits <= 22 && whole <= BigInt(Number.MAX_SAFE_INTEGER);
  return isExact ? Number(whole) / Number(`1e${digits}`) : undefined;
}
