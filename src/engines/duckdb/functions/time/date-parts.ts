/**
 * Date parts: cutting to them, taking them out, and counting their boundaries. Values are DuckDB DATEs and TIMESTAMPs
 * (wall clocks).
 */

import { GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import type { CallExpr, DatePartExpr } from "../../../../googlesql/resolved.ts";
import { MICROS_PER_PART } from "../../../../values/calendar.ts";
import { numberSql, textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { DATE, TIME } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { checkedDateOf, checkTimestamp } from "./temporal-bounds.ts";

/** Parts of a DATE. */
export const DAY_PARTS = ["DAY", "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR"];
/** Parts of a TIME. */
export const CLOCK_PARTS = ["MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"];

/** Fails the compilation at the call. */
export function refuseCall(call: CallExpr, message: string): never {
  throw new GoogleSqlError("", [{ code: "invalid_query", message, span: call.span }]);
}

/**
 * The date part among a call's arguments; fails the compilation for one that the function does not take with this
 * type.
 */
export function datePartOf(call: CallExpr, index: number, allowed: readonly string[]): DatePartExpr {
  const argument = call.arguments[index];
  if (argument?.kind !== "DatePart") return refuseCall(call, `${call.function} needs a date part`);
  if (!allowed.includes(argument.part)) {
    refuseCall(
      call,
      `${call.function} does not support the ${argument.part} date part for ${call.arguments[0]?.type.kind}`,
    );
  }
  return argument;
}

const WEEKDAYS = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];

/** Days from Monday to the day on which the part's weeks begin. */
function weekShift(part: DatePartExpr): number {
  return part.part === "ISOWEEK" ? 0 : WEEKDAYS.indexOf(part.weekday ?? "SUNDAY");
}

/** How many of a part that always has the same length began since 1970; before it they count down. */
export function countFromEpoch(value: Sql, part: "HOUR" | "MINUTE" | "SECOND"): Sql {
  return sql`date_diff(${textSql(part.toLowerCase())}, TIMESTAMP '1970-01-01', ${value})`;
}

/** The first instant of the part that a wall clock lies in, as a DuckDB TIMESTAMP. It may lie before the year 1. */
function truncateWall(value: Sql, part: DatePartExpr): Sql {
  switch (part.part) {
    case "WEEK":
    case "ISOWEEK": {
      const shift = weekShift(part);
      if (shift === 0) return sql`date_trunc('week', ${value})`;
      return sql`(date_trunc('week', ${value} - to_days(${numberSql(shift)})) + to_days(${numberSql(shift)}))`;
    }
    case "MICROSECOND":
      return value;
    // Computed by counting, which takes half the time of truncation by the calendar.
    case "HOUR":
    case "MINUTE":
    case "SECOND":
      return sql`make_timestamp(${countFromEpoch(value, part.part)} * ${numberSql(MICROS_PER_PART[part.part] ?? 1n)})`;
    default:
      return sql`date_trunc(${textSql(part.part.toLowerCase())}, ${value})`;
  }
}

function canLeaveCalendar(part: DatePartExpr): boolean {
  return part.part === "WEEK" || part.part === "ISOWEEK" || part.part === "ISOYEAR";
}

/** Cuts a DATETIME (or an instant, in UTC). */
export function truncateTimestamp(value: Sql, part: DatePartExpr): Sql {
  const cut = truncateWall(value, part);
  return canLeaveCalendar(part) ? checkTimestamp(cut, `Truncating to ${part.part} leaves the range of dates`) : cut;
}

/** Cuts a DATE. */
export function truncateDate(value: Sql, part: DatePartExpr): Sql {
  if (part.part === "DAY") return value;
  const cut = truncateWall(value, part);
  if (!canLeaveCalendar(part)) return castTo(cut, DATE);
  return checkedDateOf(cut, `Truncating to ${part.part} leaves the range of dates`);
}

/** Cuts a TIME. */
export function truncateTime(value: Sql, part: DatePartExpr): Sql {
  const unit = MICROS_PER_PART[part.part] ?? 1n;
  if (unit === 1n) return value;
  return computeOnce([value], "time_trunc", (v) => sql`(${v} - to_microseconds(epoch_us(${v}) % ${numberSql(unit)}))`);
}

/** The last DATE of the part that a DATE or a wall clock lies in. */
export function lastDay(value: Sql, part: DatePartExpr): Sql {
  const lengths: Readonly<Record<string, Sql>> = {
    MONTH: sql`to_months(1)`,
    QUARTER: sql`to_months(3)`,
    YEAR: sql`to_months(12)`,
  };
  const length = lengths[part.part];
  const message = `LAST_DAY of ${part.part} leaves the range of dates`;
  // The first day of a week may lie before the calendar while its last day does not.
  if (length !== undefined) return sql`CAST(${truncateWall(value, part)} + ${length} - to_days(1) AS DATE)`;
  if (part.part === "ISOYEAR") {
    return checkedDateOf(
      sql`date_trunc('isoyear', date_trunc('isoyear', ${value}) + to_days(378)) - to_days(1)`,
      message,
    );
  }
  return checkedDateOf(sql`date_trunc('day', ${truncateWall(value, part)} + to_days(6))`, message);
}

function weekOfYear(value: Sql, part: DatePartExpr): Sql {
  // DuckDB counts weekdays from Sunday.
  const firstDay = (weekShift(part) + 1) % 7;
  return computeOnce(
    [value],
    "week",
    (v) => sql`((dayofyear(${v}) + 6 - (dayofweek(${v}) + ${numberSql(7 - firstDay)}) % 7) // 7)`,
  );
}

/** Parts that are more than DuckDB's of their names. */
const extracted: Readonly<Record<string, (value: Sql, part: DatePartExpr) => Sql>> = {
  MICROSECOND: (value) => sql`(datepart('microsecond', ${value}) % 1000000)`,
  MILLISECOND: (value) => sql`(datepart('millisecond', ${value}) % 1000)`,
  DAYOFWEEK: (value) => sql`(dayofweek(${value}) + 1)`,
  DAYOFYEAR: (value) => sql`dayofyear(${value})`,
  ISOWEEK: (value) => sql`datepart('week', ${value})`,
  WEEK: weekOfYear,
  DATE: (value) => castTo(value, DATE),
  TIME: (value) => castTo(value, TIME),
  DATETIME: (value) => value,
};

/** EXTRACT of a part from a DATE, a TIME, or a wall clock. */
export function extractPart(value: Sql, part: DatePartExpr): Sql {
  return extracted[part.part]?.(value, part) ?? sql`datepart(${textSql(part.part.toLowerCase())}, ${value})`;
}

/** How many boundaries of the part lie between two DATEs, TIMEs or wall clocks. */
export function countBoundaries(late: Sql, early: Sql, part: DatePartExpr): Sql {
  switch (part.part) {
    case "WEEK":
    case "ISOWEEK":
      return sql`(date_diff('day', ${truncateWall(early, part)}, ${truncateWall(late, part)}) // 7)`;
    case "ISOYEAR":
      return sql`(datepart('isoyear', ${late}) - datepart('isoyear', ${early}))`;
    case "MICROSECOND":
      return sql`(epoch_us(${late}) - epoch_us(${early}))`;
    case "MILLISECOND":
      return sql`date_diff('millisecond', ${early}, ${late})`;
    default:
      return sql`date_diff(${textSql(part.part.toLowerCase())}, ${early}, ${late})`;
  }
}

/** How many whole units of the part fit between two instants. */
export function countWholeUnits(late: Sql, early: Sql, part: DatePartExpr): Sql {
  const micros = sql`(epoch_us(${late}) - epoch_us(${early}))`;
  const unit = MICROS_PER_PART[part.part] ?? 1n;
  return unit === 1n ? micros : sql`(${micros} // ${numberSql(unit)})`;
}
