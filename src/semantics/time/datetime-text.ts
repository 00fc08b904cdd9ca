/**
 * Dates and times as the casts from and to STRING write them: the canonical formats of GoogleSQL's "Data types" page.
 * The parsers return undefined if the text is not valid for the type.
 */
import { readDate, readDatetime, readTime, readTimestamp } from "../../googlesql/typing/temporal-text.ts";
import { daysFromCivil, formatDate } from "./calendar.ts";
import {
  type Civil,
  floorDivide,
  MAX_MICROS,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  MIN_MICROS,
  microsFromCivil,
} from "./civil.ts";
import { fieldsOfInstant, formatOffset } from "./datetime-fields.ts";
import { type FindTimeZone, type TimeZone, utcFromWall } from "./time-zone.ts";

function inRange(micros: bigint | undefined): bigint | undefined {
  return micros !== undefined && micros >= MIN_MICROS && micros <= MAX_MICROS ? micros : undefined;
}

function microsOf(fields: Civil | undefined): bigint | undefined {
  return fields === undefined ? undefined : microsFromCivil(fields);
}

/** `YYYY-[M]M-[D]D` as days since 1970-01-01. */
export function parseDateText(text: string): number | undefined {
  const fields = readDate(text);
  return fields === undefined ? undefined : daysFromCivil(fields);
}

/** `[H]H:[M]M:[S]S[.DDDDDD]` as microseconds since midnight. */
export function parseTimeText(text: string): bigint | undefined {
  const micros = microsOf(readTime(text));
  return micros === undefined ? undefined : micros % MICROS_PER_DAY;
}

/** `YYYY-[M]M-[D]D[( |T)[H]H:[M]M:[S]S[.DDDDDD]]` as microseconds of the wall clock since 1970-01-01. */
export function parseDatetimeText(text: string): bigint | undefined {
  return inRange(microsOf(readDatetime(text)));
}

/**
 * A datetime with an optional zone (`Z`, an offset, or a space and a zone's name) as microseconds since 1970-01-01
 * UTC.
 */
export function parseTimestampText(text: string, defaultZone: string, find: FindTimeZone): bigint | undefined {
  const parsed = readTimestamp(text);
  if (parsed === undefined) return undefined;
  if (parsed.zone === undefined) return inRange(utcFromWall(microsFromCivil(parsed.fields), find(defaultZone)));
  let zone: TimeZone;
  try {
    zone = find(parsed.zone);
  } catch {
    return undefined;
  }
  return inRange(utcFromWall(microsFromCivil(parsed.fields), zone));
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

/**
 * A datetime as the zone's clocks show it, and the zone's offset: `2024-01-02 03:04:05+00`, with minutes only where
 * they are not zero.
 */
export function formatTimestampText(utc: bigint, zone: TimeZone): string {
  const { offsetSeconds } = fieldsOfInstant(utc, zone);
  const wall = formatDatetimeText(utc + BigInt(offsetSeconds) * MICROS_PER_SECOND);
  const offset = formatOffset(offsetSeconds, ":");
  return wall + (offset.endsWith(":00") ? offset.slice(0, -3) : offset);
}
