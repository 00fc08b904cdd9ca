/** The ends of GoogleSQL's calendar, years 1 to 9999, which DuckDB's goes beyond. */

import { castTo, raiseText } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { DATE } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";

const MIN_DATE = sql`DATE '0001-01-01'`;
const MAX_DATE = sql`DATE '9999-12-31'`;
const MIN_TIMESTAMP = sql`TIMESTAMP '0001-01-01 00:00:00'`;
const MAX_TIMESTAMP = sql`TIMESTAMP '9999-12-31 23:59:59.999999'`;

function checkBetween(value: Sql, min: Sql, max: Sql, message: string): Sql {
  return computeOnce(
    [value],
    "bounded",
    (v) => sql`CASE WHEN ${v} < ${min} OR ${v} > ${max} THEN ${raiseText(message)} ELSE ${v} END`,
  );
}

/** The DATE itself; fails the query with the message where it lies outside the calendar. */
export function checkDate(date: Sql, message: string): Sql {
  return checkBetween(date, MIN_DATE, MAX_DATE, message);
}

/**
 * The DuckDB TIMESTAMP (a DATETIME or TIMESTAMP) itself; fails the query with the message where it lies outside the
 * calendar.
 */
export function checkTimestamp(timestamp: Sql, message: string): Sql {
  return checkBetween(timestamp, MIN_TIMESTAMP, MAX_TIMESTAMP, message);
}

/** The DATE of a DuckDB TIMESTAMP at midnight that may lie outside the calendar. */
export function checkedDateOf(timestamp: Sql, message: string): Sql {
  return castTo(checkTimestamp(timestamp, message), DATE);
}
