/**
 * INTERVAL is DuckDB's own: months, days and microseconds. It compares as GoogleSQL's does (a month is 30 days, a day
 * 24 hours).
 */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { MICROS_PER_DAY, MICROS_PER_PART, MONTHS_PER_PART } from "../../../../values/calendar.ts";
import { INTERVAL_LIMITS, INTERVAL_UNITS, type IntervalParts, parseInterval } from "../../../../values/interval.ts";
import { NULL, nameSql, numberSql, signSql, textSql } from "../../sql/atoms.ts";
import { raiseError, raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { CLOCK_PARTS, refuseCall } from "./date-parts.ts";
import { type IntervalPartsSql, intervalParts } from "./interval-parts.ts";
import { checkDate, checkedDateOf, checkTimestamp } from "./temporal-bounds.ts";
import { CURRENT_INSTANT } from "./time-zone.ts";

const fieldMakers: Readonly<Record<keyof IntervalParts, (n: Sql) => Sql>> = {
  months: (n) => sql`to_months(CAST(${n} AS INTEGER))`,
  days: (n) => sql`to_days(CAST(${n} AS INTEGER))`,
  micros: (n) => sql`to_microseconds(${n})`,
};

/** So many of a date part; fails where INTERVAL has no room for them. */
function makeInterval(n: Sql, part: string): Sql {
  const unit = INTERVAL_UNITS.get(part);
  if (unit === undefined) throw new Error(`No INTERVAL is made of ${part}`);
  const { field, factor } = unit;
  const max = INTERVAL_LIMITS[field] / factor;
  return computeOnce([n], "interval", (v) => {
    const raise = raiseError(sql`concat('INTERVAL ', ${v}, ${textSql(` ${part} is out of range`)})`);
    const made = fieldMakers[field](factor === 1n ? v : sql`${v} * ${numberSql(factor)}`);
    return sql`CASE WHEN ${v} > ${numberSql(max)} OR ${v} < ${numberSql(-max)} THEN ${raise} ELSE ${made} END`;
  });
}

function fromChecked({ months, days, micros }: IntervalPartsSql): Sql {
  return sql`CAST(lw_interval_check(${months}, ${days}, ${micros}) AS INTERVAL)`;
}

/** A JavaScript function over the fields of an interval; DuckDB casts its result to one. */
function callOnParts(name: string, interval: Sql, extra: Sql): Sql {
  const { months, days, micros } = intervalParts(interval);
  return sql`CAST(${nameSql(name)}(${months}, ${days}, ${micros}, ${extra}) AS INTERVAL)`;
}

/** Facts about an interval before the query runs: the part it is made of, or which of its fields are zero. */
interface KnownInterval {
  readonly part?: string;
  readonly hasMonths?: boolean;
  readonly hasDays?: boolean;
  readonly hasMicros?: boolean;
  /** At most a thousand years: then no current date can leave the calendar by it. */
  readonly isModest?: boolean;
}

/** Reads it off the resolved expression. */
export function knownInterval(expression: Expr | undefined): KnownInterval {
  if (expression?.kind === "Literal" && expression.value !== null) {
    const parts = parseInterval(expression.value);
    const years = Math.abs(parts.months) / 12 + Math.abs(parts.days) / 365 + Math.abs(Number(parts.micros)) / 3.1e13;
    return {
      hasMonths: parts.months !== 0,
      hasDays: parts.days !== 0,
      hasMicros: parts.micros !== 0n,
      isModest: years < 1000,
    };
  }
  const unit = expression?.kind === "Call" && expression.function === "$interval" ? expression.arguments[1] : undefined;
  if (unit?.kind !== "DatePart") return {};
  const hasMonths = MONTHS_PER_PART[unit.part] !== undefined;
  return { part: unit.part, hasMonths, hasMicros: !hasMonths && unit.part !== "WEEK" && unit.part !== "DAY" };
}

const NO_MONTHS = "TIMESTAMP and INTERVAL: an interval with a MONTH or YEAR part cannot move an instant";

/** An INTERVAL that is known, or checked when the query runs, to have no months. */
function withoutMonths(interval: Sql, known: KnownInterval): Sql {
  if (known.hasMonths === false) return interval;
  return computeOnce(
    [interval],
    "months",
    (v) => sql`CASE WHEN ${intervalParts(v).months} <> 0 THEN ${raiseText(NO_MONTHS)} ELSE ${v} END`,
  );
}

const OVERFLOW = "The result of adding or subtracting an INTERVAL is out of the range of its type";

/**
 * `value + interval`, or `value - interval`. A DATE gives a DATETIME. Fails out of the calendar, and for a TIMESTAMP
 * with an interval of months. `expression` is the interval's resolved expression, where the caller has it: it spares
 * checks.
 */
function moveByInterval(value: Sql, type: SqlType, operator: "+" | "-", interval: Sql, expression?: Expr): Sql {
  const known = knownInterval(expression);
  const amount = type.kind === "TIMESTAMP" ? withoutMonths(interval, known) : interval;
  const mayFail = expression?.kind !== "Literal" || amount !== interval;
  const moved = unlessNull(value, mayFail, (v) => sql`(${v} ${signSql(operator)} ${amount})`);
  if (type.kind === "TIME" || (value === CURRENT_INSTANT && known.isModest === true)) return moved;
  return checkTimestamp(moved, OVERFLOW);
}

/** Prints NULL for a NULL operand, even if the interval fails. */
function unlessNull(value: Sql, mayFail: boolean, move: (value: Sql) => Sql): Sql {
  if (!mayFail || value === CURRENT_INSTANT) return move(value);
  return computeOnce([value], "moved", (v) => sql`CASE WHEN ${v} IS NOT NULL THEN ${move(v)} END`);
}

/** `date + days` or `date - days`, a DATE. */
function moveDateByDays(date: Sql, operator: "+" | "-", days: Sql): Sql {
  const message = "The result of adding days to a DATE is out of its range";
  const limit = raiseText(message);
  const moved = computeOnce([date, days], "days", (value, count) => {
    const bounded = sql`CAST(CASE WHEN ${count} NOT BETWEEN -3652059 AND 3652059 THEN ${limit} ELSE ${count} END AS INTEGER)`;
    return sql`CASE WHEN ${value} IS NOT NULL THEN ${value} ${signSql(operator)} ${bounded} END`;
  });
  return checkDate(moved, message);
}

/**
 * `later - earlier` of two DATEs (in days), DATETIMEs (in days and a rest), TIMEs or TIMESTAMPs (in hours, minutes
 * and seconds), an INTERVAL.
 */
function temporalDifference({ args: [later = EMPTY, earlier = EMPTY], types: [type] }: CallContext<CallExpr>): Sql {
  if (type?.kind === "DATE") return sql`to_days(CAST(${later} - ${earlier} AS INTEGER))`;
  const micros = sql`(epoch_us(${later}) - epoch_us(${earlier}))`;
  if (type?.kind !== "DATETIME") return sql`to_microseconds${micros}`;
  return computeOnce([micros], "between", (v) => {
    return sql`(to_days(CAST(${v} // ${DAY_MICROS} AS INTEGER)) + to_microseconds(${v} % ${DAY_MICROS}))`;
  });
}

const DAY_MICROS = numberSql(86_400_000_000);

/** `interval + interval` or `interval - interval`. */
function combineIntervals(operands: readonly Sql[], operator: "+" | "-"): Sql {
  return computeOnce(operands, "combined", (a, b) => {
    const [x, y] = [intervalParts(a), intervalParts(b)];
    const combine = (part: keyof IntervalPartsSql) => sql`(${x[part]} ${signSql(operator)} ${y[part]})`;
    return fromChecked({ months: combine("months"), days: combine("days"), micros: combine("micros") });
  });
}

/** The date or time at one place, moved by the amount at the other: days, or an interval. */
function moveTemporal(
  { args, types, type, call }: CallContext<CallExpr>,
  operator: "+" | "-",
  [at, by]: readonly [number, number],
): Sql {
  const [value = EMPTY, amount = EMPTY] = [args[at], args[by]];
  if (types[by]?.kind === "INT64") return moveDateByDays(value, operator, amount);
  return moveByInterval(value, types[at] ?? type, operator, amount, call.arguments[by]);
}

/** `x + y`: a date and days, a date or time and an interval, in either order, or two intervals. */
export function addTemporal(context: CallContext<CallExpr>): Sql {
  const [left, right] = context.types;
  if (left?.kind === "INTERVAL" && right?.kind === "INTERVAL") return combineIntervals(context.args, "+");
  return moveTemporal(context, "+", left?.kind === "INTERVAL" || left?.kind === "INT64" ? [1, 0] : [0, 1]);
}

/** `x - y`: as `addTemporal` has it, and the difference of two dates or times. */
export function subtractTemporal(context: CallContext<CallExpr>): Sql {
  const [left, right] = context.types;
  if (right?.kind !== "INT64" && right?.kind !== "INTERVAL") return temporalDifference(context);
  return left?.kind === "INTERVAL" ? combineIntervals(context.args, "-") : moveTemporal(context, "-", [0, 1]);
}

/** `interval * n`, in either order; fails out of range. */
export function multiplyInterval({ args, types }: CallContext<CallExpr>): Sql {
  const [interval = EMPTY, factor = EMPTY] = types[0]?.kind === "INTERVAL" ? args : [args[1], args[0]];
  return computeOnce([interval, factor], "times", (i, n) => {
    const { months, days, micros } = intervalParts(i);
    return fromChecked({ months: sql`${months} * ${n}`, days: sql`${days} * ${n}`, micros: sql`${micros} * ${n}` });
  });
}

/** `interval / n`: what is left of months is carried into days, and of days into hours. Fails for zero. */
export function divideInterval({ args }: CallContext<CallExpr>): Sql {
  return computeOnce(args, "over", (i, n) => callOnParts("lw_interval_divide", i, n));
}

/** The canonical text of an INTERVAL. */
export function intervalToText(interval: Sql): Sql {
  return computeOnce([interval], "text", (v) => {
    const { months, days, micros } = intervalParts(v);
    return sql`lw_interval_to_text(${months}, ${days}, ${micros})`;
  });
}

/** EXTRACT of a part from an INTERVAL. */
export function extractFromInterval(interval: Sql, part: string): Sql {
  switch (part) {
    case "MILLISECOND":
      return sql`(datepart('microsecond', ${interval}) % 1000000 // 1000)`;
    case "MICROSECOND":
      return sql`(datepart('microsecond', ${interval}) % 1000000)`;
    default:
      return sql`datepart(${textSql(part.toLowerCase())}, ${interval})`;
  }
}

const dateParts = ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];

