/** CAST(number AS STRING FORMAT ...). */
import { absolute, divideRounded } from "../../values/decimal.ts";
import { formatExponent } from "../../values/number-text.ts";
import { trimBoth, trimEnd } from "../../values/trim-end.ts";
import { type NumberFormat, readNumberFormat } from "./cast-number-elements.ts";

/** A number to format: `unscaled` divided by 10^scale, or what is no number. */
export type FormattedNumber =
  | {
      readonly kind: "finite";
      readonly isNegative: boolean;
      readonly unscaled: bigint;
      readonly scale: number;
      /**
       * How the rest beyond the format's digits is rounded: halves to even for FLOAT64, away from zero for decimals.
       */
      readonly rounding: "ROUND_HALF_EVEN" | "ROUND_HALF_AWAY_FROM_ZERO";
    }
  | { readonly kind: "infinity"; readonly isNegative: boolean }
  | { readonly kind: "nan" };

/** A decimal as a number to format. */
export function fromDecimal(unscaled: bigint, scale: number): FormattedNumber {
  return {
    kind: "finite",
    isNegative: unscaled < 0n,
    unscaled: absolute(unscaled),
    scale,
    rounding: "ROUND_HALF_AWAY_FROM_ZERO",
  };
}

/** A FLOAT64 as a number to format, exactly. */
export function fromDouble(value: number): FormattedNumber {
  if (Number.isNaN(value)) return { kind: "nan" };
  if (!Number.isFinite(value)) return { kind: "infinity", isNegative: value < 0 };
  let mantissa = Math.abs(value);
  let scale = 0;
  // Multiplying by two is exact, and a fraction of n binary digits has n decimal ones.
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    scale += 1;
  }
  const unscaled = BigInt(mantissa) * 5n ** BigInt(scale);
  return { kind: "finite", isNegative: value < 0, unscaled, scale, rounding: "ROUND_HALF_EVEN" };
}

interface DigitParts {
  readonly isNegative: boolean;
  /** Without leading zeros: empty below one. */
  readonly integer: string;
  readonly fraction: string;
  /** `+05`, `-11`; empty where the format has none. */
  readonly exponent: string;
}

type FiniteNumber = FormattedNumber & { readonly kind: "finite" };

function roundTo({ unscaled, scale, rounding }: FiniteNumber, digits: number): bigint {
  if (scale <= digits) return unscaled * 10n ** BigInt(digits - scale);
  return divideRounded(unscaled, 10n ** BigInt(scale - digits), rounding);
}

function splitAtPoint(rounded: bigint, scale: number): readonly [string, string] {
  const text = rounded.toString().padStart(scale + 1, "0");
  const integer = text.slice(0, text.length - scale);
  return [integer === "0" ? "" : integer, text.slice(text.length - scale)];
}

function fixedParts(number: FiniteNumber, scale: number): DigitParts {
  const [integer, fraction] = splitAtPoint(roundTo(number, scale), scale);
  return { isNegative: number.isNegative, integer, fraction, exponent: "" };
}

function exponentParts(number: FiniteNumber, scale: number): DigitParts {
  if (number.unscaled === 0n) {
    return { isNegative: number.isNegative, integer: "", fraction: "0".repeat(scale), exponent: "+00" };
  }
  let exponent = number.unscaled.toString().length - 1 - number.scale;
  let digits = roundTo({ ...number, scale: number.scale + exponent }, scale);
  if (digits.toString().length > scale + 1) {
    // Rounding carried: 9.99 is 1.0e+01.
    exponent += 1;
    digits = roundTo({ ...number, scale: number.scale + exponent }, scale);
  }
  const [integer, fraction] = splitAtPoint(digits, scale);
  return { isNegative: number.isNegative, integer, fraction, exponent: formatExponent(exponent).slice(1) };
}

function signAround(format: NumberFormat, isNegative: boolean, isBlank: boolean): readonly [string, string] {
  const pick = (negative: string, positive: string) => (isBlank ? " " : isNegative ? negative : positive);
  switch (format.sign) {
    case "S-front":
      return [pick("-", "+"), ""];
    case "S-back":
      return ["", pick("-", "+")];
    case "MI":
      return ["", pick("-", " ")];
    case "PR":
      return [pick("<", " "), pick(">", " ")];
    case "none":
      return [pick("-", " "), ""];
  }
}

function assemble(
  format: NumberFormat,
  padding: number,
  sign: readonly [string, string],
  currency: string,
  digits: string,
): string {
  const text = `${" ".repeat(padding)}${sign[0]}${currency}${digits}${sign[1]}`;
  return format.isCompact ? trimBoth(text, " ") : text;
}

