/**
 * Dates and times in text, as literals and coerced strings hold them. Source: the "Data types" page of the GoogleSQL
 * reference (canonical formats, ranges, time zones).
 */

const DATE_PATTERN = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME_PATTERN = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?$/;
const DATETIME_PATTERN = /^(\d{4}-\d{1,2}-\d{1,2})(?:(?:\s*[ Tt])(\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{0,9})?))?$/;
const TIMESTAMP_PATTERN =
  /^(\d{4}-\d{1,2}-\d{1,2})(?:[ Tt](\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.\d{0,9})?)?))?\s*(?:([Zz])|([+-]\d{1,2}(?::?\d{2})?)|([A-Za-z][A-Za-z0-9_+\-/]*))?$/;

const DAY_MICROS = 86_400_000_000n;

/** `YYYY-MM-DD`, or undefined when the text is no date from 0001-01-01 to 9999-12-31. */
export function parseDateText(text: string): string | undefined {
  const match = DATE_PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** `HH:MM:SS[.ffffff]`, or undefined when the text is no time. */
export function parseTimeText(text: string): string | undefined {
  const match = TIME_PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = (match[4] ?? "").slice(0, 6).padEnd(6, "0");
  const pad = (n: number): string => String(n).padStart(2, "0");
  return `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction === "000000" ? "" : `.${fraction}`}`;
}

/** `YYYY-MM-DDTHH:MM:SS[.ffffff]`, or undefined. A date alone is its midnight. */
export function parseDatetimeText(text: string): string | undefined {
  const match = DATETIME_PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const date = parseDateText(match[1] ?? "");
  const time = match[2] === undefined ? "00:00:00" : parseTimeText(match[2]);
  return date === undefined || time === undefined ? undefined : `${date}T${time}`;
}

/** Microseconds since 1970 UTC as integer text, or undefined. `zone` (an IANA name or an offset) is used when the text has none. */
export function parseTimestampText(text: string, zone: string): string | undefined {
  const match = TIMESTAMP_PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const date = parseDateText(match[1] ?? "");
  const clock = match[2] ?? "00:00:00";
  const time = parseTimeText(clock.split(":").length === 2 ? `${clock}:00` : clock);
  if (date === undefined || time === undefined) return undefined;
  const local = civilMicros(date, time);
  const named = match[3] !== undefined ? "UTC" : (match[4] ?? match[5] ?? zone);
  const offset =
    match[2] === undefined && match[5] === undefined && match[4] === undefined && match[3] === undefined ? zone : named;
  const micros = localToUtc(local, offset);
  if (micros === undefined || micros < -62_135_596_800_000_000n || micros > 253_402_300_799_999_999n) return undefined;
  return micros.toString();
}

/** Is it a time zone that the language takes: an IANA name, or an offset such as `+05:30`? */
export function isTimeZone(zone: string): boolean {
  return offsetMinutes(zone) !== undefined || zoneOffset(0n, zone) !== undefined;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function civilMicros(date: string, time: string): bigint {
  const milliseconds = Date.parse(`${date}T${time.slice(0, 8)}Z`);
  return BigInt(milliseconds) * 1000n + BigInt(time.slice(9).padEnd(6, "0") || "0");
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === "UTC" || zone === "Z" || zone === "z") return 0;
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > 14 * 60 || Number(match[3] ?? 0) > 59) return undefined;
  return match[1] === "-" ? -minutes : minutes;
}

/** A local time that a transition skips is read with the offset before it; one that occurs twice is its first occurrence. */
function localToUtc(local: bigint, zone: string): bigint | undefined {
  const fixed = offsetMinutes(zone);
  if (fixed !== undefined) return local - BigInt(fixed) * 60_000_000n;
  const before = zoneOffset(local - DAY_MICROS, zone);
  const after = zoneOffset(local + DAY_MICROS, zone);
  if (before === undefined || after === undefined) return undefined;
  if (before === after || zoneOffset(local - before, zone) === before) return local - before;
  return zoneOffset(local - after, zone) === after ? local - after : local - before;
}

function zoneOffset(utc: bigint, zone: string): bigint | undefined {
  // Newer versions of Node take offsets as names, also those out of GoogleSQL's range.
  if (/^[+-]/.test(zone)) return undefined;
  let formatter: Intl.DateTimeFormat;
  try {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
  } catch {
    return undefined;
  }
  const seconds = utc >= 0n || utc % 1_000_000n === 0n ? utc / 1_000_000n : utc / 1_000_000n - 1n;
  const parts = new Map(
    formatter.formatToParts(new Date(Number(seconds) * 1000)).map((part) => [part.type, part.value]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  const year = parts.get("era") === "BC" ? 1 - field("year") : field("year");
  const shown = new Date(0);
  shown.setUTCFullYear(year, field("month") - 1, field("day"));
  shown.setUTCHours(field("hour"), field("minute"), field("second"));
  return (BigInt(shown.getTime() / 1000) - seconds) * 1_000_000n;
}
