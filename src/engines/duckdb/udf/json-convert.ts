/** JSON values to and from SQL values. Source: "Converters" and "Lax converters" of the GoogleSQL JSON functions page. */
import { parseJson } from "../../../googlesql/json/json-parser.ts";
import {
  canonicalNumber,
  formatJson,
  formatJsonDouble,
  isJsonArray,
  JsonNumber,
  type JsonValue,
  type WideNumberMode,
} from "../../../googlesql/json/json-value.ts";
import { BIGNUMERIC_DECIMAL, parseDecimal } from "../decimal.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

function wideNumberMode(mode: string): WideNumberMode {
  if (mode !== "exact" && mode !== "round")
    throw new Error(`Invalid wide_number_mode '${mode}': expected 'exact' or 'round'`);
  return mode;
}

/** A canonical text, so it parses; its doubles are exact. */
function read(text: string): JsonValue {
  return parseJson(text, "round");
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

function inInt64(value: bigint): bigint | undefined {
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** The number when it is a whole one of 64 bits. */
function wholeNumber(text: string): bigint | undefined {
  if (/^-?\d+$/.test(text)) return inInt64(BigInt(text));
  const value = Number(text);
  return Number.isInteger(value) ? inInt64(BigInt(value)) : undefined;
}

function toInt64(value: JsonValue): bigint {
  if (!(value instanceof JsonNumber)) throw new Error("The provided JSON input is not an integer");
  const whole = wholeNumber(value.text);
  if (whole === undefined) throw new Error(`The provided JSON number: ${value.text} cannot be converted to an integer`);
  return whole;
}

function toFloat64(value: JsonValue, mode: WideNumberMode): number {
  if (!(value instanceof JsonNumber)) throw new Error("The provided JSON input is not a number");
  const number = Number(value.text);
  if (mode === "exact" && /^-?\d+$/.test(value.text) && BigInt(number) !== BigInt(value.text)) {
    throw new Error(`The provided JSON number: ${value.text} cannot be converted to double without loss of precision`);
  }
  return number;
}

function toText(value: JsonValue): string {
  if (typeof value !== "string") throw new Error("The provided JSON input is not a string");
  return value;
}

function toBool(value: JsonValue): bigint {
  if (typeof value !== "boolean") throw new Error("The provided JSON input is not a boolean");
  return value ? 1n : 0n;
}

function laxBool(value: JsonValue): bigint | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (value instanceof JsonNumber) return Number(value.text) === 0 ? 0n : 1n;
  if (typeof value !== "string") return null;
  const word = value.toLowerCase();
  return word === "true" ? 1n : word === "false" ? 0n : null;
}

/** Halves away from zero, as a cast of BIGNUMERIC to INT64 rounds. */
function laxInt64(value: JsonValue): bigint | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== "string" || /\s/.test(text)) return null;
  const scaled = parseDecimal(text, BIGNUMERIC_DECIMAL);
  if (scaled === undefined) return null;
  const half = scaled < 0n ? -BIGNUMERIC_DECIMAL.one / 2n : BIGNUMERIC_DECIMAL.one / 2n;
  return inInt64((scaled + half) / BIGNUMERIC_DECIMAL.one) ?? null;
}

function laxFloat64(value: JsonValue): number | null {
  if (value instanceof JsonNumber) return Number(value.text);
  if (typeof value !== "string") return null;
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(value);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return Number.NaN;
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : null;
}

function laxText(value: JsonValue): string | null {
  if (typeof value === "string") return value;
  if (value instanceof JsonNumber) return value.text;
  return typeof value === "boolean" ? String(value) : null;
}

function strictArray<T>(text: string, convert: (value: JsonValue) => T): readonly T[] {
  const value = read(text);
  if (!isJsonArray(value)) throw new Error("The provided JSON input is not an array");
  return value.map(convert);
}

function laxArray<T>(text: string, convert: (value: JsonValue) => T | null): readonly (T | null)[] | null {
  const value = read(text);
  return isJsonArray(value) ? value.map(convert) : null;
}

/** A NUMERIC or BIGNUMERIC, by its canonical text, as JSON. */
function decimalToJson(text: string, stringifyWide: boolean): string {
  const isWhole = /^-?\d+$/.test(text);
  const isExact = isWhole ? BigInt(Number(text)) === BigInt(text) : isExactNumber(text);
  if (stringifyWide && !isExact) return JSON.stringify(text);
  return canonicalNumber(text, "exact").text;
}

function isExactNumber(text: string): boolean {
  try {
    canonicalNumber(text, "exact");
    return true;
  } catch {
    return false;
  }
}

function doubleToJson(value: number): string {
  return Number.isFinite(value) ? formatJsonDouble(value) : `"${value}"`;
}

export const jsonConvertUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_parse_json", ["VARCHAR", "VARCHAR"], "VARCHAR", (text, mode) =>
    formatJson(parseJson(text, wideNumberMode(mode))),
  ),
  defineUdf("lw_json_string_text", ["VARCHAR"], "VARCHAR", (text) => JSON.stringify(text)),
  defineUdf("lw_json_double", ["DOUBLE"], "VARCHAR", doubleToJson),
  defineUdf("lw_json_decimal", ["VARCHAR", "BOOLEAN"], "VARCHAR", decimalToJson),
  defineUdf("lw_json_int64", ["VARCHAR"], "BIGINT", (text) => toInt64(read(text))),
  defineUdf("lw_json_float64", ["VARCHAR", "VARCHAR"], "DOUBLE", (text, mode) =>
    toFloat64(read(text), wideNumberMode(mode)),
  ),
  defineUdf("lw_json_int64_array", ["VARCHAR"], "BIGINT[]", (text) => strictArray(text, toInt64)),
  defineUdf("lw_json_bool_array", ["VARCHAR"], "BIGINT[]", (text) => strictArray(text, toBool)),
  defineUdf("lw_json_string_array", ["VARCHAR"], "VARCHAR[]", (text) => strictArray(text, toText)),
  defineUdf("lw_json_float64_array", ["VARCHAR", "VARCHAR"], "DOUBLE[]", (text, mode) =>
    strictArray(text, (value) => toFloat64(value, wideNumberMode(mode))),
  ),
  defineUdf("lw_json_lax_int64", ["VARCHAR"], "BIGINT", (text) => laxInt64(read(text))),
  defineUdf("lw_json_lax_float64", ["VARCHAR"], "DOUBLE", (text) => laxFloat64(read(text))),
  defineUdf("lw_json_lax_bool", ["VARCHAR"], "BIGINT", (text) => laxBool(read(text))),
  defineUdf("lw_json_lax_string", ["VARCHAR"], "VARCHAR", (text) => laxText(read(text))),
  defineUdf("lw_json_lax_int64_array", ["VARCHAR"], "BIGINT[]", (text) => laxArray(text, laxInt64)),
  defineUdf("lw_json_lax_float64_array", ["VARCHAR"], "DOUBLE[]", (text) => laxArray(text, laxFloat64)),
  defineUdf("lw_json_lax_bool_array", ["VARCHAR"], "BIGINT[]", (text) => laxArray(text, laxBool)),
  defineUdf("lw_json_lax_string_array", ["VARCHAR"], "VARCHAR[]", (text) => laxArray(text, laxText)),
];
