/** The ends of GoogleSQL's calendar, years 1 to 9999, which DuckDB's goes beyond. */
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";

const MIN_DATE = "DATE '0001-01-01'";
const MAX_DATE = "DATE '9999-12-31'";
const MIN_TIMESTAMP = "TIMESTAMP '0001-01-01 00:00:00'";
const MAX_TIMESTAMP = "TIMESTAMP '9999-12-31 23:59:59.999999'";

function checkBetween(value: string, min: string, max: string, message: string): string {
  return computeOnce(
    [value],
    "bounded",
    (v) => `CASE WHEN ${v} < ${min} OR ${v} > ${max} THEN ${raiseError(quoteString(message))} ELSE ${v} END`,
  );
}

/** The DATE itself; fails the query with the message where it lies outside the calendar. */
export function checkDate(date: string, message: string): string {
  return checkBetween(date, MIN_DATE, MAX_DATE, message);
}

/**
 * The DuckDB TIMESTAMP (a DATETIME or TIMESTAMP) itself; fails the query with the message where it lies outside the
 * calendar.
 */
export function checkTimestamp(timestamp: string, message: string): string {
  return checkBetween(timestamp, MIN_TIMESTAMP, MAX_TIMESTAMP, message);
}

/** The DATE of a DuckDB TIMESTAMP at midnight that may lie outside the calendar. */
export function checkedDateOf(timestamp: string, message: string): string {
  return `CAST(${checkTimestamp(timestamp, message)} AS DATE)`;
}
