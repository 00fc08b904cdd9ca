import { parseBytes, parseGoDuration } from "../logql/scan-logql.ts";
import { compileRegexp } from "./regexp.ts";

/** A number with decimals, as Go distinguishes it from a whole one. */
export interface Float {
  readonly float: number;
}

/** A value of a template; a number is a whole one. */
export type TemplateValue = string | number | boolean | Float;

/** A value as Go's `print` writes it. */
export function textOfValue(value: TemplateValue): string {
  if (typeof value !== "object") return String(value);
  const { float } = value;
  if (!Number.isFinite(float)) return String(float).replace("Infinity", "Inf").replace(/^I/, "+I");
  const [digits = "", sign = "", exponent = "0"] = float.toExponential().split(/e([+-])/);
  const isPlain = sign === "-" ? Number(exponent) <= 4 : Number(exponent) < 6;
  return isPlain ? String(float) : `${digits}e${sign}${exponent.padStart(2, "0")}`;
}

type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

/** Characters of a text that a function repeats at most. */
const maxRepeated = 100_000;

const onText =
  (run: (text: string, ...others: string[]) => TemplateValue): TemplateFunction =>
  (...values) => {
    const [text = "", ...others] = values.map(textOfValue);
    return run(text, ...others);
  };
/** The text that is worked on comes last, so that it can be piped. */
const onLastText =
  (run: (text: string, ...others: string[]) => TemplateValue): TemplateFunction =>
  (...values) => {
    const texts = values.map(textOfValue);
    return run(texts.at(-1) ?? "", ...texts.slice(0, -1));
  };
const toNumber = (value: TemplateValue): number => {
  if (typeof value === "object") return value.float;
  const number = typeof value === "string" ? Number(value.trim() === "" ? Number.NaN : value) : Number(value);
  return Number.isNaN(number) ? 0 : number;
};
const onNumbers =
  (run: (...numbers: number[]) => number, isWhole: boolean): TemplateFunction =>
  (...values) => {
    const numbers = values.map(toNumber).map((each) => (isWhole ? Math.trunc(each) : each));
    const result = run(...numbers);
    if (isWhole && !Number.isFinite(result)) throw new Error("division by zero");
    return isWhole ? Math.trunc(result) : { float: result };
  };
/** Sums, differences and products are computed with decimals, to more digits than a number shows. */
const withDecimals = (run: (...numbers: number[]) => number) =>
  onNumbers((...numbers) => Number(run(...numbers).toPrecision(15)), false);
