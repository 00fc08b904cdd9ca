import { civilFromDays } from "./calendar.ts";
import { type Civil, floorDivide, MICROS_PER_DAY, MICROS_PER_SECOND } from "./civil.ts";
import type { TimeZone } from "./time-zone.ts";

/** January first. */
export const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** Sunday first. */
export const WEEKDAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** What a format element can ask for: a wall clock, and how far it is ahead of UTC. */
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
  const [wholeDays, rest] = floorDivide(wall, MICROS_PER_DAY);
  const days = Number(wholeDays);
  const micros = Number(rest);
  const seconds = Math.floor(micros / 1_000_000);
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    micros: micros - seconds * 1_000_000,
    days,
    offsetSeconds,
    unixSeconds: days * 86_400 + seconds - offsetSeconds,
  };
}

/**
 * The fields of an instant in a zone. An offset with seconds (of local mean times) is cut to whole minutes, since it
 * could not be written otherwise.
 */
export function fieldsOfInstant(utc: bigint, zone: TimeZone): DatetimeFields {
  const exact = zone.offsetAt(Number(floorDivide(utc, MICROS_PER_SECOND)[0]));
  const offsetSeconds = Math.trunc(exact / 60) * 60;
  if (offsetSeconds === 0) return fieldsOfWall(utc);
  return fieldsOfWall(utc + BigInt(offsetSeconds) * MICROS_PER_SECOND, offsetSeconds);
}

/** `+HH<separator>MM`. */
export function formatOffset(offsetSeconds: number, separator: string): string {
  const minutes = Math.abs(offsetSeconds) / 60;
  const hh = String(Math.floor(minutes / 60)).padStart(2, "0");
  return `${offsetSeconds < 0 ? "-" : "+"}${hh}${separator}${String(minutes % 60).padStart(2, "0")}`;
}
