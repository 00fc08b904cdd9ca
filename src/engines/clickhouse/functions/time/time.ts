/** Functions of dates and times: days and microseconds since 1970 as integers, in UTC. */
import { MAX_DAY, MAX_MICROS, MICROS_PER_DAY, MIN_DAY, MIN_MICROS } from "../../../../values/calendar.ts";
import { numberSql, placeholder } from "../../sql/atoms.ts";
import { NOW_PLACEHOLDER } from "../../sql/spelling.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { literalOf } from "../literal.ts";
import { type CallContext, type FunctionTable, type PrintCall, takingIntervals } from "../types.ts";
import { clockOf, daysFromCivil, daysOf, floorDivide, lastDayOfMonth } from "./calendar.ts";
import { difference, extract, lastDay, requireUtc, truncate, truncateTime } from "./date-parts.ts";
import { move } from "./moves.ts";
import { bucket, generate } from "./series.ts";
import { parseTime } from "./time-parse.ts";
import { castText, formatTime } from "./time-text.ts";

/** A time from a number of units since 1970. */
function fromUnix(unit: bigint): PrintCall {
  return (context) => {
    const [value = EMPTY] = context.args;
    if (context.types[0]?.kind === "TIMESTAMP") return value;
    const message = "Timestamp value in Unix time is out of bounds";
    return context.bind([value], (v) => {
      const isOutside = sql`${v} < ${numberSql(MIN_MICROS / unit)} OR ${v} > ${numberSql(MAX_MICROS / unit)}`;
      return context.failIf(isOutside, message, sql`(${v} * ${numberSql(unit)})`);
    });
  };
}

function toUnix(unit: bigint): PrintCall {
  return (context) => {
    const [value = EMPTY] = context.args;
    return unit === 1n ? value : context.bind([value], (v) => floorDivide(v, unit));
  };
}

function fromUnixDate(context: CallContext): Sql {
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    return context.failIf(sql`${v} < ${numberSql(MIN_DAY)} OR ${v} > ${numberSql(MAX_DAY)}`, "Invalid DATE", v);
  });
}

/** Days of numbers that the query gives. */
function daysOfNumbers(context: CallContext, year: Sql, month: Sql, day: Sql): Sql {
  return context.bind([year, month, day], (y, m, d) => {
    const isYear = sql`${y} >= 1 AND ${y} <= 9999 AND ${m} >= 1 AND ${m} <= 12`;
    const isValid = sql`${isYear} AND ${d} >= 1 AND ${d} <= ${lastDayOfMonth(y, m)}`;
    const message = "Input calculates to an invalid date";
    const isThere = sql`isNotNull(${y}) AND isNotNull(${m}) AND isNotNull(${d})`;
    return context.failIf(sql`${isThere} AND NOT (${isValid})`, message, daysFromCivil(y, m, d));
  });
}

function clockOfNumbers(context: CallContext, [hour = EMPTY, minute = EMPTY, second = EMPTY]: readonly Sql[]): Sql {
  return context.bind([hour, minute, second], (h, m, s) => {
    const isValid = sql`${h} >= 0 AND ${h} <= 23 AND ${m} >= 0 AND ${m} <= 59 AND ${s} >= 0 AND ${s} <= 59`;
    // A second 60 is the next minute's first, which is no common argument.
    const isThere = sql`isNotNull(${h}) AND isNotNull(${m}) AND isNotNull(${s})`;
    const value = sql`((${h} * 60 + ${m}) * 60 + ${s}) * 1000000`;
    return context.failIf(sql`${isThere} AND NOT (${isValid})`, "Input calculates to an invalid time", value);
  });
}

function makeDate(context: CallContext): Sql {
  const [value = EMPTY, month = EMPTY, day = EMPTY] = context.args;
  switch (context.types[0]?.kind) {
    case "INT64":
      return daysOfNumbers(context, value, month, day);
    case "DATE":
      return value;
    case "TIMESTAMP":
      requireUtc(context, 1);
      return context.bind([value], daysOf);
    case "DATETIME":
      return context.bind([value], daysOf);
    default:
      return context.refuse("values of this type");
  }
}

function makeDatetime(context: CallContext): Sql {
  const [value = EMPTY, second] = context.args;
  switch (context.types[0]?.kind) {
    case "DATE":
      return sql`(${value} * toInt64(${numberSql(MICROS_PER_DAY)})${second === undefined ? EMPTY : sql` + ${second}`})`;
    case "TIMESTAMP":
      requireUtc(context, 1);
      return value;
    case "DATETIME":
      return value;
    default:
      return context.refuse("values of this type");
  }
}

