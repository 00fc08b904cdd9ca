import { type Civil, civilFromMicros, daysFromCivil, MICROS_PER_SECOND } from "../../values/calendar.ts";
import { type TimeZone, wholeMinutesOffset } from "../../values/time-zone.ts";

/** January first. */
export const MONTH_NAMES: readonly string[] =
  "January February March April May June July August September October November December".split(" ");

/** Sunday first. */
export const WEEKDAY_NAMES: readonly string[] = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** The values that format elements print: a local time, and its offset from UTC. */
export interface DatetimeFields extends Civil {
  /** Since 1970-01-01. */
  readonly days: number;
  /** Whole minutes, in seconds. */
  readonly offsetSeconds: number;
  /** Seconds since 1970-01-01 UTC. */
  readonly unixSeconds: number;
}

/** The fields of a DATE, DATETIME or TIME, given as a wall clock in microseconds since 1970-01-01. */
export function fieldsOfWall(wall: bigint, offsetSeconds = 0): DatetimeFields {
  const { year, month, day, hour, minute, second, micros } = civilFromMicros(wall);
  const days = daysFromCivil({ year, month, day });
  const unixSeconds = days * 86_400 + (hour * 60 + minute) * 60 + second - offsetSeconds;
  return { year, month, day, hour, minute, second, micros, days, offsetSeconds, unixSeconds };
}

/**
 * The fields of an instant in a zone. An offset with seconds (of local mean times) is cut to whole minutes, since it
 * could not be written otherwise.
 */
export function fieldsOfInstant(utc: bigint, zone: TimeZone): DatetimeFields {
  const offsetSeconds = wholeMinutesOffset(utc, zone);
  if (offsetSeconds === 0) return fieldsOfWall(utc);
  return fieldsOfWall(utc + BigInt(offsetSeconds) * MICROS_PER_SECOND, offsetSeconds);
}
