import { trimBoth, trimEnd } from "./trim-end.ts";
/**
 * INT64 and FLOAT64 as text, as GoogleSQL casts them. Source: the "Format of floating point values" rules of its
 * conversion functions.
 */

/** `e+07`. */
export function formatExponent(exponent: number): string {
  return `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A double in the fewest digits that identify it, the sign of a zero among them: what `Number` reads. */
export function shortestFloat64(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** As C prints it with `%.<precision>g`. */
function formatGeneral(value: number, precision: number): string {
  const [digits = "0", exponentText = "0"] = value.toExponential(precision - 1).split("e");
  const exponent = Number(exponentText);
  const trim = (text: string) => (text.includes(".") ? trimEnd(text, "0").replace(/\.$/, "") : text);
  if (exponent < -4 || exponent >= precision) return trim(digits) + formatExponent(exponent);
  return trim(value.toFixed(Math.max(0, precision - 1 - exponent)));
}

/** Fifteen digits where they give the value exactly, otherwise seventeen; `1`, `1e+20`, `NaN`, `inf`, `-inf`. */
export function formatFloat64(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return "0";
  if (Number.isSafeInteger(value) && Math.abs(value) < 1e15) return String(value);
  const short = formatGeneral(value, 15);
  return Number(short) === value ? short : formatGeneral(value, 17);
}

/** `0x1.8p3`, as C writes doubles: hexadecimal digits, times a power of two. */
function parseHexadecimal(text: string): number | undefined {
  const match = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d{1,6}))?$/i.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  const power = Number(exponent) - 4 * fraction.length;
  const half = Math.trunc(power / 2);
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** half * 2 ** (power - half);
  return sign === "-" ? -value : value;
}

/** Digits with or without a point, a sign and an exponent. */
export function isDecimalNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
}

/**
 * A decimal or hexadecimal number, with or without an exponent, or an infinity or NaN in any case; spaces around it
 * do not matter, and beyond the range it is an infinity. Undefined for other texts.
 */
export function parseFloat64(text: string): number | undefined {
  const trimmed = trimBoth(text, "\t\n\v\f\r ");
  if (isDecimalNumber(trimmed)) return Number(trimmed);
  const hexadecimal = parseHexadecimal(trimmed);
  if (hexadecimal !== undefined) return hexadecimal;
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (special === null) return undefined;
  if (special[2]?.toLowerCase() === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Whether the integer has 64 bits at most. */
export function isInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}

/**
 * A decimal or `0x` hexadecimal integer, with a sign and spaces around it allowed. Undefined for other texts, and
 * beyond 64 bits.
 */
export function parseInt64(text: string): bigint | undefined {
  const match = /^[\t-\r ]*([+-]?)(\d+|0[xX][0-9a-fA-F]+)[\t-\r ]*$/.exec(text);
  if (match === null || match[2] === undefined) return undefined;
  const magnitude = BigInt(match[2]);
  const value = match[1] === "-" ? -magnitude : magnitude;
  return isInt64(value) ? value : undefined;
}