/** Parts that *_ADD and *_SUB take for each type. */
const addableParts: Readonly<Record<string, readonly string[]>> = {
  DATE: dateParts,
  TIME: CLOCK_PARTS,
  DATETIME: [...CLOCK_PARTS, ...dateParts],
  TIMESTAMP: [...CLOCK_PARTS, "DAY"],
};

function checkAddable(call: CallExpr, type: SqlType): KnownInterval {
  const known = knownInterval(call.arguments[1]);
  const isWrong =
    known.part === undefined
      ? (type.kind === "DATE" && known.hasMicros === true) ||
        (type.kind === "TIMESTAMP" && known.hasMonths === true) ||
        (type.kind === "TIME" && (known.hasMonths === true || known.hasDays === true))
      : !addableParts[type.kind]?.includes(known.part);
  if (isWrong) {
    const what =
      known.part === undefined
        ? `an INTERVAL with ${known.hasMonths === true ? "months" : type.kind === "TIME" ? "days" : "a time part"}`
        : `the ${known.part} date part`;
    refuseCall(call, `${call.function} does not support ${what} for ${type.kind}`);
  }
  return known;
}

/** A time of day that is any number of a part away. */
function moveClock(time: Sql, operator: "+" | "-", n: Sql, part: string): Sql {
  const unit = MICROS_PER_PART[part] ?? 1n;
  const rest = sql`${n} % ${numberSql(MICROS_PER_DAY / unit)} * ${numberSql(unit)}`;
  return sql`(${time} ${signSql(operator)} ${fieldMakers.micros(rest)})`;
}

