/**
 * Date parts: cutting to them, taking them out, and counting their boundaries. Values are DuckDB DATEs and TIMESTAMPs
 * (wall clocks).
 */
import { GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import type { CallExpr, DatePartExpr } from "../../../../googlesql/resolved.ts";
import { computeOnce } from "../compute-once.ts";
import { checkedDateOf, checkTimestamp } from "./temporal-bounds.ts";

/** Parts of a DATE. */
export const DAY_PARTS = ["DAY", "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR"];
/** Parts of a TIME. */
export const CLOCK_PARTS = ["MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"];

/** Microseconds of the parts that always have as many. */
export const PART_MICROS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
  DAY: 86_400_000_000,
};

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
export function countFromEpoch(value: string, part: "HOUR" | "MINUTE" | "SECOND"): string {
  return `date_diff('${part.toLowerCase()}', TIMESTAMP '1970-01-01', ${value})`;
}

/** The first instant of the part that a wall clock lies in, as a DuckDB TIMESTAMP. It may lie before the year 1. */
function truncateWall(value: string, part: DatePartExpr): string {
  switch (part.part) {
    case "WEEK":
    case "ISOWEEK": {
      const shift = weekShift(part);
      if (shift === 0) return `date_trunc('week', ${value})`;
      return `(date_trunc('week', ${value} - to_days(${shift})) + to_days(${shift}))`;
    }
    case "MICROSECOND":
      return value;
    // Counted, which takes half as long as cutting by the calendar.
    case "HOUR":
    case "MINUTE":
    case "SECOND":
      return `make_timestamp(${countFromEpoch(value, part.part)} * ${PART_MICROS[part.part]})`;
    default:
      return `date_trunc('${part.part.toLowerCase()}', ${value})`;
  }
}

function canLeaveCalendar(part: DatePartExpr): boolean {
  return part.part === "WEEK" || part.part === "ISOWEEK" || part.part === "ISOYEAR";
}

/** Cuts a DATETIME (or an instant, in UTC). */
export function truncateTimestamp(value: string, part: DatePartExpr): string {
  const cut = truncateWall(value, part);
  return canLeaveCalendar(part) ? checkTimestamp(cut, `Truncating to ${part.part} leaves the range of dates`) : cut;
}

/** Cuts a DATE. */
export function truncateDate(value: string, part: DatePartExpr): string {
  if (part.part === "DAY") return value;
  const cut = truncateWall(value, part);
  if (!canLeaveCalendar(part)) return `CAST(${cut} AS DATE)`;
  return checkedDateOf(cut, `Truncating to ${part.part} leaves the range of dates`);
}

/** Cuts a TIME. */
export function truncateTime(value: string, part: DatePartExpr): string {
  const unit = PART_MICROS[part.part] ?? 1;
  if (unit === 1) return value;
  return computeOnce([value], "time_trunc", (v) => `(${v} - to_microseconds(epoch_us(${v}) % ${unit}))`);
}

/** The last DATE of the part that a DATE or a wall clock lies in. */
export function lastDay(value: string, part: DatePartExpr): string {
  const lengths: Readonly<Record<string, string>> = {
    MONTH: "to_months(1)",
    QUARTER: "to_months(3)",
    YEAR: "to_months(12)",
  };
  const length = lengths[part.part];
  const message = `LAST_DAY of ${part.part} leaves the range of dates`;
  // The first day of a week may lie before the calendar while its last day does not.
  if (length !== undefined) return `CAST(${truncateWall(value, part)} + ${length} - to_days(1) AS DATE)`;
  if (part.part === "ISOYEAR") {
    return checkedDateOf(`date_trunc('isoyear', date_trunc('isoyear', ${value}) + to_days(378)) - to_days(1)`, message);
  }
  return checkedDateOf(`date_trunc('day', ${truncateWall(value, part)} + to_days(6))`, message);
}

function weekOfYear(value: string, part: DatePartExpr): string {
  // DuckDB counts weekdays from Sunday.
  const firstDay = (weekShift(part) + 1) % 7;
  return computeOnce([value], "week", (v) => `((dayofyear(${v}) + 6 - (dayofweek(${v}) + ${7 - firstDay}) % 7) // 7)`);
}

/** EXTRACT of a part from a DATE, a TIME, or a wall clock. */
export function extractPart(value: string, part: DatePartExpr): string {
  switch (part.part) {
    case "MICROSECOND":
      return `(datepart('microsecond', ${value}) % 1000000)`;
    case "MILLISECOND":
      return `(datepart('millisecond', ${value}) % 1000)`;
    case "DAYOFWEEK":
      return `(dayofweek(${value}) + 1)`;
    case "DAYOFYEAR":
      return `dayofyear(${value})`;
    case "ISOWEEK":
      return `datepart('week', ${value})`;
    case "WEEK":
      return weekOfYear(value, part);
    case "DATE":
      return `CAST(${value} AS DATE)`;
    case "TIME":
      return `CAST(${value} AS TIME)`;
    case "DATETIME":
      return value;
    default:
      return `datepart('${part.part.toLowerCase()}', ${value})`;
  }
}

/** How many boundaries of the part lie between two DATEs, TIMEs or wall clocks. */
export function countBoundaries(late: string, early: string, part: DatePartExpr): string {
  switch (part.part) {
    case "WEEK":
    case "ISOWEEK":
      return `(date_diff('day', ${truncateWall(early, part)}, ${truncateWall(late, part)}) // 7)`;
    case "ISOYEAR":
      return `(datepart('isoyear', ${late}) - datepart('isoyear', ${early}))`;
    case "MICROSECOND":
      return `(epoch_us(${late}) - epoch_us(${early}))`;
    case "MILLISECOND":
      return `date_diff('millisecond', ${early}, ${late})`;
    default:
      return `date_diff('${part.part.toLowerCase()}', ${early}, ${late})`;
  }
}

/** How many whole units of the part fit between two instants. */
export function countWholeUnits(late: string, early: string, part: DatePartExpr): string {
  const micros = `(epoch_us(${late}) - epoch_us(${early}))`;
  const unit = PART_MICROS[part.part] ?? 1;
  return unit === 1 ? micros : `(${micros} // ${unit})`;
}