function printFraction(format: NumberFormat, parts: DigitParts, isOverflow: boolean, isBlank: boolean): string {
  let text = "";
  let index = 0;
  for (const element of format.elements.slice(format.pointIndex)) {
    if (element === ".") text += isBlank ? " " : ".";
    else if (element === "E" || element === "e") {
      text += isOverflow ? "####" : isBlank ? "    " : element + parts.exponent;
    } else if (element !== "V") {
      const digit = parts.fraction.charAt(index);
      index += 1;
      text += isOverflow ? "#" : digit === "" ? "" : isBlank ? " " : digit;
    }
  }
  return text;
}

/** The integer part from its last digit to its first; elements before it are left for blanks. */
function printInteger(
  format: NumberFormat,
  parts: DigitParts,
  isOverflow: boolean,
  isBlank: boolean,
): { text: string; padding: number } {
  const digits = parts.integer === "" ? "0" : parts.integer;
  let text = "";
  let digitIndex = digits.length - 1;
  let index = format.pointIndex - 1;
  for (; index >= 0; index--) {
    const isLeadingZero = format.firstZero !== -1 && index >= format.firstZero;
    if (digitIndex < 0 && !isLeadingZero) break;
    if (format.elements[index] === ",") {
      text = (isBlank ? " " : ",") + text;
    } else {
      const digit = digitIndex < 0 ? "0" : digits.charAt(digitIndex);
      text = (isOverflow ? "#" : isBlank ? " " : digit) + text;
      digitIndex -= 1;
    }
  }
  return { text, padding: index + 1 };
}

function formatFinite(format: NumberFormat, number: FiniteNumber): string {
  const exact = format.hasExponent ? exponentParts(number, format.scale) : fixedParts(number, format.scale);
  const parts = format.isCompact ? { ...exact, fraction: trimEnd(exact.fraction, "0") } : exact;
  const isOverflow = parts.integer.length > format.integerDigits;
  const isBlank = format.isBlankWhenZero && parts.integer === "";
  const fraction = printFraction(format, parts, isOverflow, isBlank);
  const hasLeadingZero = format.firstZero !== -1 && format.firstZero < format.pointIndex;
  const needsInteger = parts.integer !== "" || format.hasExponent || hasLeadingZero || parts.fraction === "";
  const integer =
    format.integerDigits > 0 && needsInteger
      ? printInteger(format, parts, isOverflow, isBlank)
      : { text: "", padding: format.pointIndex };
  const currency = isBlank ? " ".repeat(format.currency.length) : format.currency;
  return assemble(
    format,
    integer.padding,
    signAround(format, parts.isNegative, isBlank),
    currency,
    integer.text + fraction,
  );
}

function formatSpecial(format: NumberFormat, name: string, isNegative: boolean): string {
  const sides = signAround(format, isNegative, name === "NAN");
  const sign: readonly [string, string] =
    name === "NAN" ? [" ".repeat(sides[0].length), " ".repeat(sides[1].length)] : sides;
  if (format.hasExponent) return assemble(format, format.elements.length, sign, format.currency, name);
  const isOverflow = format.pointIndex < name.length;
  const fraction = format.elements.slice(format.pointIndex).filter((element) => element !== "V");
  const blanks = fraction.map((element) => (isOverflow ? (element === "." ? "." : "#") : " ")).join("");
  const digits = format.elements.slice(0, format.pointIndex);
  const hashes = digits.map((element) => (element === "," ? "," : "#")).join("");
  const integer = isOverflow ? hashes : name;
  return assemble(format, isOverflow ? 0 : format.pointIndex - name.length, sign, format.currency, integer + blanks);
}

const MAX_UINT64 = 2n ** 64n - 1n;

function formatHexadecimal(format: NumberFormat, number: FormattedNumber): string {
  const rounded =
    number.kind === "finite" ? roundTo({ ...number, rounding: "ROUND_HALF_AWAY_FROM_ZERO" }, 0) : MAX_UINT64 + 1n;
  const digits = rounded > MAX_UINT64 ? "0".repeat(17) : rounded.toString(16);
  const width = format.elements.length;
  const isNegative = number.kind !== "nan" && number.isNegative;
  const sign = signAround(format, isNegative, false);
  if (digits.length > width) return assemble(format, 0, sign, "", "#".repeat(width));
  const firstPrinted = Math.min(width - digits.length, format.firstZero === -1 ? width : format.firstZero);
  const printed = digits.padStart(width - firstPrinted, "0");
  const cased = [...printed].map((digit, index) =>
    format.elements[firstPrinted + index] === "X" ? digit.toUpperCase() : digit,
  );
  return assemble(format, firstPrinted, sign, "", cased.join(""));
}

/** A printer of numbers by the format. */
export function compileNumberFormat(text: string): (number: FormattedNumber) => string {
  const format = readNumberFormat(text);
  return (number) => {
    if (format.kind === "hexadecimal") return formatHexadecimal(format, number);
    if (number.kind === "finite") return formatFinite(format, number);
    return formatSpecial(
      format,
      number.kind === "nan" ? "NAN" : "INF",
      number.kind === "infinity" && number.isNegative,
    );
  };
}
