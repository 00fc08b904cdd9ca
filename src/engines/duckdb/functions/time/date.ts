/** Date functions. A DATE is DuckDB's own. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { MICROS_PER_PART } from "../../../../values/calendar.ts";
import { numberSql, textSql } from "../../sql/atoms.ts";
import { castTo, raiseError } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { DATE } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import {
  CLOCK_PARTS,
  countBoundaries,
  countWholeUnits,
  DAY_PARTS,
  datePartOf,
  lastDay,
  truncateDate,
  truncateTimestamp,
} from "./date-parts.ts";
import { formatDate } from "./datetime-text.ts";
import { printMove } from "./interval.ts";
import { printBucket, printSeries } from "./series.ts";
import { checkTimestamp } from "./temporal-bounds.ts";
import { CURRENT_INSTANT, isUtc, utcFromWall, wallFromUtc, zoneOf } from "./time-zone.ts";

type Context = CallContext<CallExpr>;

/** DATE_TRUNC, DATETIME_TRUNC and TIMESTAMP_TRUNC of a DATE, DATETIME or TIMESTAMP. */
export function printTruncate({ args, types, call, timeZone }: Context): Sql {
  const [value = EMPTY] = args;
  const kind = types[0]?.kind;
  const part = datePartOf(call, 1, kind === "DATE" ? DAY_PARTS : [...CLOCK_PARTS, ...DAY_PARTS]);
  if (kind === "DATE") return truncateDate(value, part);
  const zone = zoneOf(args[2], timeZone);
  const isShort = CLOCK_PARTS.slice(0, 3).includes(part.part);
  if (kind === "DATETIME" || isShort || isUtc(zone)) return truncateTimestamp(value, part);
  if (!CLOCK_PARTS.includes(part.part))
    return utcFromWall(truncateTimestamp(wallFromUtc(value, zone, true), part), zone);
  // Hours and minutes are cut on the instant, which a clock that is set back shows twice.
  const unit = MICROS_PER_PART[part.part] ?? 1n;
  return computeOnce([value], "trunc", (v) => {
    const size = numberSql(unit);
    const wall = sql`epoch_us(${wallFromUtc(v, zone, true)})`;
    const cut = sql`(${v} - to_microseconds((${wall} % ${size} + ${size}) % ${size}))`;
    return checkTimestamp(cut, `Truncating to ${part.part} leaves the range of timestamps`);
  });
}

/**
 * DATE_DIFF, DATETIME_DIFF and TIMESTAMP_DIFF: boundaries between dates and wall clocks, whole units between
 * instants.
 */
export function printDifference({ args, types, call }: Context): Sql {
  const [late = EMPTY, early = EMPTY] = args;
  const kind = types[0]?.kind;
  if (kind === "TIMESTAMP") return countWholeUnits(late, early, datePartOf(call, 2, [...CLOCK_PARTS, "DAY"]));
  const parts = kind === "DATE" ? DAY_PARTS : [...CLOCK_PARTS, ...DAY_PARTS];
  return countBoundaries(late, early, datePartOf(call, 2, parts));
}

/** LAST_DAY of a DATE or DATETIME. */
function printLastDay({ args, call }: Context): Sql {
  const parts = ["MONTH", "QUARTER", "YEAR", "WEEK", "ISOWEEK", "ISOYEAR"];
  const month = { kind: "DatePart", part: "MONTH", type: call.type, span: call.span } as const;
  return lastDay(args[0] ?? EMPTY, args[1] === undefined ? month : datePartOf(call, 1, parts));
}

/** The checked date of a year, month and day. */
export function makeDate(year: Sql, month: Sql, day: Sql): Sql {
  return computeOnce([year, month, day], "date", (y, m, d) => {
    // Within the calendar whatever the numbers are: DuckDB computes constants as it plans, in branches not taken too.
    const first = sql`make_date(greatest(least(${y}, 9999), 1), greatest(least(${m}, 12), 1), 1)`;
    const isValid = sql`
      ${y} BETWEEN 1 AND 9999 AND ${m} BETWEEN 1 AND 12 AND ${d} BETWEEN 1 AND 31
      AND ${d} <= day(last_day(${first}))
    `;
    const message = sql`printf('Input calculates to invalid date: %04d-%02d-%02d', ${y}, ${m}, ${d})`;
    const isNull = sql`${y} IS NULL OR ${m} IS NULL OR ${d} IS NULL`;
    return sql`
      CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)}
      ELSE ${first} + CAST(greatest(least(${d}, 31), 1) - 1 AS INTEGER) END
    `;
  });
}

/**
 * Date functions of the reference; *_TRUNC, *_DIFF, *_ADD and *_SUB take DATETIME and TIMESTAMP under any of their
 * names.
 */
export const dateFunctions: FunctionTable = {
  CURRENT_DATE: ({ args, timeZone }) => castTo(wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone)), DATE),
  DATE: ({ args: [value = EMPTY, month = EMPTY, day = EMPTY], types, timeZone }) =>
    types[0]?.kind === "STRING" ? sql`lw_date_of_text(${value}, ${textSql(timeZone)})` : makeDate(value, month, day),
  DATE_ADD: (context) => printMove(context, "+"),
  DATE_SUB: (context) => printMove(context, "-"),
  DATE_DIFF: printDifference,
  DATE_TRUNC: printTruncate,
  DATE_BUCKET: printBucket,
  DATE_FROM_UNIX_DATE: ({ args }) =>
    computeOnce([args[0] ?? EMPTY], "unix_date", (v) => {
      const isValid = sql`${v} BETWEEN -719162 AND 2932896`;
      const message = sql`concat('Invalid DATE: ', ${v}, ' days from 1970-01-01')`;
      return sql`CASE WHEN NOT (${isValid}) THEN ${raiseError(message)} ELSE DATE '1970-01-01' + CAST(${v} AS INTEGER) END`;
    }),
  UNIX_DATE: ({ args }) => sql`date_diff('day', DATE '1970-01-01', ${args[0] ?? EMPTY})`,
  LAST_DAY: printLastDay,
  FORMAT_DATE: ({ args }) => formatDate(args[0] ?? EMPTY, args[1] ?? EMPTY),
  PARSE_DATE: ({ args }) => sql`lw_parse_date(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
  GENERATE_DATE_ARRAY: (context) => printSeries(context, sql`to_days(1)`),
};
