/**
 * Dates and times in text: the canonical formats of the "Data types" page of the GoogleSQL reference. Literals, coerced
 * strings and the casts of engines are read by these rules; what is not valid for the type is undefined.
 */
import {
  type Civil,
  civilFromDays,
  daysFromCivil,
  floorDivide,
  isTimestampInRange,
  isValidDay,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  microsFromCivil,
} from "./calendar.ts";
import { type FindTimeZone, formatOffset, type TimeZone, utcFromWall, wholeMinutesOffset } from "./time-zone.ts";

const TIME_PATTERN = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?`;
const DATE_PATTERN = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const datePattern = new RegExp(`^${DATE_PATTERN}$`);
const timePattern = new RegExp(`^${TIME_PATTERN}$`);
const datetimePattern = new RegExp(`^${DATE_PATTERN}(?:[ Tt]${TIME_PATTERN})?$`);
const timestampPattern = new RegExp(
  String.raw`^(\d{4,5})-(\d{1,2})-(\d{1,2})(?:[ Tt](?:${TIME_PATTERN}(?<zone>[+-].*|[Zz]| [^+-].*)?|(?<offset>[+-].*)))?$`,
);

const MAX_ZONE_LENGTH = 64;

/** Microseconds of the digits behind a second's point; what is finer is cut. */
export function microsOfFraction(digits = ""): number {
  return Number(digits.slice(0, 6).padEnd(6, "0"));
}

/** A leap second is the next minute's first, of no microseconds. */
function readFields(parts: readonly (string | undefined)[]): Civil | undefined {
  const numbers = parts.slice(0, 6).map((part) => Number(part ?? 0));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (year < 1 || !isValidDay(year, month, day) || hour > 23 || minute > 59 || second > 60) return undefined;
  return { year, month, day, hour, minute, second, micros: second === 60 ? 0 : microsOfFraction(parts[6]) };
}

/** `YYYY-[M]M-[D]D` as days since 1970-01-01. */
export function parseDate(text: string): number | undefined {
  const match = datePattern.exec(text);
  const fields = match === null ? undefined : readFields(match.slice(1));
  return fields === undefined ? undefined : daysFromCivil(fields);
}

/** `[H]H:[M]M:[S]S[.DDDDDD]` as microseconds since midnight. */
export function parseTime(text: string): bigint | undefined {
  const match = timePattern.exec(text);
  const fields = match === null ? undefined : readFields(["1970", "1", "1", ...match.slice(1)]);
  return fields === undefined ? undefined : microsFromCivil(fields) % MICROS_PER_DAY;
}

/** `YYYY-[M]M-[D]D[( |T)[H]H:[M]M:[S]S[.DDDDDD]]` as microseconds of the wall clock since 1970-01-01. */
export function parseDatetime(text: string): bigint | undefined {
  const match = datetimePattern.exec(text);
  const fields = match === null ? undefined : readFields(match.slice(1));
  return fields === undefined ? undefined : inRange(microsFromCivil(fields));
}

/**
 * A datetime of five digits of a year at most, with an optional zone (`Z`, an offset, or a space and a zone's name), as
 * microseconds since 1970-01-01 UTC. Throws where the default zone, which a text without one has, cannot be found.
 */
export function parseTimestamp(text: string, defaultZone: string, find: FindTimeZone): bigint | undefined {
  const match = timestampPattern.exec(text);
  const fields = match === null ? undefined : readFields(match.slice(1, 8));
  if (fields === undefined) return undefined;
  const suffix = match?.groups?.zone ?? match?.groups?.offset;
  const zone = suffix === undefined ? find(defaultZone) : namedZone(suffix, find);
  return zone === undefined ? undefined : inRange(utcFromWall(microsFromCivil(fields), zone));
}

function namedZone(suffix: string, find: FindTimeZone): TimeZone | undefined {
  if (suffix === "Z" || suffix === "z") return find("UTC");
  const name = suffix.startsWith(" UTC") && suffix.length > 4 ? suffix.slice(4) : suffix.trimStart();
  if (name.length > MAX_ZONE_LENGTH || suffix.startsWith("  ")) return undefined;
  try {
    return find(name);
  } catch {
    return undefined;
  }
}

function inRange(micros: bigint): bigint | undefined {
  return isTimestampInRange(micros) ? micros : undefined;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

/** `YYYY-MM-DD`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `HH:MM:SS` of microseconds since midnight, and what is left of a second. */
function formatClock(micros: bigint): readonly [clock: string, rest: number] {
  const seconds = Number(micros / MICROS_PER_SECOND);
  const clock = `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
  return [clock, Number(micros % MICROS_PER_SECOND)];
}

/** `HH:MM:SS` of microseconds since midnight, with exactly six decimals when they are not all zero, as answers have it. */
export function formatTime(micros: bigint): string {
  const [clock, rest] = formatClock(micros);
  return rest === 0 ? clock : `${clock}.${pad(rest, 6)}`;
}

/** `YYYY-MM-DD<separator>HH:MM:SS[.DDDDDD]` of a wall clock, as answers have it. */
export function formatDatetime(micros: bigint, separator = "T"): string {
  const [days, time] = floorDivide(micros, MICROS_PER_DAY);
  return `${formatDate(Number(days))}${separator}${formatTime(time)}`;
}

/** The fraction of a second with its point: three or six digits, or nothing. */
export function formatFraction(micros: number): string {
  if (micros === 0) return "";
  return micros % 1000 === 0 ? `.${pad(micros / 1000, 3)}` : `.${pad(micros, 6)}`;
}

/** `HH:MM:SS[.DDD[DDD]]` of microseconds since midnight, as casts write it. */
export function formatTimeText(micros: bigint): string {
  const [clock, rest] = formatClock(micros);
  return clock + formatFraction(rest);
}

/** `YYYY-MM-DD HH:MM:SS[.DDD[DDD]]` of a wall clock, as casts write it. */
export function formatDatetimeText(micros: bigint): string {
  const [days, time] = floorDivide(micros, MICROS_PER_DAY);
  return `${formatDate(Number(days))} ${formatTimeText(time)}`;
}

/**
 * A datetime as the zone's clocks show it, and the zone's offset: `2024-01-02 03:04:05+00`, with minutes only where
 * they are not zero.
 */
export function formatTimestampText(utc: bigint, zone: TimeZone): string {
  const offsetSeconds = wholeMinutesOffset(utc, zone);
  const wall = formatDatetimeText(utc + BigInt(offsetSeconds) * MICROS_PER_SECOND);
  const offset = formatOffset(offsetSeconds, ":");
  return wall + (offset.endsWith(":00") ? offset.slice(0, -3) : offset);
}
