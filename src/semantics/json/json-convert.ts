/**
 * JSON values to and from SQL values. Source: "Converters" and "Lax converters" of the GoogleSQL JSON functions page.
 */
import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { BIGNUMERIC_DECIMAL, divideRounded, parseDecimal } from "../../values/decimal.ts";
import { parseJson } from "../../values/json/json-parser.ts";
import {
  canonicalNumber,
  formatJson,
  formatJsonDouble,
  isJsonArray,
  JsonNumber,
  type JsonValue,
  type WideNumberMode,
} from "../../values/json/json-value.ts";
import { formatFloat64, isInt64, parseFloat64 } from "../../values/number-text.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

function wideNumberMode(mode: string): WideNumberMode {
  if (mode !== "exact" && mode !== "round")
    throw new Error(`Invalid wide_number_mode '${mode}': expected 'exact' or 'round'`);
  return mode;
}

/** A canonical text, so it parses; its doubles are exact. */
function read(text: string): JsonValue {
  return parseJson(text, "round");
}

/** The number when it is a whole one of 64 bits. */
function wholeNumber(text: string): bigint | undefined {
  const value = /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  return isInt64(BigInt(value)) ? BigInt(value) : undefined;
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
  const rounded = divideRounded(scaled, BIGNUMERIC_DECIMAL.one);
  return isInt64(rounded) ? rounded : null;
}

function laxFloat64(value: JsonValue): number | null {
  if (value instanceof JsonNumber) return Number(value.text);
  if (typeof value !== "string") return null;
  return /[\sx]/i.test(value) ? null : (parseFloat64(value) ?? null);
}

function laxText(value: JsonValue): string | null {
  if (typeof value === "string") return value;
  if (value instanceof JsonNumber) return /^-?\d+$/.test(value.text) ? value.text : formatFloat64(Number(value.text));
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

export const jsonConvertFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_parse_json", ["STRING", "STRING"], "STRING", (text, mode) =>
    formatJson(parseJson(text, wideNumberMode(mode))),
  ),
  defineFunction("lw_json_string_text", ["STRING"], "STRING", (text) => JSON.stringify(text), NEVER_FAILS),
  defineFunction("lw_json_double", ["FLOAT64"], "STRING", doubleToJson, NEVER_FAILS),
  defineFunction("lw_json_decimal", ["STRING", "BOOL"], "STRING", decimalToJson),
  defineFunction("lw_json_int64", ["STRING"], "INT64", (text) => toInt64(read(text))),
  defineFunction("lw_json_float64", ["STRING", "STRING"], "FLOAT64", (text, mode) =>
    toFloat64(read(text), wideNumberMode(mode)),
  ),
  defineFunction("lw_json_int64_array", ["STRING"], "INT64[]", (text) => strictArray(text, toInt64)),
  defineFunction("lw_json_bool_array", ["STRING"], "INT64[]", (text) => strictArray(text, toBool)),
  defineFunction("lw_json_string_array", ["STRING"], "STRING[]", (text) => strictArray(text, toText)),
  defineFunction("lw_json_float64_array", ["STRING", "STRING"], "FLOAT64[]", (text, mode) =>
    strictArray(text, (value) => toFloat64(value, wideNumberMode(mode))),
  ),
  defineFunction("lw_json_lax_int64", ["STRING"], "INT64", (text) => laxInt64(read(text))),
  defineFunction("lw_json_lax_float64", ["STRING"], "FLOAT64", (text) => laxFloat64(read(text))),
  defineFunction("lw_json_lax_bool", ["STRING"], "INT64", (text) => laxBool(read(text))),
  defineFunction("lw_json_lax_string", ["STRING"], "STRING", (text) => laxText(read(text))),
  defineFunction("lw_json_lax_int64_array", ["STRING"], "INT64[]", (text) => laxArray(text, laxInt64)),
  defineFunction("lw_json_lax_float64_array", ["STRING"], "FLOAT64[]", (text) => laxArray(text, laxFloat64)),
  defineFunction("lw_json_lax_bool_array", ["STRING"], "INT64[]", (text) => laxArray(text, laxBool)),
  defineFunction("lw_json_lax_string_array", ["STRING"], "STRING[]", (text) => laxArray(text, laxText)),
];
