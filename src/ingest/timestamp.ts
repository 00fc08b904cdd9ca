import { isTimestampInRange } from "../values/calendar.ts";
import { parseIsoTimestamp } from "../values/iso-timestamp.ts";

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
 * Microseconds since 1970 of a Unix time, whose unit the digits before its point show: 10 seconds, 13 milliseconds,
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

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const mailDate =
  /^(?:[A-Za-z]{3,9}, *)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{4}) (\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) *(GMT|UTC?|Z|[ECMP][SD]T|[+-]\d{4})?(?: *\([^()]*\))?$/;

/** The zones that RFC 5322, section 4.3, still lets messages name. */
const namedZones: ReadonlyMap<string, string> = new Map([
  ["GMT", "Z"],
  ["UT", "Z"],
  ["UTC", "Z"],
  ["EST", "-0500"],
  ["EDT", "-0400"],
  ["CST", "-0600"],
  ["CDT", "-0500"],
  ["MST", "-0700"],
  ["MDT", "-0600"],
  ["PST", "-0800"],
  ["PDT", "-0700"],
]);

/**
 * Microseconds since 1970 of a date as mail and HTTP write it: `Tue, 10 Mar 2026 12:00:00 +0100` (RFC 5322, RFC 2822;
 * RFC 9110). The day's name may be left out and is not checked; without a zone it is UTC. Undefined for anything
 * else.
 */
function parseMailDate(text: string): bigint | undefined {
  const [, day, monthName = "", year, time, zone = "Z"] = mailDate.exec(text) ?? [];
  const month = months.indexOf(monthName.toLowerCase()) + 1;
  if (day === undefined || month === 0) return undefined;
  const date = `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  return parseIsoTimestamp(`${date}T${time}${namedZones.get(zone) ?? zone}`)?.us;
}
