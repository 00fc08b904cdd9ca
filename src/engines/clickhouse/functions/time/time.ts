/** Functions of dates and times: days and microseconds since 1970 as integers, in UTC. */
import { MAX_DAY, MAX_MICROS, MIN_DAY, MIN_MICROS } from "../../../../values/calendar.ts";
import { numberSql, placeholder } from "../../sql/atoms.ts";
import { NOW_PLACEHOLDER } from "../../sql/spelling.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { literalOf, named } from "../rows.ts";
import { type CallContext, type FunctionTable, type PrintCall, takingIntervals } from "../types.ts";
import { clockOf, DAY, daysFromCivil, daysOf, floorDivide, lastDayOfMonth } from "./calendar.ts";
import { difference, extract, lastDay, requireUtc, truncate } from "./date-parts.ts";
import { move } from "./moves.ts";
import { bucket, generate } from "./series.ts";
import { parseTime } from "./time-parse.ts";
import { formatTime } from "./time-text.ts";

/** A time from a number of units since 1970. */
function fromUnix(unit: bigint): PrintCall {
  return named((context, v) => {
    if (context.types[0]?.kind === "TIMESTAMP") return v;
    const isOutside = sql`${v} < ${numberSql(MIN_MICROS / unit)} OR ${v} > ${numberSql(MAX_MICROS / unit)}`;
    const message = "Timestamp value in Unix time is out of bounds";
    return context.failIf(isOutside, message, sql`(${v} * ${numberSql(unit)})`);
  });
}

const toUnix = (unit: bigint): PrintCall => named((_, v) => floorDivide(v, unit));

function fromUnixDate(context: CallContext, v: Sql): Sql {
  return context.failIf(sql`${v} < ${numberSql(MIN_DAY)} OR ${v} > ${numberSql(MAX_DAY)}`, "Invalid DATE", v);
}

const areThere = (...values: readonly Sql[]) =>
  joinSql(
    values.map((value) => sql`isNotNull(${value})`),
    " AND ",
  );

const dateOfNumbers = named((context, y, m, d) => {
  const isYear = sql`${y} >= 1 AND ${y} <= 9999 AND ${m} >= 1 AND ${m} <= 12`;
  const isValid = sql`${isYear} AND ${d} >= 1 AND ${d} <= ${lastDayOfMonth(y, m)}`;
  const fails = sql`${areThere(y, m, d)} AND NOT (${isValid})`;
  return context.failIf(fails, "Input calculates to an invalid date", daysFromCivil(y, m, d));
});

const timeOfNumbers = named((context, h, m, s) => {
  // A second 60 is the next minute's first, which is no common argument.
  const isKnown = context.call.arguments[2]?.kind === "Literal" && literalOf(context, 2) !== "60";
  if (!isKnown) return context.refuse("a second that is no literal");
  const isValid = sql`${h} >= 0 AND ${h} <= 23 AND ${m} >= 0 AND ${m} <= 59 AND ${s} >= 0 AND ${s} <= 59`;
  const fails = sql`${areThere(h, m, s)} AND NOT (${isValid})`;
  return context.failIf(fails, "Input calculates to an invalid time", sql`((${h} * 60 + ${m}) * 60 + ${s}) * 1000000`);
});

function makeDate(context: CallContext): Sql {
  return context.types[0]?.kind === "INT64" ? dateOfNumbers(context) : context.refuse("values of this type");
}

function makeDatetime(context: CallContext): Sql {
  const [days = EMPTY, clock = EMPTY] = context.args;
  return context.types[1]?.kind === "TIME" ? sql`(${days} * ${DAY} + ${clock})` : context.refuse("values of this type");
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
  DATE_FROM_UNIX_DATE: named(fromUnixDate),
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
  TIME: timeOfNumbers,
  TIME_ADD: takingIntervals(move("+")),
  TIME_DIFF: difference,
  TIME_SUB: takingIntervals(move("-")),
  TIME_TRUNC: truncate,
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
  UNIX_MICROS: ({ args }) => args[0] ?? EMPTY,
  UNIX_MILLIS: toUnix(1_000n),
  UNIX_SECONDS: toUnix(1_000_000n),
};
