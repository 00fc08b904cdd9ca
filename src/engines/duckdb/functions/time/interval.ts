/**
 * INTERVAL is DuckDB's own: months, days and microseconds. It compares as GoogleSQL's does (a month is 30 days, a day
 * 24 hours). What operators print stands here, for the row of the operator to call.
 */
import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { parseInterval } from "../../../../semantics/time/calendar.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { refuseCall } from "./date-parts.ts";
import { type IntervalPartsSql, intervalParts } from "./interval-parts.ts";
import { checkDate, checkedDateOf, checkTimestamp } from "./temporal-bounds.ts";
import { CURRENT_INSTANT } from "./time-zone.ts";

/** How a part makes an interval of a number, and the largest number that INTERVAL has room for. */
const partMakers: Readonly<Record<string, { readonly make: (n: string) => string; readonly max: number }>> = {
  YEAR: { make: (n) => `to_months(CAST(${n} * 12 AS INTEGER))`, max: 10_000 },
  QUARTER: { make: (n) => `to_months(CAST(${n} * 3 AS INTEGER))`, max: 40_000 },
  MONTH: { make: (n) => `to_months(CAST(${n} AS INTEGER))`, max: 120_000 },
  WEEK: { make: (n) => `to_days(CAST(${n} * 7 AS INTEGER))`, max: 522_857 },
  DAY: { make: (n) => `to_days(CAST(${n} AS INTEGER))`, max: 3_660_000 },
  HOUR: { make: (n) => `to_microseconds(${n} * 3600000000)`, max: 87_840_000 },
  MINUTE: { make: (n) => `to_microseconds(${n} * 60000000)`, max: 5_270_400_000 },
  SECOND: { make: (n) => `to_microseconds(${n} * 1000000)`, max: 316_224_000_000 },
  MILLISECOND: { make: (n) => `to_microseconds(${n} * 1000)`, max: 316_224_000_000_000 },
  MICROSECOND: { make: (n) => `to_microseconds(${n})`, max: 316_224_000_000_000_000 },
};

function makeInterval(n: string, part: string): string {
  const maker = partMakers[part];
  if (maker === undefined) throw new Error(`No INTERVAL is made of ${part}`);
  const { make, max } = maker;
  return computeOnce([n], "interval", (v) => {
    const raise = raiseError(`concat('INTERVAL ', ${v}, ' ${part} is out of range')`);
    return `CASE WHEN ${v} > ${max} OR ${v} < -${max} THEN ${raise} ELSE ${make(v)} END`;
  });
}

function fromChecked({ months, days, micros }: IntervalPartsSql): string {
  return `CAST(lw_interval_check(${months}, ${days}, ${micros}) AS INTERVAL)`;
}

/** A function of ours over the fields of an interval, which answers what DuckDB casts to one. */
function callOnParts(name: string, interval: string, extra: string): string {
  const { months, days, micros } = intervalParts(interval);
  return `CAST(${name}(${months}, ${days}, ${micros}, ${extra}) AS INTERVAL)`;
}

/** What is known of an interval before the query runs: the part it is made of, or which of its fields are zero. */
export interface KnownInterval {
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
    if (parts === undefined) return {};
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
  const hasMonths = ["YEAR", "QUARTER", "MONTH"].includes(unit.part);
  return { part: unit.part, hasMonths, hasMicros: !hasMonths && unit.part !== "WEEK" && unit.part !== "DAY" };
}

const NO_MONTHS = "TIMESTAMP and INTERVAL: an interval with a MONTH or YEAR part cannot move an instant";

/** An INTERVAL that is known, or checked when the query runs, to have no months. */
function withoutMonths(interval: string, known: KnownInterval): string {
  if (known.hasMonths === false) return interval;
  return computeOnce(
    [interval],
    "months",
    (v) => `CASE WHEN ${intervalParts(v).months} <> 0 THEN ${raiseError(quoteString(NO_MONTHS))} ELSE ${v} END`,
  );
}

const OVERFLOW = "The result of adding or subtracting an INTERVAL is out of the range of its type";

/**
 * `value + interval`, or `value - interval`. A DATE gives a DATETIME. Fails out of the calendar, and for a TIMESTAMP
 * with an interval of months. `expression` is the interval's resolved expression, where the caller has it: it spares
 * checks.
 */
export function moveByInterval(
  value: string,
  type: SqlType,
  operator: "+" | "-",
  interval: string,
  expression?: Expr,
): string {
  const known = knownInterval(expression);
  if (type.kind === "TIME") return `(${value} ${operator} ${interval})`;
  const amount = type.kind === "TIMESTAMP" ? withoutMonths(interval, known) : interval;
  if (value === CURRENT_INSTANT && known.isModest === true) return `(${value} ${operator} ${amount})`;
  return checkTimestamp(`(${value} ${operator} ${amount})`, OVERFLOW);
}

/** `date + days` or `date - days`, a DATE. */
export function moveDateByDays(date: string, operator: "+" | "-", days: string): string {
  const message = "The result of adding days to a DATE is out of its range";
  const limit = raiseError(quoteString(message));
  const bounded = computeOnce(
    [days],
    "days",
    (v) => `CAST(CASE WHEN abs(${v}) > 3652059 THEN ${limit} ELSE ${v} END AS INTEGER)`,
  );
  return checkDate(`(${date} ${operator} ${bounded})`, message);
}