function makeTimestamp(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  requireUtc(context, 1);
  switch (context.types[0]?.kind) {
    case "DATE":
      return sql`(${value} * toInt64(${numberSql(MICROS_PER_DAY)}))`;
    case "DATETIME":
    case "TIMESTAMP":
      return value;
    default:
      return context.refuse("values of this type");
  }
}

function makeTime(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  switch (context.types[0]?.kind) {
    case "TIME":
      return value;
    case "TIMESTAMP":
      requireUtc(context, 1);
      return clockOf(value);
    case "DATETIME":
      return clockOf(value);
    case "INT64":
      return context.call.arguments[2]?.kind === "Literal" && literalOf(context, 2) !== "60"
        ? clockOfNumbers(context, context.args)
        : context.refuse("a second that is no literal");
    default:
      return context.refuse("values of this type");
  }
}

/** Days or times as text. */
function toText(context: CallContext): Sql {
  const kind = context.types[0]?.kind;
  if (kind !== "DATE" && kind !== "TIME" && kind !== "DATETIME" && kind !== "TIMESTAMP")
    return context.refuse("values of this type");
  if (kind === "TIMESTAMP") requireUtc(context, 1);
  return context.bind([context.args[0] ?? EMPTY], (v) => castText(v, kind));
}

/** The time at which the run began, for all of its parts. */
const NOW = placeholder(NOW_PLACEHOLDER, "Int64");

function current(print: (now: Sql) => Sql): PrintCall {
  return (context) => {
    if (context.args.length > 0 || context.timeZone !== "UTC") requireUtc(context, 0);
    return print(NOW);
  };
}

const textOf = (context: CallContext) => formatTime(context, literalOf(context, 0), context.args[1] ?? EMPTY);

export const timeFunctions: FunctionTable = {
  $extract: extract,
  // The amount alone: what reads an interval knows its part.
  $interval: ({ args }) => args[0] ?? EMPTY,
  CURRENT_DATE: current(daysOf),
  CURRENT_DATETIME: current((now) => now),
  CURRENT_TIME: current(clockOf),
  CURRENT_TIMESTAMP: () => NOW,
  DATE: makeDate,
  DATE_ADD: takingIntervals(move("+")),
  DATE_BUCKET: takingIntervals(bucket),
  DATE_DIFF: difference,
  DATE_FROM_UNIX_DATE: fromUnixDate,
  DATE_SUB: takingIntervals(move("-")),
  DATE_TRUNC: truncate,
  DATETIME: makeDatetime,
  DATETIME_ADD: takingIntervals(move("+")),
  DATETIME_BUCKET: takingIntervals(bucket),
  DATETIME_DIFF: difference,
  DATETIME_SUB: takingIntervals(move("-")),
  DATETIME_TRUNC: truncate,
  FORMAT_DATE: textOf,
  FORMAT_DATETIME: textOf,
  FORMAT_TIME: textOf,
  FORMAT_TIMESTAMP: (context) => {
    requireUtc(context, 2);
    return textOf(context);
  },
  GENERATE_DATE_ARRAY: takingIntervals(generate),
  GENERATE_TIMESTAMP_ARRAY: takingIntervals(generate),
  LAST_DAY: lastDay,
  PARSE_DATE: parseTime("DATE"),
  PARSE_DATETIME: parseTime("DATETIME"),
  PARSE_TIME: parseTime("TIME"),
  PARSE_TIMESTAMP: parseTime("TIMESTAMP"),
  STRING: toText,
  TIME: makeTime,
  TIME_ADD: takingIntervals(move("+")),
  TIME_DIFF: difference,
  TIME_SUB: takingIntervals(move("-")),
  TIME_TRUNC: truncateTime,
  TIMESTAMP: makeTimestamp,
  TIMESTAMP_ADD: takingIntervals(move("+")),
  TIMESTAMP_BUCKET: takingIntervals(bucket),
  TIMESTAMP_DIFF: difference,
  TIMESTAMP_FROM_UNIX_MICROS: fromUnix(1n),
  TIMESTAMP_FROM_UNIX_MILLIS: fromUnix(1_000n),
  TIMESTAMP_FROM_UNIX_SECONDS: fromUnix(1_000_000n),
  TIMESTAMP_MICROS: fromUnix(1n),
  TIMESTAMP_MILLIS: fromUnix(1_000n),
  TIMESTAMP_SECONDS: fromUnix(1_000_000n),
  TIMESTAMP_SUB: takingIntervals(move("-")),
  TIMESTAMP_TRUNC: truncate,
  UNIX_DATE: ({ args }) => args[0] ?? EMPTY,
  UNIX_MICROS: toUnix(1n),
  UNIX_MILLIS: toUnix(1_000n),
  UNIX_SECONDS: toUnix(1_000_000n),
};
