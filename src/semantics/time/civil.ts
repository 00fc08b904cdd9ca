/**
 * Instants and wall clocks as microseconds since 1970-01-01, taken apart into calendar fields and put together again.
 * Ranges are those of the "Data types" page of the GoogleSQL reference: years 1 to 9999.
 */
import { civilFromDays, daysFromCivil } from "./calendar.ts";

/** Microseconds of a second. */
export const MICROS_PER_SECOND = 1_000_000n;
/** Microseconds of a day. */
export const MICROS_PER_DAY = 86_400_000_000n;

/** Microseconds of the date parts that always have as many. */
export const MICROS_PER_PART: Readonly<Record<string, bigint>> = {
  MICROSECOND: 1n,
  MILLISECOND: 1_000n,
  SECOND: MICROS_PER_SECOND,
  MINUTE: 60n * MICROS_PER_SECOND,
  HOUR: 3_600n * MICROS_PER_SECOND,
  DAY: MICROS_PER_DAY,
  WEEK: 7n * MICROS_PER_DAY,
};

/** 0001-01-01 00:00:00. */
export const MIN_MICROS = -62_135_596_800_000_000n;
/** 9999-12-31 23:59:59.999999. */
export const MAX_MICROS = 253_402_300_799_999_999n;

/** A date and a time of day, not bound to any time zone. */
export interface Civil {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
}

/** Quotient and non-negative rest of a division by a positive number. */
export function floorDivide(value: bigint, divisor: bigint): readonly [bigint, bigint] {
  const rest = value % divisor;
  return rest < 0n ? [value / divisor - 1n, rest + divisor] : [value / divisor, rest];
}

/** The fields of a wall clock. */
export function civilFromMicros(value: bigint): Civil {
  const [days, rest] = floorDivide(value, MICROS_PER_DAY);
  const timeOfDay = Number(rest);
  const seconds = Math.floor(timeOfDay / 1_000_000);
  const { year, month, day } = civilFromDays(Number(days));
  return {
    year,
    month,
    day,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    micros: timeOfDay - seconds * 1_000_000,
  };
}

/**
 * The inverse of `civilFromMicros`. Hours, minutes and seconds may lie beyond their usual ends (a second 60 is the
 * next minute's first).
 */
export function microsFromCivil(civil: Civil): bigint {
  const seconds = (civil.hour * 60 + civil.minute) * 60 + civil.second;
  return BigInt(daysFromCivil(civil)) * MICROS_PER_DAY + BigInt(seconds) * MICROS_PER_SECOND + BigInt(civil.micros);
}

/** Whether the calendar has such a day. */
export function isValidDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Has its February 29 days? */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 for Sunday to 6 for Saturday, of a day counted from 1970-01-01. */
export function dayOfWeek(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

/** From 1. */
export function dayOfYear(year: number, month: number, day: number): number {
  return daysFromCivil({ year, month, day }) - daysFromCivil({ year, month: 1, day: 1 }) + 1;
}

/** The Monday that begins an ISO 8601 year, in days since 1970-01-01. */
export function isoYearStart(isoYear: number): number {
  const fourth = daysFromCivil({ year: isoYear, month: 1, day: 4 });
  return fourth - ((dayOfWeek(fourth) + 6) % 7);
}

/** The ISO 8601 year and week (from 1) of a day counted from 1970-01-01. */
export function isoWeek(days: number): { readonly year: number; readonly week: number } {
  const { year: civilYear } = civilFromDays(days);
  let year = civilYear;
  if (days >= isoYearStart(year + 1)) year += 1;
  else if (days < isoYearStart(year)) year -= 1;
  return { year, week: Math.floor((days - isoYearStart(year)) / 7) + 1 };
}
