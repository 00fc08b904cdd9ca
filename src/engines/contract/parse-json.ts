import { isLosslessNumber, parse as parseLossless } from "lossless-json";
import { WideNumber } from "./event-store.ts";

/**
 * Where a number may stand that a double does not hold: an integer of 16 digits or more, a large exponent, or more
 * digits than the largest double has. Only what follows a colon, a comma, a bracket or the text's beginning is looked
 * at, so that ids and hashes (`"4e512..."`) are passed over; a hit inside a string costs time and changes nothing.
 */
const longNumber = /(?:^|[:,[])\s*-?(?:(\d{16,})(?=\s*(?:[,\]}]|$))|\d+(?:\.\d+)?[eE]\+?0*[1-9]\d\d|\d{309})/g;

/** Holds wherever `longNumber` does behind a separator, at three quarters of its time. */
const suspect = /[:,[]\s*-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;

const startsAsNumber = /^\s*-?\d/;

/** Whether a JSON text may hold numbers that `JSON.parse` would change. */
export function mayHoldLongNumbers(text: string): boolean {
  if (!suspect.test(text) && !startsAsNumber.test(text)) return false;
  for (const [, integer] of text.matchAll(longNumber)) {
    if (integer === undefined || Number(integer) > Number.MAX_SAFE_INTEGER) return true;
  }
  return false;
}

/**
 * `JSON.parse`, except that integers beyond 2^53 arrive as bigint instead of losing their last digits, and other
 * numbers beyond doubles as `WideNumber`. Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return mayHoldLongNumbers(text) ? parseLossless(text, keepNumbers) : JSON.parse(text);
}

function keepNumbers(_key: string, value: unknown): unknown {
  if (!isLosslessNumber(value)) return value;
  const source = value.toString();
  const number = Number(source);
  if (/^-?\d+$/.test(source) && !Number.isSafeInteger(number)) return BigInt(source);
  return Number.isFinite(number) ? number : new WideNumber(source);
}
