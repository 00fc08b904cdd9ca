/**
 * The calendar over days since 1970. ClickHouse's own dates reach from 1900 to 2299, which is one whole cycle of the
 * Gregorian calendar: days are moved into it by cycles of 400 years, and years back.
 */

import { MICROS_PER_DAY } from "../../../../values/calendar.ts";

/** 1900-01-01, and the days of 400 years, which are whole weeks. */
const FIRST_DAY = 25_567;
const CYCLE = 146_097;

/** Prints the remainder of a division by a positive divisor. By itself it is unsigned. */
export function remainder(value: string, divisor: bigint | number): string {
  return `positiveModulo(${value}, toInt64(${divisor}))`;
}

/** The whole number of the divisor in the value, rounded down. */
export function floorDivide(value: string, divisor: bigint | number): string {
  return `intDiv(${value} - ${remainder(value, divisor)}, toInt64(${divisor}))`;
}

/** A date of ClickHouse's on the same day of another cycle. */
export function serverDate(days: string): string {
  return `toDate32(positiveModulo(${days} + ${FIRST_DAY}, ${CYCLE}) - ${FIRST_DAY})`;
}

/** 400 years for each cycle that the day is away from ClickHouse's. */
function cycleYears(days: string): string {
  return `400 * ${floorDivide(`(${days} + ${FIRST_DAY})`, CYCLE)}`;
}

export function yearOf(days: string): string {
  return `(toInt64(toYear(${serverDate(days)})) + ${cycleYears(days)})`;
}

export function isoYearOf(days: string): string {
  return `(toInt64(toISOYear(${serverDate(days)})) + ${cycleYears(days)})`;
}

export function field(name: string, days: string): string {
  return `toInt64(${name}(${serverDate(days)}))`;
}

/** From 1; ClickHouse's own is wrong on the last day that it knows. */
export function dayOfYear(days: string): string {
  const [year, month] = [yearOf(days), field("toMonth", days)];
  const isLeap = `(${year} % 4 = 0 AND (${year} % 100 != 0 OR ${year} % 400 = 0))`;
  const beforeMonth = `intDiv(275 * ${month}, 9) - if(${isLeap}, 1, 2) * intDiv(${month} + 9, 12) - 30`;
  return `toInt64(${beforeMonth} + ${field("toDayOfMonth", days)})`;
}

/** Days of a year (1 to 9999), month and day that are valid. */
export function daysFromCivil(year: string, month: string, day: string): string {
  const inCycle = `(1900 + positiveModulo(${year} - 1900, 400))`;
  const cycles = floorDivide(`(${year} - 1900)`, 400);
  return `(toInt64(toInt32(makeDate32(${inCycle}, ${month}, ${day}))) + ${cycles} * ${CYCLE})`;
}

/** The last day of a month of a year. */
export function lastDayOfMonth(year: string, month: string): string {
  const isLeap = `(${year} % 4 = 0 AND (${year} % 100 != 0 OR ${year} % 400 = 0))`;
  return `multiIf(${month} = 2, 28 + ${isLeap}, ${month} IN (4, 6, 9, 11), 30, 31)`;
}

/** Days from the day on which weeks begin (0 for Monday). */
export function daysIntoWeek(days: string, firstDay: number): string {
  return `positiveModulo(${days} + ${(3 - firstDay + 7) % 7}, 7)`;
}

export function daysOf(micros: string): string {
  return floorDivide(micros, MICROS_PER_DAY);
}

/** Microseconds since midnight. */
export function clockOf(micros: string): string {
  return `toInt64(${remainder(micros, MICROS_PER_DAY)})`;
}

/** A number with zeros before it. */
export function padded(value: string, width: number): string {
  return `leftPad(toString(${value}), ${width}, '0')`;
}
