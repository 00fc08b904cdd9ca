/**
 * Transcendental functions on binary fixed-point numbers: a bigint that is the value times 2^FIXED_BITS. The bits leave
 * over a hundred digits beyond what BIGNUMERIC keeps, so that a result rounds as the exact one would.
 */

/** Bits after the binary point. */
export const FIXED_BITS = 512n;

const ONE = 1n << FIXED_BITS;
/** Far below every digit of the result, and far above the error of the series. */
const EPSILON = 1n << (FIXED_BITS - 380n);

/** `numerator / denominator` as a fixed-point number. */
export function toFixed(numerator: bigint, denominator: bigint): bigint {
  return (numerator << FIXED_BITS) / denominator;
}

/** The value times `scale`, rounded; what lies next to a half counts as the half, and goes away from zero. */
export function roundFixed(value: bigint, scale: bigint): bigint {
  const magnitude = (value < 0n ? -value : value) + EPSILON;
  const rounded = (magnitude * scale + (ONE >> 1n)) >> FIXED_BITS;
  return value < 0n ? -rounded : rounded;
}

/** 2 * artanh(z) = ln((1 + z) / (1 - z)), for |z| at most 1/3. */
function twiceArtanh(z: bigint): bigint {
  const square = (z * z) >> FIXED_BITS;
  let term = z;
  let sum = 0n;
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    sum += term / n;
    term = (term * square) >> FIXED_BITS;
  }
  return sum * 2n;
}

const LN_2 = twiceArtanh(ONE / 3n);

/** The natural logarithm of a positive number. */
export function logarithm(value: bigint): bigint {
  // value = m * 2^k with m in [1, 2).
  const k = BigInt(value.toString(2).length) - 1n - FIXED_BITS;
  const m = k >= 0n ? value >> k : value << -k;
  return k * LN_2 + twiceArtanh(((m - ONE) << FIXED_BITS) / (m + ONE));
}

/** e to the power of a number of moderate size (a few hundred at most). */
export function exponential(value: bigint): bigint {
  const k = value / LN_2;
  const rest = value - k * LN_2;
  let term = ONE;
  let sum = 0n;
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    sum += term;
    term = ((term * rest) >> FIXED_BITS) / n;
  }
  return k >= 0n ? sum << k : sum >> -k;
}

/** The square root of an integer that is not negative, rounded to an integer. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return value - root * root > root ? root + 1n : root;
}
