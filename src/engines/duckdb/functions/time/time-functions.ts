/**
 * Functions of dates and times, and EXTRACT. DATE and TIME are DuckDB's own, a DATETIME is a TIMESTAMP that shows its
 * wall clock, a TIMESTAMP one that shows UTC.
 */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { MICROS_PER_PART } from "../../../../values/calendar.ts";
import { numberSql, textSql } from "../../sql/atoms.ts";
import { castTo, raiseError } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { DATE, TIME } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import {
  CLOCK_PARTS,
  countBoundaries,
  countFromEpoch,
  countWholeUnits,
  DAY_PARTS,
  datePartOf,
  extractPart,
  lastDay,
  refuseCall,
  truncateDate,
  truncateTime,
  truncateTimestamp,
} from "./date-parts.ts";
import { extractFromInterval, printMove } from "./interval.ts";
import { printBucket, printSeries } from "./series.ts";
import { checkTimestamp } from "./temporal-bounds.ts";
import { formatDate, formatDatetime, formatTimestamp } from "./temporal-texts.ts";
import { CURRENT_INSTANT, isUtc, utcFromWall, wallFromUtc, zoneOf } from "./time-zone.ts";

type Context = CallContext<CallExpr>;

/** DATE_TRUNC, DATETIME_TRUNC and TIMESTAMP_TRUNC of a DATE, DATETIME or TIMESTAMP. */
function printTruncate({ args, types, call, timeZone }: Context): Sql {
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
function printDifference({ args, types, call }: Context): Sql {
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
function makeDate(year: Sql, month: Sql, day: Sql): Sql {
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

/** The wall clock of six numbers; a second 60 is the next minute's first. */
function makeDatetime([
  year = EMPTY,
  month = EMPTY,
  day = EMPTY,
  hour = EMPTY,
  minute = EMPTY,
  second = EMPTY,
]: readonly Sql[]): Sql {
  const date = makeDate(year, month, day);
  const datetime = computeOnce([date, hour, minute, second], "datetime", (d, h, m, s) => {
    const isValid = sql`${h} BETWEEN 0 AND 23 AND ${m} BETWEEN 0 AND 59 AND ${s} BETWEEN 0 AND 60`;
    const message = sql`concat('Input calculates to invalid datetime: ', ${d}, printf(' %02d:%02d:%02d', ${h}, ${m}, ${s}))`;
    const isNull = sql`${d} IS NULL OR ${h} IS NULL OR ${m} IS NULL OR ${s} IS NULL`;
    return sql`
      CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)}
      ELSE ${d} + to_seconds((${h} * 60 + ${m}) * 60 + ${s}) END
    `;
  });
  return checkTimestamp(datetime, "Input calculates to invalid datetime: 9999-12-31 23:59:60");
}

function printDatetime({ args, types, timeZone }: CallContext<CallExpr>): Sql {
  const [value = EMPTY, time = EMPTY] = args;
  if (types[0]?.kind === "STRING") return sql`lw_datetime_of_text(${value}, ${textSql(timeZone)})`;
  return types[0]?.kind === "DATE" ? sql`(${value} + ${time})` : makeDatetime(args);
}

function makeTime(hour: Sql, minute: Sql, second: Sql): Sql {
  return computeOnce([hour, minute, second], "time", (h, m, s) => {
    const isValid = sql`${h} BETWEEN 0 AND 23 AND ${m} BETWEEN 0 AND 59 AND ${s} BETWEEN 0 AND 60`;
    const message = sql`printf('Input calculates to invalid time: %02d:%02d:%02d', ${h}, ${m}, ${s})`;
    const seconds = sql`to_seconds((${h} * 60 + ${m}) * 60 + ${s})`;
    const isNull = sql`${h} IS NULL OR ${m} IS NULL OR ${s} IS NULL`;
    return sql`
      CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)}
      ELSE TIME '00:00:00' + ${seconds} END
    `;
  });
}

/** TIMESTAMP_SECONDS, _MILLIS and _MICROS: `unit` microseconds each since 1970. */
function fromUnix(unit: number): FunctionTable[string] {
  const min = -62_135_596_800_000_000n / BigInt(unit);
  const max = 253_402_300_799_999_999n / BigInt(unit);
  return ({ args, types }) => {
    const [value = EMPTY] = args;
    if (types[0]?.kind === "TIMESTAMP") return value;
    return computeOnce([value], "unix", (v) => {
      const message = sql`concat('Timestamp value in Unix time is out of bounds: ', ${v})`;
      const micros = unit === 1 ? v : sql`${v} * ${numberSql(unit)}`;
      return sql`CASE WHEN ${v} < ${numberSql(min)} OR ${v} > ${numberSql(max)} THEN ${raiseError(message)} ELSE make_timestamp(${micros}) END`;
    });
  };
}

/** EXTRACT(part FROM value [AT TIME ZONE zone]). */
function printExtract({ args, types, call, timeZone }: Context): Sql {
  const [value = EMPTY] = args;
  const part = call.arguments[1];
  if (part?.kind !== "DatePart") return refuseCall(call, "EXTRACT needs a date part");
  if (types[0]?.kind === "INTERVAL") return extractFromInterval(value, part.part);
  const isNumber = part.part !== "DATE" && part.part !== "DATETIME";
  const wall = types[0]?.kind === "TIMESTAMP" ? wallFromUtc(value, zoneOf(args[2], timeZone), isNumber) : value;
  return extractPart(wall, part);
}

/**
 * Functions of the reference, and what the resolver calls `$extract`; *_TRUNC, *_DIFF, *_ADD and *_SUB take DATETIME
 * and TIMESTAMP under any of their names.
 */
export const timeFunctions: FunctionTable = {
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
  CURRENT_DATETIME: ({ args, timeZone }) => wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone)),
  DATETIME: printDatetime,
  DATETIME_ADD: (context) => printMove(context, "+"),
  DATETIME_SUB: (context) => printMove(context, "-"),
  DATETIME_DIFF: printDifference,
  DATETIME_TRUNC: printTruncate,
  DATETIME_BUCKET: printBucket,
  FORMAT_DATETIME: ({ args }) => formatDatetime(args[0] ?? EMPTY, args[1] ?? EMPTY),
  PARSE_DATETIME: ({ args }) => sql`lw_parse_datetime(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
  CURRENT_TIME: ({ args, timeZone }) => castTo(wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone)), TIME),
  TIME: ({ args: [hour = EMPTY, minute = EMPTY, second = EMPTY] }) => makeTime(hour, minute, second),
  TIME_ADD: (context) => printMove(context, "+"),
  TIME_SUB: (context) => printMove(context, "-"),
  TIME_DIFF: ({ args, call }) => countBoundaries(args[0] ?? EMPTY, args[1] ?? EMPTY, datePartOf(call, 2, CLOCK_PARTS)),
  TIME_TRUNC: ({ args, call }) => truncateTime(args[0] ?? EMPTY, datePartOf(call, 1, CLOCK_PARTS)),
  FORMAT_TIME: ({ args }) => sql`lw_format_time(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
  PARSE_TIME: ({ args }) => sql`lw_parse_time(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
  $extract: printExtract,
  CURRENT_TIMESTAMP: () => CURRENT_INSTANT,
  TIMESTAMP: ({ args: [text = EMPTY, zone], timeZone }) =>
    zone === undefined
      ? sql`lw_timestamp_from_text(${text}, ${textSql(timeZone)})`
      : sql`lw_timestamp_from_local_text(${text}, ${zone})`,
  TIMESTAMP_ADD: (context) => printMove(context, "+"),
  TIMESTAMP_SUB: (context) => printMove(context, "-"),
  TIMESTAMP_DIFF: printDifference,
  TIMESTAMP_TRUNC: printTruncate,
  TIMESTAMP_BUCKET: printBucket,
  TIMESTAMP_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_MILLIS: fromUnix(1_000),
  TIMESTAMP_MICROS: fromUnix(1),
  TIMESTAMP_FROM_UNIX_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_FROM_UNIX_MILLIS: fromUnix(1_000),
  TIMESTAMP_FROM_UNIX_MICROS: fromUnix(1),
  UNIX_SECONDS: ({ args }) => countFromEpoch(args[0] ?? EMPTY, "SECOND"),
  // Cut first: DuckDB rounds instants before 1970 towards it.
  UNIX_MILLIS: ({ args }) => sql`epoch_ms(date_trunc('millisecond', ${args[0] ?? EMPTY}))`,
  UNIX_MICROS: ({ args }) => sql`epoch_us(${args[0] ?? EMPTY})`,
  FORMAT_TIMESTAMP: ({ args, timeZone }) =>
    formatTimestamp(args[0] ?? EMPTY, args[1] ?? EMPTY, zoneOf(args[2], timeZone)),
  PARSE_TIMESTAMP: ({ args, timeZone }) =>
    sql`lw_parse_timestamp(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY}, ${zoneOf(args[2], timeZone)})`,
  GENERATE_TIMESTAMP_ARRAY: (context) => printSeries(context),
};
