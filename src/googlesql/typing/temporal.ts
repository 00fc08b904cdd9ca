/**
 * Dates and times in text as the canonical values of literals. Source: the "Data types" page of the GoogleSQL reference
 * (ranges, time zones).
 */
import { readDate, readDatetime, readOffset, readTime, readTimestamp, type TemporalFields } from "./temporal-text.ts";

const DAY_MICROS = 86_400_000_000n;
const MIN_MICROS = -62_135_596_800_000_000n;
const MAX_MICROS = 253_402_300_799_999_999n;

/** `YYYY-MM-DD`, or undefined when the text is no date from 0001-01-01 to 9999-12-31. */
export function parseDateText(text: string): string | undefined {
  const fields = readDate(text);
  return fields === undefined ? undefined : formatDatetime(microsOf(fields)).slice(0, 10);
}

/** `HH:MM:SS[.ffffff]`, or undefined when the text is no time. */
export function parseTimeText(text: string): string | undefined {
  const fields = readTime(text);
  return fields === undefined ? undefined : formatDatetime(microsOf(fields)).slice(11);
}

/** `YYYY-MM-DDTHH:MM:SS[.ffffff]`, or undefined. A date alone is its midnight. */
export function parseDatetimeText(text: string): string | undefined {
  const fields = readDatetime(text);
  const micros = fields === undefined ? undefined : inRange(microsOf(fields));
  return micros === undefined ? undefined : formatDatetime(micros);
}

/**
 * Microseconds since 1970 UTC as integer text, or undefined. `zone` (an IANA name or an offset) is used when the text
 * has none.
 */
export function parseTimestampText(text: string, zone: string): string | undefined {
  const parsed = readTimestamp(text);
  if (parsed === undefined) return undefined;
  const micros = localToUtc(microsOf(parsed.fields), parsed.zone ?? zone);
  return micros === undefined ? undefined : inRange(micros)?.toString();
}

function inRange(micros: bigint): bigint | undefined {
  return micros < MIN_MICROS || micros > MAX_MICROS ? undefined : micros;
}

function microsOf({ year, month, day, hour, minute, second, micros }: TemporalFields): bigint {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return BigInt(date.getTime()) * 1000n + BigInt(micros);
}

function formatDatetime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const text = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return fraction === 0n ? text : `${text}.${fraction.toString().padStart(6, "0")}`;
}

/** Is it a time zone that the language takes: an IANA name, or an offset such as `+05:30`? */
export function isTimeZone(zone: string): boolean {
  return isOffset(zone) || zoneOffset(0n, zone) !== undefined;
}

function isOffset(zone: string): boolean {
  const offset = readOffset(zone);
  return offset !== undefined && !Number.isNaN(offset);
}

/**
 * A local time that a transition skips is read with the offset before it; one that occurs twice is its first
 * occurrence.
 */
function localToUtc(local: bigint, zone: string): bigint | undefined {
  const fixed = zone === "UTC" ? 0 : readOffset(zone);
  if (fixed !== undefined) return Number.isNaN(fixed) ? undefined : local - BigInt(fixed) * 1_000_000n;
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
