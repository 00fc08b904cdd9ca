/**
 * The calendar over days since 1970. ClickHouse's own dates reach from 1900 to 2299, which is one whole cycle of the
 * Gregorian calendar: days are moved into it by cycles of 400 years, and years back.
 */

import { MICROS_PER_DAY } from "../../../../values/calendar.ts";
import { nameSql, numberSql } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";

/** 1900-01-01, and the days of 400 years, which are whole weeks. */
const FIRST_DAY = 25_567;
const CYCLE = 146_097;

/** Prints the remainder of a division by a positive divisor. By itself it is unsigned. */
export function remainder(value: Sql, divisor: bigint | number): Sql {
  return sql`positiveModulo(${value}, toInt64(${numberSql(divisor)}))`;
}

/** The whole number of the divisor in the value, rounded down. */
export function floorDivide(value: Sql, divisor: bigint | number): Sql {
  return sql`intDiv(${value} - ${remainder(value, divisor)}, toInt64(${numberSql(divisor)}))`;
}

/** A date of ClickHouse's on the same day of another cycle. */
export function serverDate(days: Sql): Sql {
  return sql`toDate32(positiveModulo(${days} + ${numberSql(FIRST_DAY)}, ${numberSql(CYCLE)}) - ${numberSql(FIRST_DAY)})`;
}

/** 400 years for each cycle that the day is away from ClickHouse's. */
function cycleYears(days: Sql): Sql {
  return sql`400 * ${floorDivide(sql`(${days} + ${numberSql(FIRST_DAY)})`, CYCLE)}`;
}

export function yearOf(days: Sql): Sql {
  return sql`(toInt64(toYear(${serverDate(days)})) + ${cycleYears(days)})`;
}

export function isoYearOf(days: Sql): Sql {
  return sql`(toInt64(toISOYear(${serverDate(days)})) + ${cycleYears(days)})`;
}

export function field(name: string, days: Sql): Sql {
  return sql`toInt64(${nameSql(name)}(${serverDate(days)}))`;
}

/** From 1; ClickHouse's own is wrong on the last day that it knows. */
export function dayOfYear(days: Sql): Sql {
  const [year, month] = [yearOf(days), field("toMonth", days)];
  const isLeap = sql`(${year} % 4 = 0 AND (${year} % 100 != 0 OR ${year} % 400 = 0))`;
  const beforeMonth = sql`intDiv(275 * ${month}, 9) - if(${isLeap}, 1, 2) * intDiv(${month} + 9, 12) - 30`;
  return sql`toInt64(${beforeMonth} + ${field("toDayOfMonth", days)})`;
}

/** Days of a year (1 to 9999), month and day that are valid. */
export function daysFromCivil(year: Sql, month: Sql, day: Sql): Sql {
  const inCycle = sql`(1900 + positiveModulo(${year} - 1900, 400))`;
  const cycles = floorDivide(sql`(${year} - 1900)`, 400);
  return sql`(toInt64(toInt32(makeDate32(${inCycle}, ${month}, ${day}))) + ${cycles} * ${numberSql(CYCLE)})`;
}

/** The last day of a month of a year. */
export function lastDayOfMonth(year: Sql, month: Sql): Sql {
  const isLeap = sql`(${year} % 4 = 0 AND (${year} % 100 != 0 OR ${year} % 400 = 0))`;
  return sql`multiIf(${month} = 2, 28 + ${isLeap}, ${month} IN (4, 6, 9, 11), 30, 31)`;
}

/** Days from the day on which weeks begin (0 for Monday). */
export function daysIntoWeek(days: Sql, firstDay: number): Sql {
  return sql`positiveModulo(${days} + ${numberSql((3 - firstDay + 7) % 7)}, 7)`;
}

/** The microseconds of a day. */
export const DAY = sql`toInt64(${numberSql(MICROS_PER_DAY)})`;

export function daysOf(micros: Sql): Sql {
  return floorDivide(micros, MICROS_PER_DAY);
}

/** Microseconds since midnight. */
export function clockOf(micros: Sql): Sql {
  return sql`toInt64(${remainder(micros, MICROS_PER_DAY)})`;
}

/** A number with zeros before it. */
export function padded(value: Sql, width: number): Sql {
  return sql`leftPad(toString(${value}), ${numberSql(width)}, '0')`;
}
