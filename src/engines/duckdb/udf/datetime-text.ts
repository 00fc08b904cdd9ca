/**
 * Dates and times as the casts from and to STRING write them: the canonical formats of GoogleSQL's "Data types" page.
 * The parsers answer undefined where the text is none of the type.
 */
import { daysFromCivil, formatDate } from "../calendar.ts";
import {
  type Civil,
  floorDivide,
  isValidDay,
  MAX_DAYS,
  MAX_MICROS,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  MIN_DAYS,
  MIN_MICROS,
  microsFromCivil,
} from "./civil.ts";
import { fieldsOfInstant, formatOffset } from "./datetime-fields.ts";
import { type FindTimeZone, type TimeZone, utcFromWall } from "./time-zone.ts";

const TIME_PATTERN = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?`;
const DATE_PATTERN = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const datePattern = new RegExp(`^${DATE_PATTERN}$`);
const timePattern = new RegExp(`^${TIME_PATTERN}$`);
const datetimePattern = new RegExp(`^${DATE_PATTERN}(?:[ Tt]${TIME_PATTERN})?$`);
const timestampPattern = new RegExp(
  String.raw`^(\d{4,5})-(\d{1,2})-(\d{1,2})(?:[ Tt](?:${TIME_PATTERN}|(?=[+-])))?(?<zone>[+-].*|[Zz]| [^+-].*)?$`,
);

const MAX_ZONE_LENGTH = 64;

function readTimeOfDay(
  parts: readonly (string | undefined)[],
): Pick<Civil, "hour" | "minute" | "second" | "micros"> | undefined {
  const [hour = 0, minute = 0, second = 0] = parts.slice(0, 3).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // A leap second is the first of the next minute.
  const micros = second === 60 ? 0 : Number((parts[3] ?? "").padEnd(6, "0"));
  return { hour, minute, second, micros };
}

function readDatetime(parts: readonly (string | undefined)[]): bigint | undefined {
  const [year = 0, month = 0, day = 0] = parts.slice(0, 3).map(Number);
  const time = readTimeOfDay(parts.slice(3));
  if (time === undefined || !isValidDay(year, month, day)) return undefined;
  return microsFromCivil({ year, month, day, ...time });
}

function inRange(micros: bigint | undefined): bigint | undefined {
  return micros !== undefined && micros >= MIN_MICROS && micros <= MAX_MICROS ? micros : undefined;
}

/** `YYYY-[M]M-[D]D` as days since 1970-01-01. */
export function parseDateText(text: string): number | undefined {
  const match = datePattern.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  if (!isValidDay(year, month, day)) return undefined;
  const days = daysFromCivil({ year, month, day });
  return days >= MIN_DAYS && days <= MAX_DAYS ? days : undefined;
}

/** `[H]H:[M]M:[S]S[.DDDDDD]` as microseconds since midnight. */
export function parseTimeText(text: string): bigint | undefined {
  const match = timePattern.exec(text);
  const time = match === null ? undefined : readTimeOfDay(match.slice(1));
  if (time === undefined) return undefined;
  return microsFromCivil({ year: 1970, month: 1, day: 1, ...time }) % MICROS_PER_DAY;
}

/** `YYYY-[M]M-[D]D[( |T)[H]H:[M]M:[S]S[.DDDDDD]]` as microseconds of the wall clock since 1970-01-01. */
export function parseDatetimeText(text: string): bigint | undefined {
  const match = datetimePattern.exec(text);
  return match === null ? undefined : inRange(readDatetime(match.slice(1)));
}

function readZone(text: string | undefined, defaultZone: string, find: FindTimeZone): TimeZone | undefined {
  if (text === undefined) return find(defaultZone);
  if (text === "Z" || text === "z") return find("UTC");
  const name = text.startsWith(" UTC") && text.length > 4 ? text.slice(4) : text.trimStart();
  if (name.length > MAX_ZONE_LENGTH || text.startsWith("  ")) return undefined;
  try {
    return find(name);
  } catch {
    return undefined;
  }
}

/** A datetime with an optional zone (`Z`, an offset, or a space and a zone's name) as microseconds since 1970-01-01 UTC. */
export function parseTimestampText(text: string, defaultZone: string, find: FindTimeZone): bigint | undefined {
  const match = timestampPattern.exec(text);
  if (match === null) return undefined;
  const wall = readDatetime(match.slice(1, 8));
  const zone = readZone(match.groups?.zone, defaultZone, find);
  return wall === undefined || zone === undefined ? undefined : inRange(utcFromWall(wall, zone));
}

/** The fraction of a second with its point: three or six digits, or nothing. */
function formatFraction(micros: number): string {
  if (micros === 0) return "";
  return micros % 1000 === 0 ? `.${String(micros / 1000).padStart(3, "0")}` : `.${String(micros).padStart(6, "0")}`;
}

function formatClock(micros: bigint): string {
  const [wholeSeconds, fraction] = floorDivide(micros, MICROS_PER_SECOND);
  const seconds = Number(wholeSeconds);
  const fields = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return fields.map((field) => String(field).padStart(2, "0")).join(":") + formatFraction(Number(fraction));
}

/** `HH:MM:SS[.DDD[DDD]]` of microseconds since midnight. */
export function formatTimeText(micros: bigint): string {
  return formatClock(micros);
}

/** `YYYY-MM-DD HH:MM:SS[.DDD[DDD]]` of a wall clock. */
export function formatDatetimeText(micros: bigint): string {
  const [days, time] = floorDivide(micros, MICROS_PER_DAY);
  return `${formatDate(Number(days))} ${formatClock(time)}`;
}

/** A datetime as the zone's clocks show it, and the zone's offset: `2024-01-02 03:04:05+00`, with minutes only where they are not zero. */
export function formatTimestampText(utc: bigint, zone: TimeZone): string {
  const { offsetSeconds } = fieldsOfInstant(utc, zone);
  const wall = formatDatetimeText(utc + BigInt(offsetSeconds) * MICROS_PER_SECOND);
  const offset = formatOffset(offsetSeconds, ":");
  return wall + (offset.endsWith(":00") ? offset.slice(0, -3) : offset);
}
