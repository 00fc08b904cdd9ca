import { isLosslessNumber, parse as parseLossless } from "lossless-json";
import { WideNumber } from "../engines/contract/query-engine.ts";

/** Where an integer of 16 digits or more may stand in a list or an object. Hits inside strings only cost time. */
const longInteger = /[:,[]\s*-?(\d{16,})(?=\s*[,\]}])/g;

/** Where a number beyond doubles may stand: a large exponent, or more digits than the largest double has. */
const wideNumber = /\d[eE]\+?0*[1-9]\d\d|\d{309}/;

/**
 * `JSON.parse`, except that integers beyond 2^53 arrive as bigint instead of losing their last digits, and other
 * numbers beyond doubles as `WideNumber`. Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  for (const [, digits] of text.matchAll(longInteger)) {
    if (Number(digits) > Number.MAX_SAFE_INTEGER) return parseLossless(text, keepNumbers);
  }
  if (wideNumber.test(text)) return parseLossless(text, keepNumbers);
  return JSON.parse(text);
}

function keepNumbers(_key: string, value: unknown): unknown {
  if (!isLosslessNumber(value)) return value;
  const source = value.toString();
  const number = Number(source);
  if (/^-?\d+$/.test(source) && !Number.isSafeInteger(number)) return BigInt(source);
  return Number.isFinite(number) ? number : new WideNumber(source);
}