/** DATE_ADD, DATETIME_ADD, TIME_ADD and TIMESTAMP_ADD of any of these types, and the _SUB functions. */
export function printMove(context: CallContext<CallExpr>, operator: "+" | "-"): Sql {
  const { args, types, call } = context;
  const [value = EMPTY, interval = EMPTY] = args;
  const type = types[0] ?? context.type;
  const { part } = checkAddable(call, type);
  if (type.kind === "TIME" && part !== undefined) return moveClock(value, operator, interval, part);
  if (type.kind !== "DATE") return moveByInterval(value, type, operator, interval, call.arguments[1]);
  const moved = unlessNull(
    value,
    call.arguments[1]?.kind !== "Literal",
    (v) => sql`(${v} ${signSql(operator)} ${interval})`,
  );
  return checkedDateOf(moved, OVERFLOW);
}

const ZERO = numberSql(0);

function printMakeInterval({ args }: CallContext<CallExpr>): Sql {
  const [year = ZERO, month = ZERO, day = ZERO, hour = ZERO, minute = ZERO, second = ZERO] = args;
  const micros = sql`(${hour} * 3600000000 + ${minute} * 60000000 + ${second} * 1000000)`;
  return fromChecked({ months: sql`(${year} * 12 + ${month})`, days: day, micros });
}

function printJustify(mode: "DAYS" | "HOURS" | "INTERVAL"): FunctionTable[string] {
  return ({ args }) =>
    computeOnce([args[0] ?? EMPTY], "justify", (v) => callOnParts("lw_interval_justify", v, textSql(mode)));
}

/** INTERVAL functions of the reference, and the constructor that the resolver calls `$interval`. */
export const intervalFunctions: FunctionTable = {
  $interval: ({ args, call }) => {
    const part = call.arguments[1];
    if (part?.kind !== "DatePart" || !INTERVAL_UNITS.has(part.part))
      return refuseCall(call, "INTERVAL needs a date part");
    return makeInterval(args[0] ?? NULL, part.part);
  },
  MAKE_INTERVAL: printMakeInterval,
  JUSTIFY_DAYS: printJustify("DAYS"),
  JUSTIFY_HOURS: printJustify("HOURS"),
  JUSTIFY_INTERVAL: printJustify("INTERVAL"),
};
