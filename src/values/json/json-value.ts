import { formatExponent, isInt64 } from "../number-text.ts";
import { trimEnd } from "../trim-end.ts";
/**
 * Values of the JSON type. A JSON value is held as canonical text: no white space, members of an object sorted by
 * name (in the order of their UTF-8 bytes), the first of several members of one name, integers of 64 bits (signed or
 * unsigned) as they are, and every other number as the nearest double. Source: "JSON type" of the GoogleSQL data
 * types page.
 */

/** A number by its canonical text. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** Says how to read a number that is neither a 64-bit integer nor exactly a double: as an error, or the nearest double. */
export type WideNumberMode = "exact" | "round";

export function isJsonArray(value: JsonValue): value is JsonArray {
  return Array.isArray(value);
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return value instanceof Map;
}

const HAS_SURROGATE = /[\ud800-\udfff]/;

/** Orders texts by their UTF-8 bytes, which is the order of their code points. */
export function compareText(left: string, right: string): number {
  if (HAS_SURROGATE.test(left) || HAS_SURROGATE.test(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The canonical text of a value. */
export function formatJson(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof JsonNumber) return value.text;
  if (isJsonArray(value)) return `[${value.map(formatJson).join(",")}]`;
  const members = [...value].sort(([left], [right]) => compareText(left, right));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${formatJson(member)}`).join(",")}}`;
}

/**
 * The canonical text of a finite double: the shortest digits that read back as it, and always a point or an exponent.
 */
export function formatJsonDouble(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "", exponentText = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(exponentText);
  const sign = value < 0 ? "-" : "";
  if (exponent >= 15 || exponent < -4) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return sign + digits.slice(0, 1) + fraction + formatExponent(exponent);
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Significant digits and the power of ten of the first of them, so that equal decimal numbers give equal texts. */
function decimalIdentity(text: string): string {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const [, whole = "", fraction = "", exponent = "0"] = match ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const leadingZeros = whole.length + fraction.length - digits.length;
  const significant = trimEnd(digits, "0");
  return significant === "" ? "0" : `${significant}e${Number(exponent) + whole.length - leadingZeros}`;
}

/**
 * The canonical form of a number's source text. Throws where it does not fit (see `WideNumberMode`), or is beyond
 * every double.
 */
export function canonicalNumber(text: string, mode: WideNumberMode): JsonNumber {
  if (text.length <= 15 && /^-?\d+$/.test(text)) return new JsonNumber(text === "-0" ? "0" : text);
  if (/^-?\d+$/.test(text)) {
    const integer = BigInt(text);
    if (isInt64(integer) || (integer > 0n && integer <= MAX_UINT64)) return new JsonNumber(String(integer));
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`JSON number out of range: ${text}`);
  const canonical = formatJsonDouble(value);
  if (mode === "exact" && decimalIdentity(text) !== decimalIdentity(canonical)) {
    throw new Error(`JSON number cannot be stored without loss of precision: ${text}`);
  }
  return new JsonNumber(canonical);
}
