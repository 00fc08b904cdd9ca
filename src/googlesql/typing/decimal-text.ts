/** Exact decimals in text: NUMERIC (29 digits before the point, 9 after) and BIGNUMERIC (about 38 and 38). */

const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

const NUMERIC_MAX = 10n ** 38n - 1n;
const BIGNUMERIC_MAX = 2n ** 255n - 1n;

/**
 * The canonical text of a decimal, rounded half away from zero to the type's scale; undefined when it is none, or out
 * of range. With `isExact` a text with more digits than the type has after the point is none: a literal is not rounded.
 */
export function parseDecimalText(text: string, kind: "NUMERIC" | "BIGNUMERIC", isExact = false): string | undefined {
  const match = PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const whole = match[2] ?? "";
  const fraction = match[3] ?? "";
  if (whole === "" && fraction === "") return undefined;
  const scale = kind === "NUMERIC" ? 9 : 38;
  const exponent = Number(match[4] ?? 0);
  const shift = exponent - fraction.length + scale;
  const digits = (whole + fraction).replace(/^0+/, "") || "0";
  let unscaled: bigint;
  if (digits === "0") unscaled = 0n;
  else if (shift >= 0) {
    if (digits.length + shift > 80) return undefined;
    unscaled = BigInt(digits) * 10n ** BigInt(shift);
  } else {
    const kept = digits.length + shift;
    if (isExact && /[1-9]/.test(digits.slice(Math.max(kept, 0)))) return undefined;
    const head = kept > 0 ? BigInt(digits.slice(0, kept)) : 0n;
    unscaled = kept >= 0 && Number(digits[kept]) >= 5 ? head + 1n : head;
  }
  const isNegative = match[1] === "-" && unscaled !== 0n;
  const limit = kind === "NUMERIC" ? NUMERIC_MAX : isNegative ? BIGNUMERIC_MAX + 1n : BIGNUMERIC_MAX;
  if (unscaled > limit) return undefined;
  const padded = unscaled.toString().padStart(scale + 1, "0");
  const decimals = padded.slice(-scale).replace(/0+$/, "");
  return `${isNegative ? "-" : ""}${padded.slice(0, -scale)}${decimals === "" ? "" : `.${decimals}`}`;
}
