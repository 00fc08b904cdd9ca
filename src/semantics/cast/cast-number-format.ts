/** CAST(number AS STRING FORMAT ...). */
import { absolute } from "../../values/decimal.ts";
import { formatExponent } from "../../values/number-text.ts";
import { trimBoth, trimEnd } from "../../values/trim-end.ts";
import { type ExactDecimal, exactDouble, fixedDigits, scientificDigits } from "../number/format-number.ts";
import { type NumberFormat, readNumberFormat } from "./cast-number-elements.ts";

/** A number to format: exact, or what is no number. */
export type FormattedNumber = ExactDecimal | "NAN" | "INF" | "-INF";

/** A decimal as a number to format. */
export function fromDecimal(unscaled: bigint, scale: number): FormattedNumber {
  return {
    isNegative: unscaled < 0n,
    scaled: absolute(unscaled),
    scale,
    rounding: "ROUND_HALF_AWAY_FROM_ZERO",
  };
}

/** A FLOAT64 as a number to format, exactly. A zero has no sign. */
export function fromDouble(value: number): FormattedNumber {
  if (Number.isNaN(value)) return "NAN";
  if (!Number.isFinite(value)) return value < 0 ? "-INF" : "INF";
  return exactDouble(value === 0 ? 0 : value);
}

interface DigitParts {
  readonly isNegative: boolean;
  /** Without leading zeros: empty below one. */
  readonly integer: string;
  readonly fraction: string;
  /** `+05`, `-11`; empty where the format has none. */
  readonly exponent: string;
}

/** Without a zero before the point: below one nothing stands there. */
function wholeDigits(whole: string): string {
  return whole === "0" ? "" : whole;
}

function digitsOf(number: ExactDecimal, { hasExponent, scale }: NumberFormat): DigitParts {
  const { isNegative } = number;
  if (!hasExponent) {
    const { whole, fraction } = fixedDigits(number, scale);
    return { isNegative, integer: wholeDigits(whole), fraction, exponent: "" };
  }
  const { whole, fraction, exponent } = scientificDigits(number, scale);
  return { isNegative, integer: wholeDigits(whole), fraction, exponent: formatExponent(exponent).slice(1) };
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

function formatFinite(format: NumberFormat, number: ExactDecimal): string {
  const exact = digitsOf(number, format);
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
  const isExact = typeof number === "object";
  const rounded = isExact
    ? BigInt(fixedDigits({ ...number, rounding: "ROUND_HALF_AWAY_FROM_ZERO" }, 0).whole)
    : MAX_UINT64 + 1n;
  const digits = rounded > MAX_UINT64 ? "0".repeat(17) : rounded.toString(16);
  const width = format.elements.length;
  const sign = signAround(format, isExact ? number.isNegative : number === "-INF", false);
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
    if (typeof number === "object") return formatFinite(format, number);
    return formatSpecial(format, number.replace("-", ""), number === "-INF");
  };
}
