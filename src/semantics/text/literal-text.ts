/**
 * Values as literals of the language and as ISO 8601 has them. Source: "Lexical structure" of the GoogleSQL
 * reference.
 */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { parseInterval } from "../../values/interval.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { toLatin1 } from "./bytes.ts";

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/**
 * Escapes control characters, backslashes and the given quotes; with `asciiOnly`, for bytes, everything beyond ASCII
 * too and all of it by its number.
 */
function escapeText(text: string, quotes: string, asciiOnly: boolean): string {
  let result = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isPlain = code >= 32 && code !== 127 && (code < 127 || !asciiOnly);
    if (SHORT_ESCAPES[character] !== undefined && (!asciiOnly || character === "\\"))
      result += SHORT_ESCAPES[character];
    else if (quotes.includes(character)) result += `\\${character}`;
    else result += isPlain ? character : `\\x${code.toString(16).padStart(2, "0")}`;
  }
  return result;
}

/** In double quotes, unless only they stand in the text. */
function quoted(text: string, asciiOnly: boolean): string {
  const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
  return quote + escapeText(text, quote, asciiOnly) + quote;
}

function part(value: number, letter: string): string {
  return value === 0 ? "" : `${value}${letter}`;
}

/** An INTERVAL's canonical text as an ISO 8601 duration, `P1Y2M3DT4H5M6.789S`; `P0Y` for none. */
function isoDuration(text: string): string {
  const { months, days, micros } = parseInterval(text);
  const date = part(Math.trunc(months / 12), "Y") + part(months % 12, "M") + part(days, "D");
  const seconds = micros % 60_000_000n;
  const hours = part(Number(micros / 3_600_000_000n), "H") + part(Number((micros / 60_000_000n) % 60n), "M");
  const time = hours + part(Number(seconds) / 1e6, "S");
  return date + time === "" ? "P0Y" : `P${date}${time === "" ? "" : `T${time}`}`;
}

export const literalTextFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_string_literal", ["STRING"], "STRING", (text) => quoted(text, false), NEVER_FAILS),
  defineFunction("lw_bytes_literal", ["BYTES"], "STRING", (bytes) => `b${quoted(toLatin1(bytes), true)}`, NEVER_FAILS),
  defineFunction(
    "lw_bytes_escaped",
    ["BYTES"],
    "STRING",
    (bytes) => escapeText(toLatin1(bytes), "\"'", true),
    NEVER_FAILS,
  ),
  defineFunction("lw_interval_iso", ["STRING"], "STRING", isoDuration),
];