/**
 * `later - earlier` of two DATEs (in days), DATETIMEs (in days and a rest), TIMEs or TIMESTAMPs (in hours, minutes
 * and seconds), an INTERVAL.
 */
export function subtractTemporal(later: string, earlier: string, type: SqlType): string {
  if (type.kind === "DATE") return `to_days(CAST(${later} - ${earlier} AS INTEGER))`;
  const micros = `(epoch_us(${later}) - epoch_us(${earlier}))`;
  if (type.kind !== "DATETIME") return `to_microseconds${micros}`;
  return computeOnce([micros], "between", (v) => {
    return `(to_days(CAST(${v} // ${DAY_MICROS} AS INTEGER)) + to_microseconds(${v} % ${DAY_MICROS}))`;
  });
}

const DAY_MICROS = 86_400_000_000;

/** `interval + interval` or `interval - interval`. */
export function combineIntervals(left: string, operator: "+" | "-", right: string): string {
  return computeOnce([left, right], "combined", (a, b) => {
    const [x, y] = [intervalParts(a), intervalParts(b)];
    return fromChecked({
      months: `(${x.months} ${operator} ${y.months})`,
      days: `(${x.days} ${operator} ${y.days})`,
      micros: `(${x.micros} ${operator} ${y.micros})`,
    });
  });
}

/** `interval * n`; fails out of range. */
export function multiplyInterval(interval: string, factor: string): string {
  return computeOnce([interval, factor], "times", (i, n) => {
    const { months, days, micros } = intervalParts(i);
    return fromChecked({ months: `${months} * ${n}`, days: `${days} * ${n}`, micros: `${micros} * ${n}` });
  });
}

/** `interval / n`: what is left of months is carried into days, and of days into hours. Fails for zero. */
export function divideInterval(interval: string, divisor: string): string {
  return computeOnce([interval, divisor], "over", (i, n) => callOnParts("lw_interval_divide", i, n));
}

/** The canonical text of an INTERVAL. */
export function intervalToText(interval: string): string {
  return computeOnce([interval], "text", (v) => {
    const { months, days, micros } = intervalParts(v);
    return `lw_interval_to_text(${months}, ${days}, ${micros})`;
  });
}

/** EXTRACT of a part from an INTERVAL. */
export function extractFromInterval(interval: string, part: string): string {
  switch (part) {
    case "MILLISECOND":
      return `(datepart('microsecond', ${interval}) % 1000000 // 1000)`;
    case "MICROSECOND":
      return `(datepart('microsecond', ${interval}) % 1000000)`;
    default:
      return `datepart('${part.toLowerCase()}', ${interval})`;
  }
}

const dateParts = ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];
const clockParts = ["MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"];

/** Parts that *_ADD and *_SUB take for each type. */
const addableParts: Readonly<Record<string, readonly string[]>> = {
  DATE: dateParts,
  TIME: clockParts,
  DATETIME: [...clockParts, ...dateParts],
  TIMESTAMP: [...clockParts, "DAY"],
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

/** DATE_ADD, DATETIME_ADD, TIME_ADD and TIMESTAMP_ADD of any of these types, and the _SUB functions. */
export function printMove(context: CallContext<CallExpr>, operator: "+" | "-"): string {
  const { args, types, call } = context;
  const [value = "", interval = ""] = args;
  const type = types[0] ?? context.type;
  checkAddable(call, type);
  if (type.kind !== "DATE") return moveByInterval(value, type, operator, interval, call.arguments[1]);
  return checkedDateOf(`(${value} ${operator} ${interval})`, OVERFLOW);
}

function printMakeInterval({ args }: CallContext<CallExpr>): string {
  const [year, month, day, hour, minute, second] = [0, 1, 2, 3, 4, 5].map((index) => args[index] ?? "0");
  const micros = `(${hour} * 3600000000 + ${minute} * 60000000 + ${second} * 1000000)`;
  return fromChecked({ months: `(${year} * 12 + ${month})`, days: `${day}`, micros });
}

function printJustify(mode: "DAYS" | "HOURS" | "INTERVAL"): FunctionTable[string] {
  return ({ args }) =>
    computeOnce([args[0] ?? ""], "justify", (v) => callOnParts("lw_interval_justify", v, `'${mode}'`));
}

/** INTERVAL functions of the reference, and the constructor that the resolver calls `$interval`. */
export const intervalFunctions: FunctionTable = {
  $interval: ({ args, call }) => {
    const part = call.arguments[1];
    if (part?.kind !== "DatePart" || partMakers[part.part] === undefined)
      return refuseCall(call, "INTERVAL needs a date part");
    return makeInterval(args[0] ?? "NULL", part.part);
  },
  MAKE_INTERVAL: printMakeInterval,
  JUSTIFY_DAYS: printJustify("DAYS"),
  JUSTIFY_HOURS: printJustify("HOURS"),
  JUSTIFY_INTERVAL: printJustify("INTERVAL"),
};