const toFloat = (run: (text: string) => number) => onText((text) => ({ float: run(text) }));
const sum = (...numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
const product = (...numbers: number[]) => numbers.reduce((a, b) => a * b, 1);
const minus = (a = 0, b = 0) => a - b;
const quotient = (a = 0, b = 0) => a / b;

/** Throws for values of different kinds, as Go does. */
function compare(a: TemplateValue = "", b: TemplateValue = ""): number {
  if (typeof a !== typeof b) throw new Error("incompatible types for comparison");
  if (typeof a === "number" || typeof a === "object") return toNumber(a) - toNumber(b);
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A part of a text by bytes, of which one may be a part of a character. */
const sliceBytes = (text: string, from: number, to?: number) => Buffer.from(text).subarray(from, to).toString();

const isTrue = (value: TemplateValue | undefined) =>
  value !== undefined && value !== "" && value !== 0 && value !== false && textOfValue(value) !== "0";

function printf(format: TemplateValue = "", ...values: readonly TemplateValue[]): string {
  let next = 0;
  return textOfValue(format).replaceAll(
    /%([-+ 0]*)(\d+)?(?:\.(\d+))?([sdvqfxtgT%])/g,
    (_, flags, width, precision, verb) => {
      if (verb === "%") return "%";
      const value = values[next++];
      if (value === undefined) return `%!${verb}(MISSING)`;
      const shown = formatVerb(verb, value, precision === undefined ? undefined : Math.min(Number(precision), 100));
      const length = Math.min(Number(width ?? 0), 1_000);
      if (flags.includes("-")) return shown.padEnd(length);
      return shown.padStart(length, flags.includes("0") ? "0" : " ");
    },
  );
}

function formatVerb(verb: string, value: TemplateValue, precision: number | undefined): string {
  if (verb === "q") return JSON.stringify(textOfValue(value));
  if (verb === "f") return toNumber(value).toFixed(precision ?? 6);
  if (verb === "d") return String(Math.trunc(toNumber(value)));
  if (verb === "x" && typeof value === "number") return value.toString(16);
  if (verb === "x") return Buffer.from(textOfValue(value)).toString("hex");
  const text = textOfValue(value);
  return verb === "s" && precision !== undefined ? [...text].slice(0, precision).join("") : text;
}

/** Makes a text exactly so many characters wide; one that is too wide loses what stands on the other side. */
function align(fill: (characters: readonly string[], width: number, pad: string) => string): TemplateFunction {
  return (count = 0, text = "") => {
    const width = Math.max(0, Math.trunc(toNumber(count)));
    if (width > maxRepeated) throw new Error(`a text is aligned to at most ${maxRepeated} characters`);
    const characters = [...textOfValue(text)];
    return fill(characters, width, " ".repeat(Math.max(0, width - characters.length)));
  };
}

function trimSide(text: string, cutset: string, side: "left" | "right" | "both"): string {
  const characters = [...text];
  let [start, end] = [0, characters.length];
  while (side !== "right" && start < end && cutset.includes(characters[start] ?? "")) start++;
  while (side !== "left" && end > start && cutset.includes(characters[end - 1] ?? "")) end--;
  return characters.slice(start, end).join("");
}

const indent = (text: string, count: string) =>
  text.replaceAll(/^/gm, " ".repeat(Math.max(0, Math.min(toNumber(count), 1_000))));
const title = (text: string) => text.replaceAll(/(?<!\w)\w/g, (letter) => letter.toUpperCase());
const regexps = {
  regexReplaceAll: (source = "", text = "", replacement = "") => compileRegexp(source).replaceAll(text, replacement),
  regexReplaceAllLiteral: (source = "", text = "", replacement = "") =>
    compileRegexp(source).replaceAll(text, replacement.replaceAll("$", "$$$$")),
  count: (source = "", text = "") => compileRegexp(source).count(text),
} as const;

/** The functions of Loki's templates, as far as they are answered; dates are not. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  ToLower: onText((text) => text.toLowerCase()),
  ToUpper: onText((text) => text.toUpperCase()),
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  title: onText(title),
  Title: onText(title),
  Replace(text = "", old = "", replacement = "", count = -1) {
    const most = toNumber(count);
    const parts = textOfValue(text).split(textOfValue(old));
    const replaced = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
    const head = parts.slice(0, replaced + 1).join(textOfValue(replacement));
    return [head, ...parts.slice(replaced + 1)].join(textOfValue(old));
  },
  replace: onLastText((text, old = "", replacement = "") => text.replaceAll(old, () => replacement)),
  Trim: onText((text, cutset = "") => trimSide(text, cutset, "both")),
  TrimLeft: onText((text, cutset = "") => trimSide(text, cutset, "left")),
  TrimRight: onText((text, cutset = "") => trimSide(text, cutset, "right")),
  TrimPrefix: onText((text, prefix = "") => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  TrimSuffix: onText((text, suffix = "") =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  TrimSpace: onText((text) => text.trim()),
  trim: onText((text) => text.trim()),
  trimAll: onLastText((text, cutset = "") => trimSide(text, cutset, "both")),
  trimPrefix: onLastText((text, prefix = "") => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  trimSuffix: onLastText((text, suffix = "") =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  trunc(count = 0, text = "") {
    const [most, whole] = [Math.trunc(toNumber(count)), textOfValue(text)];
    return most < 0 ? sliceBytes(whole, most) : sliceBytes(whole, 0, most);
  },
  substr(start = 0, end = 0, text = "") {
    const [from, to] = [Math.max(0, toNumber(start)), toNumber(end)];
    const whole = textOfValue(text);
    return sliceBytes(whole, from, to < 0 || to > Buffer.byteLength(whole) ? undefined : to);
  },
  alignLeft: align((characters, width, pad) => characters.slice(0, width).join("") + pad),
  alignRight: align((characters, width, pad) => {
    return pad + characters.slice(Math.max(0, characters.length - width)).join("");
  }),
  contains: onLastText((text, part = "") => text.includes(part)),
  hasPrefix: onLastText((text, prefix = "") => text.startsWith(prefix)),
  hasSuffix: onLastText((text, suffix = "") => text.endsWith(suffix)),
  repeat: onLastText((text, count = "0") => {
    const times = Math.max(0, Math.trunc(toNumber(count)));
    if (text.length * times > maxRepeated) throw new Error(`repeat makes at most ${maxRepeated} characters`);
    return text.repeat(times);
  }),
  nindent: onLastText((text, count = "0") => `\n${indent(text, count)}`),
  indent: onLastText((text, count = "0") => indent(text, count)),
  default: (fallback = "", value = "") => (isTrue(value) ? value : fallback),
  len: onText((text) => Buffer.byteLength(text)),
  print: (...values) => values.map(textOfValue).join(""),
  printf,
  eq: (a = "", ...others) => others.some((each) => compare(a, each) === 0),
  ne: (a, b) => compare(a, b) !== 0,
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  and: (...values) => values.find((each) => !isTrue(each)) ?? values.at(-1) ?? "",
  or: (...values) => values.find(isTrue) ?? values.at(-1) ?? "",
  not: (value) => !isTrue(value),
  add: onNumbers(sum, true),
  sub: onNumbers(minus, true),
  mul: onNumbers(product, true),
  div: onNumbers(quotient, true),
  mod: onNumbers((a = 0, b = 0) => a % b, true),
  addf: withDecimals(sum),
  subf: withDecimals(minus),
  mulf: withDecimals(product),
  divf: onNumbers((...numbers) => Number(quotient(...numbers).toFixed(16)), false),
  max: onNumbers((...numbers) => Math.max(...numbers), true),
  min: onNumbers((...numbers) => Math.min(...numbers), true),
  maxf: onNumbers((...numbers) => Math.max(...numbers), false),
  minf: onNumbers((...numbers) => Math.min(...numbers), false),
  ceil: onNumbers((a = 0) => Math.ceil(a), false),
  floor: onNumbers((a = 0) => Math.floor(a), false),
  round: onNumbers((a = 0, digits = 0) => Math.round(a * 10 ** digits) / 10 ** digits, false),
  int: onNumbers((a = 0) => a, true),
  float64: onNumbers((a = 0) => a, false),
  bytes: toFloat((text) => parseBytes(text) ?? 0),
  duration: toFloat((text) => (parseGoDuration(text) ?? 0) / 1e9),
  duration_seconds: toFloat((text) => (parseGoDuration(text) ?? 0) / 1e9),
  urlencode: onText((text) => encodeURIComponent(text).replaceAll("%20", "+")),
  urldecode: onText((text) => decodeURIComponent(text.replaceAll("+", " "))),
  b64enc: onText((text) => Buffer.from(text).toString("base64")),
  b64dec: onText((text) => Buffer.from(text, "base64").toString()),
  regexReplaceAll: (...values) => regexps.regexReplaceAll(...values.map(textOfValue)),
  regexReplaceAllLiteral: (...values) => regexps.regexReplaceAllLiteral(...values.map(textOfValue)),
  count: (...values) => regexps.count(...values.map(textOfValue)),
};
