import {
  type CivilDate,
  civilFromDays,
  dayOfWeek,
  dayOfYear,
  daysFromCivil,
  isLeapYear,
  isoYearStart,
  isValidDay,
} from "../../values/calendar.ts";
import type { ParseState, WeekElement } from "./datetime-parse-state.ts";

function daysInIsoYear(isoYear: number): number {
  return isoYearStart(isoYear + 1) - isoYearStart(isoYear);
}

function daysFromIsoParts(isoYear: number, { isoWeek, isoDayOfYear, weekday }: ParseState): number {
  const start = isoYearStart(isoYear);
  const usesDay =
    isoDayOfYear !== undefined && (weekday === undefined || isoDayOfYear.position > (isoWeek?.position ?? -1));
  if (usesDay) {
    const length = daysInIsoYear(isoYear);
    if (isoDayOfYear.value > length) {
      throw new Error(
        `ISO Year ${isoYear} has ${length} days, but the specified day of year was ${isoDayOfYear.value}`,
      );
    }
    return start + isoDayOfYear.value - 1;
  }
  if (isoWeek === undefined) return start;
  if (isoWeek.value * 7 > daysInIsoYear(isoYear)) {
    throw new Error(`Invalid ISO week ${isoWeek.value} specified for ISO year ${isoYear}`);
  }
  return start + (isoWeek.value - 1) * 7 + (weekday === undefined ? 0 : (weekday.value + 6) % 7);
}

function daysFromWeek(year: number, week: WeekElement, weekday: WeekElement | undefined): number {
  const firstDay = week.firstDay ?? 0;
  const january1 = daysFromCivil({ year, month: 1, day: 1 });
  const december31 = daysFromCivil({ year, month: 12, day: 31 });
  const beforeFirstWeek = (firstDay - dayOfWeek(january1) + 7) % 7;
  const lastWeek = Math.floor((dayOfYear(year, 12, 31) + 6 - ((dayOfWeek(december31) - firstDay + 7) % 7)) / 7);
  if (week.value < (beforeFirstWeek === 0 ? 1 : 0) || week.value > lastWeek) {
    throw new Error(`Week number ${week.value} is invalid for year ${year}`);
  }
  const intoWeek = weekday === undefined ? 0 : (weekday.value - firstDay + 7) % 7;
  return january1 + beforeFirstWeek + (week.value - 1) * 7 + intoWeek;
}

function daysFromDayOfYear(year: number, { value }: WeekElement): number {
  if (value === 366 && !isLeapYear(year)) {
    throw new Error(`Year ${year} has 365 days, but the specified day of year was 366`);
  }
  return daysFromCivil({ year, month: 1, day: 1 }) + value - 1;
}

function checkDay(date: CivilDate): CivilDate {
  if (isValidDay(date.year, date.month, date.day)) return date;
  const shown = `year: ${date.year}, month: ${date.month}, day: ${date.day}`;
  throw new Error(`Out-of-range datetime field in parsing function; ${shown}`);
}

/**
 * The date that a PARSE_ function has read. Weeks and days of the year count from the year that was read, and take the
 * place of a month or day that stood before them; ISO 8601 parts count only where no part of a calendar date was read;
 * a weekday counts only beside a week.
 */
export function resolveDate(state: ParseState): CivilDate {
  const year = state.century === undefined ? state.year : state.century * 100 + (state.year % 100);
  const date = { year, month: state.month, day: state.day };
  if (!state.hasCalendarDate) {
    return state.isoYear === undefined ? date : civilFromDays(daysFromIsoParts(state.isoYear.value, state));
  }
  const { week, dayOfYear: ordinal, weekday } = state;
  const usesOrdinal = ordinal !== undefined && (weekday === undefined || ordinal.position > (week?.position ?? -1));
  const element = usesOrdinal ? ordinal : week;
  if (element === undefined) return date;
  const found = civilFromDays(usesOrdinal ? daysFromDayOfYear(year, element) : daysFromWeek(year, element, weekday));
  return checkDay({
    year: state.yearPosition < element.position ? found.year : date.year,
    month: state.monthPosition < element.position ? found.month : date.month,
    day: state.dayPosition < element.position ? found.day : date.day,
  });
}
