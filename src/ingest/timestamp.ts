import { isTimestampInRange } from "../values/calendar.ts";
import { parseIsoTimestamp } from "../values/iso-timestamp.ts";
import { parseMailDate } from "./mail-date.ts";

/** A Unix time as text: digits, and a fraction. */
const unixText = /^(\d{1,20})(?:\.(\d*))?$/;

/**
 * Microseconds since 1970 of a time as events carry it: a Unix time (number or digits), ISO 8601 (UTC where it names
 * no zone; a date alone is its midnight), or the form of mail and HTTP (RFC 5322, RFC 9110). Undefined for anything
 * else.
 */
export function readTimestamp(value: unknown): bigint | undefined {
  switch (typeof value) {
    case "bigint":
      return parseUnixText(value.toString());
    case "number":
      // The shortest text that reads as the number: its digits are the ones that were sent.
      return Number.isFinite(value) ? parseUnixText(plainText(value)) : undefined;
    case "string": {
      const text = value.trim();
      return parseUnixText(text) ?? parseIsoTimestamp(text.replace(/ ?(?:UTC|GMT)$/, "Z"))?.us ?? parseMailDate(text);
    }
    default:
      return undefined;
  }
}

/** Without an exponent. Fractions finer than a microsecond have none that counts. */
function plainText(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(9);
}

/**
 * Microseconds since 1970 of a Unix time, whose unit the digits before its point tell: 10 seconds, 13 milliseconds,
 * 16 microseconds, 19 nanoseconds; any other count is taken as microseconds. Undefined for what is none, or out of
 * range.
 */
function parseUnixText(text: string): bigint | undefined {
  const [, digits = "", fraction = ""] = unixText.exec(text) ?? [];
  if (digits === "") return undefined;
  const us = scale(digits, fraction, decimalsOf(digits.length));
  return isTimestampInRange(us) ? us : undefined;
}

/** How many decimals the unit of a number of so many digits is from a microsecond. */
function decimalsOf(digits: number): number {
  switch (digits) {
    case 10:
      return 6;
    case 13:
      return 3;
    case 19:
      return -3;
    default:
      return 0;
  }
}

/** The number times ten to the power of `decimals`; what is left of a fraction is dropped. */
function scale(digits: string, fraction: string, decimals: number): bigint {
  if (decimals < 0) return BigInt(digits) / 10n ** BigInt(-decimals);
  return BigInt(digits + fraction.slice(0, decimals).padEnd(decimals, "0"));
}

/** Microseconds since 1970 of seconds with a fraction, whatever their number; undefined for what is none. */
export function parseUnixSeconds(text: string): bigint | undefined {
  const [, digits = "", fraction = ""] = unixText.exec(text) ?? [];
  if (digits === "") return undefined;
  const us = scale(digits, fraction, 6);
  return isTimestampInRange(us) ? us : undefined;
}
