/** FORMAT over values that are text already. Source: FORMAT of the GoogleSQL string functions page. */

import { formatExponent } from "../../values/number-text.ts";
import { trimEnd } from "../../values/trim-end.ts";
import { prettyText } from "../json/json-inspect.ts";
import {
  type ExactDecimal,
  exactDecimal,
  exactDouble,
  fixedDigits,
  groupDigits,
  scientificDigits,
} from "../number/format-number.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** The kind of an argument: INT64, FLOAT64, NUMERIC or BIGNUMERIC, STRING, JSON, or anything else. */
export type FormatKind = "i" | "f" | "n" | "s" | "j" | "x";

interface Argument {
  readonly kind: FormatKind;
  /** As %t prints it; null for NULL. */
  readonly text: string | null;
  /** As %T prints it. */
  readonly literal: string | null;
}

interface Specifier {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

/** Wider or more precise output is an error: it would only fill memory. */
const MAX_SIZE = 1_000_000;

/** The maximum result, all arguments of one call together. */
const MAX_RESULT = 16_000_000;

const SPECIFIER = /%([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?([A-Za-z%]?)/g;

const KINDS_BY_LETTER: Readonly<Record<string, string>> = {
  ...{ d: "i", i: "i", u: "i", o: "i", x: "i", X: "i" },
  ...{ f: "fn", F: "fn", e: "fn", E: "fn", g: "fn", G: "fn" },
  ...{ s: "s", p: "j", P: "j", t: "ifnsjx", T: "ifnsjx" },
};

function checkSize(value: number): number {
  if (value > MAX_SIZE) throw new Error(`FORMAT: a width or precision of more than ${MAX_SIZE} is not supported`);
  return value;
}

function justify(text: string, { flags, width }: Specifier): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  return flags.includes("-") ? text + " ".repeat(missing) : " ".repeat(missing) + text;
}

/** A sign and digits, filled with zeros between them where the flags ask for it. */
function justifyNumber(sign: string, digits: string, specifier: Specifier, allowsZeros: boolean): string {
  const missing = specifier.width - sign.length - digits.length;
  if (allowsZeros && specifier.flags.includes("0") && !specifier.flags.includes("-") && missing > 0) {
    return sign + "0".repeat(missing) + digits;
  }
  return justify(sign + digits, specifier);
}

function signOf(isNegative: boolean, flags: string): string {
  if (isNegative) return "-";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function formatInteger(text: string, specifier: Specifier): string {
  const { flags, letter, precision } = specifier;
  const value = BigInt(text);
  const isDecimal = letter === "d" || letter === "i";
  if (letter === "u" && value < 0n) throw new Error("FORMAT: %u does not take a negative number");
  const radix = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10;
  let digits = (value < 0n ? -value : value).toString(radix);
  if (isDecimal && precision === 0 && value === 0n) digits = "";
  digits = digits.padStart(checkSize(precision ?? 0), "0");
  if (flags.includes("'")) digits = groupDigits(digits, radix === 10 ? 3 : 4, radix === 16 ? ":" : ",");
  let prefix = letter === "u" ? "" : signOf(value < 0n, flags);
  if (flags.includes("#") && !isDecimal) prefix += radix === 16 ? "0x" : radix === 8 ? "0" : "";
  const result = justifyNumber(prefix, digits, specifier, precision === undefined);
  return letter === "X" ? result.toUpperCase() : result;
}

function withPoint(whole: string, fraction: string, flags: string): string {
  return fraction !== "" || flags.includes("#") ? `${whole}.${fraction}` : whole;
}

function formatGeneral(value: ExactDecimal, flags: string, precision: number): string {
  const significant = Math.max(precision, 1);
  const own = value.scaled.toString().length;
  const digits = flags.includes("#") ? checkSize(significant) : Math.min(significant, own);
  const { whole, fraction, exponent } = scientificDigits(value, digits - 1);
  const trim = (text: string) => (flags.includes("#") ? text : trimEnd(text, "0"));
  if (exponent < -4 || exponent >= significant) {
    return withPoint(whole, trim(fraction), flags) + formatExponent(exponent);
  }
  const fixed = fixedDigits(value, Math.max(0, digits - 1 - exponent));
  const grouped = flags.includes("'") ? groupDigits(fixed.whole, 3, ",") : fixed.whole;
  return withPoint(grouped, trim(fixed.fraction), flags);
}

function formatFinite(value: ExactDecimal, kind: string, flags: string, precision: number): string {
  if (kind === "g") return formatGeneral(value, flags, precision);
  checkSize(precision);
  if (kind === "e") {
    const { whole, fraction, exponent } = scientificDigits(value, precision);
    return withPoint(whole, fraction, flags) + formatExponent(exponent);
  }
  const { whole, fraction } = fixedDigits(value, precision);
  return withPoint(flags.includes("'") ? groupDigits(whole, 3, ",") : whole, fraction, flags);
}

function formatReal(text: string, argument: Argument, specifier: Specifier): string {
  const { flags, letter } = specifier;
  const kind = letter.toLowerCase();
  const special = /^([+-]?)(inf|nan)/i.exec(text);
  let result: string;
  if (special !== null) {
    const sign = signOf(special[1] === "-", flags);
    result = justifyNumber(sign, (special[2] ?? "").toLowerCase(), specifier, false);
  } else {
    // A zero has no sign here, though %t shows one.
    const value = argument.kind === "f" ? exactDouble(Number(text) || 0) : exactDecimal(text);
    const digits = formatFinite(value, kind, flags, specifier.precision ?? 6);
    result = justifyNumber(signOf(value.isNegative, flags), digits, specifier, true);
  }
  return letter === kind ? result : result.toUpperCase();
}

function formatText(text: string, specifier: Specifier): string {
  const { precision } = specifier;
  return justify(precision === undefined ? text : [...text].slice(0, precision).join(""), specifier);
}

/** Null when the result is NULL. */
function formatArgument(argument: Argument, specifier: Specifier): string | null {
  const { letter } = specifier;
  if (letter === "t") return formatText(argument.text ?? "NULL", specifier);
  if (letter === "T") return formatText(argument.text === null ? "NULL" : (argument.literal ?? "NULL"), specifier);
  if (argument.text === null) return null;
  if (letter === "s" || letter === "p") return formatText(argument.text, specifier);
  if (letter === "P") return formatText(prettyText(argument.text), specifier);
  if (argument.kind === "i") return formatInteger(argument.text, specifier);
  return formatReal(argument.text, argument, specifier);
}

/** Formats; null when an argument that must not be NULL is. Throws where specifiers and arguments do not fit. */
export function formatValues(format: string, args: readonly Argument[]): string | null {
  let next = 0;
  let isNull = false;
  let size = 0;
  const takeArgument = (letter: string, kinds: string): Argument => {
    const argument = args[next++];
    if (argument === undefined) throw new Error("FORMAT: too few arguments for the format string");
    if (!kinds.includes(argument.kind) && !(argument.kind === "x" && argument.text === null)) {
      throw new Error(`FORMAT: argument ${next + 1} has the wrong type for %${letter}`);
    }
    return argument;
  };
  /** A width or precision that is written, or comes from an argument. */
  const takeSize = (source: string | undefined): number | undefined => {
    if (source === undefined) return undefined;
    if (source !== "*") return Number(source);
    const { text } = takeArgument("*", "i");
    if (text === null) isNull = true;
    return Number(text ?? 0);
  };
  const result = format.replace(
    SPECIFIER,
    (found: string, flags: string, widthText?: string, precisionText?: string, letter = "") => {
      if (found === "%%") return "%";
      const kinds = KINDS_BY_LETTER[letter];
      if (kinds === undefined) throw new Error(`FORMAT: invalid format specifier ${JSON.stringify(found)}`);
      const width = takeSize(widthText) ?? 0;
      const precision = takeSize(precisionText);
      const argument = takeArgument(letter, kinds);
      // A negative width justifies to the left; a negative precision counts as none.
      const specifier: Specifier = {
        flags: width < 0 ? `${flags}-` : flags,
        width: checkSize(Math.abs(width)),
        precision: precision === undefined || precision < 0 ? undefined : precision,
        letter,
      };
      const text = formatArgument(argument, specifier);
      if (text === null) isNull = true;
      size += text?.length ?? 0;
      if (size > MAX_RESULT) throw new Error(`FORMAT: a result of more than ${MAX_RESULT} characters is not supported`);
      return text ?? "";
    },
  );
  if (next < args.length) throw new Error("FORMAT: too many arguments for the format string");
  return isNull ? null : result;
}

/**
 * Returns the problem of a format string for arguments of these kinds, a letter each (`?` for one that fits
 * everywhere); undefined if there is none.
 */
export function formatProblem(format: string, kinds: string): string | undefined {
  let next = 0;
  for (const [found, , width, precision, letter = ""] of format.matchAll(SPECIFIER)) {
    if (found === "%%") continue;
    const own = KINDS_BY_LETTER[letter];
    if (own === undefined) return `FORMAT: invalid format specifier ${JSON.stringify(found)}`;
    const sizes = [width, precision].filter((size) => size === "*").map(() => ({ name: "*", allowed: "i" }));
    for (const { name, allowed } of [...sizes, { name: letter, allowed: own }]) {
      const kind = kinds[next++];
      if (kind === undefined) return "FORMAT: too few arguments for the format string";
      if (kind !== "?" && !allowed.includes(kind))
        return `FORMAT: argument ${next + 1} has the wrong type for %${name}`;
    }
  }
  return next < kinds.length ? "FORMAT: too many arguments for the format string" : undefined;
}

/**
 * The letters that take the arguments of a format string, one an argument (`*` for a width or precision); undefined
 * where the string is invalid.
 */
export function specifierLetters(format: string): string | undefined {
  let letters = "";
  for (const [found, , width, precision, letter = ""] of format.matchAll(SPECIFIER)) {
    if (found === "%%") continue;
    if (KINDS_BY_LETTER[letter] === undefined) return undefined;
    letters += (width === "*" ? "*" : "") + (precision === "*" ? "*" : "") + letter;
  }
  return letters;
}

/** Text and specifier letters in turn, where no specifier has flags, a width or a precision; undefined otherwise. */
export function plainParts(format: string): readonly { readonly text: string; readonly letter: string }[] | undefined {
  const parts: { text: string; letter: string }[] = [];
  let text = "";
  let at = 0;
  for (const match of format.matchAll(SPECIFIER)) {
    text += format.slice(at, match.index);
    at = match.index + match[0].length;
    const letter = match[4] ?? "";
    if (match[0] === "%%") text += "%";
    else if (match[0].length === 2 && KINDS_BY_LETTER[letter] !== undefined) {
      parts.push({ text, letter });
      text = "";
    } else return undefined;
  }
  return [...parts, { text: text + format.slice(at), letter: "" }];
}

/** May the letter stand for an argument of the kind? */
export function isLetterOf(letter: string, kind: FormatKind): boolean {
  return KINDS_BY_LETTER[letter]?.includes(kind) ?? false;
}

export const formatFunctions: readonly ScalarFunction[] = [
  defineFunction(
    "lw_format",
    ["STRING", "STRING", "STRING[]", "STRING[]"],
    "STRING",
    (format, kinds, texts, literals) =>
      formatValues(
        format,
        texts.map((text, index) => ({
          kind: (kinds[index] ?? "x") as FormatKind,
          text,
          literal: literals[index] ?? null,
        })),
      ),
  ),
];
