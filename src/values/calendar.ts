/**
 * The proleptic Gregorian calendar by integers, without `Date`: days and microseconds since 1970-01-01, taken apart
 * into fields and put together again. Ranges are those of the "Data types" page of the GoogleSQL reference.
 */

/** Microseconds of a second. */
export const MICROS_PER_SECOND = 1_000_000n;
/** Microseconds of a day. */
export const MICROS_PER_DAY = 86_400_000_000n;

/** Months of the date parts that always have as many. */
export const MONTHS_PER_PART: Readonly<Record<string, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 };

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

/** 0001-01-01, in days from 1970-01-01. */
export const MIN_DAY = -719_162;
/** 9999-12-31. */
export const MAX_DAY = 2_932_896;
/** 0001-01-01 00:00:00. */
export const MIN_MICROS = BigInt(MIN_DAY) * MICROS_PER_DAY;
/** 9999-12-31 23:59:59.999999. */
export const MAX_MICROS = BigInt(MAX_DAY + 1) * MICROS_PER_DAY - 1n;

/** Whether a TIMESTAMP or DATETIME can be so many microseconds from 1970: years 1 to 9999. */
export function isTimestampInRange(micros: bigint): boolean {
  return micros >= MIN_MICROS && micros <= MAX_MICROS;
}

export interface CivilDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
}

/** A date and a time of day, not bound to any time zone. */
export interface Civil extends CivilDate {
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

/** The date that lies `days` days after 1970-01-01. Counts in eras of 400 years that begin on a 1st of March. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Days from 1970-01-01 to the date; the inverse of `civilFromDays`. */
export function daysFromCivil({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
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

/** The day so many months later, or earlier; a day that the month lacks becomes its last. */
export function addMonths(days: number, months: number): number {
  const { year: oldYear, month: oldMonth, day } = civilFromDays(days);
  const total = oldYear * 12 + oldMonth - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  return daysFromCivil({ year, month, day: Math.min(day, daysInMonth(year, month)) });
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
