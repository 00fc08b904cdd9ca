/** Date parts of calls: what they are, cutting to them, taking them out, and counting their boundaries. */
import type { DatePartExpr } from "../../../../googlesql/resolved.ts";
import { MICROS_PER_DAY, MICROS_PER_PART, MIN_DAY } from "../../../../values/calendar.ts";
import { numberSql } from "../../sql/atoms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { literalOf } from "../rows.ts";
import type { CallContext } from "../types.ts";
import {
  clockOf,
  DAY,
  dayOfYear,
  daysFromCivil,
  daysIntoWeek,
  daysOf,
  field,
  floorDivide,
  isoYearOf,
  lastDayOfMonth,
  remainder,
  yearOf,
} from "./calendar.ts";

const WEEKDAYS = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];

function partOf({ call }: CallContext, index: number): DatePartExpr {
  const part = call.arguments[index];
  if (part?.kind !== "DatePart") throw new Error(`${call.function} was resolved without a date part`);
  return part;
}

/** 0 for weeks that begin on Monday. */
function firstDayOf({ part, weekday }: DatePartExpr): number {
  return part === "ISOWEEK" ? 0 : WEEKDAYS.indexOf(weekday ?? "SUNDAY");
}

/** The time zone that an argument names, else that of the session. */
function zoneOf(context: CallContext, index: number): string {
  return context.args.length > index ? (literalOf(context, index) ?? "of the rows") : context.timeZone;
}

/** Clocks of the zone show UTC. */
export function requireUtc(context: CallContext, zoneIndex: number): void {
  const zone = zoneOf(context, zoneIndex);
  if (zone !== "UTC") context.refuse(`the time zone ${zone}`);
}

/** Days cut to a part. */
const cutDaysTo: Readonly<Record<string, (days: Sql, part: DatePartExpr) => Sql>> = {
  DAY: (days) => days,
  WEEK: cutToWeek,
  ISOWEEK: cutToWeek,
  MONTH: (days) => sql`(${days} - ${field("toDayOfMonth", days)} + 1)`,
  QUARTER(days) {
    const month = field("toMonth", days);
    return daysFromCivil(yearOf(days), sql`(${month} - (${month} - 1) % 3)`, numberSql(1));
  },
  YEAR: (days) => sql`(${days} - ${dayOfYear(days)} + 1)`,
  ISOYEAR: (days) => sql`(${days} - ${daysIntoWeek(days, 0)} - (${field("toISOWeek", days)} - 1) * 7)`,
};

function cutToWeek(days: Sql, part: DatePartExpr): Sql {
  return sql`(${days} - ${daysIntoWeek(days, firstDayOf(part))})`;
}

function outOfRange(days: Sql): Sql {
  return sql`${days} < ${numberSql(MIN_DAY)}`;
}

export function truncate(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  const kind = context.types[0]?.kind;
  const part = partOf(context, 1);
  if (kind === "DATE") return cutDays(context, value, part, (days) => days);
  const unit = MICROS_PER_PART[part.part];
  if (kind === "TIME" && (unit ?? MICROS_PER_DAY) >= MICROS_PER_DAY) return context.refuse("this date part");
  if (kind === "TIMESTAMP" && !["MICROSECOND", "MILLISECOND", "SECOND"].includes(part.part)) requireUtc(context, 2);
  if (unit !== undefined && part.part !== "WEEK") {
    return unit === 1n ? value : context.bind([value], (t) => sql`(${t} - ${remainder(t, unit)})`);
  }
  return cutDays(context, context.bind([value], daysOf), part, (days) => sql`(${days} * ${DAY})`);
}

function cutDays(context: CallContext, value: Sql, part: DatePartExpr, wrap: (days: Sql) => Sql): Sql {
  return context.bind([value], (days) => {
    const cut = cutDaysTo[part.part]?.(days, part) ?? context.refuse(`the date part ${part.part}`);
    if (!["WEEK", "ISOWEEK", "ISOYEAR"].includes(part.part)) return wrap(cut);
    return context.failIf(outOfRange(cut), `Truncating to ${part.part} leaves the range of dates`, wrap(cut));
  });
}

export function difference(context: CallContext): Sql {
  const [late = EMPTY, early = EMPTY] = context.args;
  const kind = context.types[0]?.kind;
  const part = partOf(context, 2);
  const unit = MICROS_PER_PART[part.part];
  if (kind === "TIMESTAMP") {
    if (unit === undefined || part.part === "WEEK") return context.refuse(`the date part ${part.part}`);
    return unit === 1n ? sql`(${late} - ${early})` : sql`intDiv(${late} - ${early}, toInt64(${numberSql(unit)}))`;
  }
  if (kind === "DATE" && context.types[1]?.kind === "DATE") return daysBetween(context, late, early, part);
  if (context.types[1]?.kind !== kind) return context.refuse("values of two types");
  return context.bind([late, early], (l, e) => {
    if (unit === 1n) return sql`(${l} - ${e})`;
    if (unit !== undefined && unit < MICROS_PER_DAY) return sql`(${floorDivide(l, unit)} - ${floorDivide(e, unit)})`;
    return daysBetween(context, daysOf(l), daysOf(e), part);
  });
}

/** Boundaries of the part between two days. */
function daysBetween(context: CallContext, late: Sql, early: Sql, part: DatePartExpr): Sql {
  return context.bind([late, early], (l, e) => {
    switch (part.part) {
      case "DAY":
        return sql`(${l} - ${e})`;
      case "WEEK":
      case "ISOWEEK":
        return sql`intDiv(${cutToWeek(l, part)} - ${cutToWeek(e, part)}, 7)`;
      case "MONTH":
        return sql`(${yearOf(l)} * 12 + ${field("toMonth", l)} - ${yearOf(e)} * 12 - ${field("toMonth", e)})`;
      case "QUARTER":
        return sql`(${yearOf(l)} * 4 + ${field("toQuarter", l)} - ${yearOf(e)} * 4 - ${field("toQuarter", e)})`;
      case "YEAR":
        return sql`(${yearOf(l)} - ${yearOf(e)})`;
      case "ISOYEAR":
        return sql`(${isoYearOf(l)} - ${isoYearOf(e)})`;
      default:
        return context.refuse(`the date part ${part.part}`);
    }
  });
}

const CLOCK_FIELDS: Readonly<Record<string, readonly [unit: bigint, count: bigint]>> = {
  MICROSECOND: [1n, 1_000_000n],
  MILLISECOND: [1_000n, 1_000n],
  SECOND: [1_000_000n, 60n],
  MINUTE: [60_000_000n, 60n],
  HOUR: [3_600_000_000n, 24n],
};

export function extract(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  const part = partOf(context, 1);
  const kind = context.types[0]?.kind;
  if (kind === "TIMESTAMP") requireUtc(context, 2);
  if (kind !== "DATE" && kind !== "TIMESTAMP" && kind !== "DATETIME" && kind !== "TIME") {
    return context.refuse(`values of the type ${kind}`);
  }
  const clock = CLOCK_FIELDS[part.part];
  if (clock !== undefined) {
    if (kind === "DATE") return context.refuse(`the date part ${part.part}`);
    const [unit, count] = clock;
    return sql`intDiv(${remainder(value, unit * count)}, toInt64(${numberSql(unit)}))`;
  }
  if (part.part === "TIME") return clockOf(value);
  if (part.part === "DATETIME") return value;
  return context.bind([kind === "DATE" ? value : context.bind([value], daysOf)], (days) => {
    return dayFields[part.part]?.(days, part) ?? context.refuse(`the date part ${part.part}`);
  });
}

/** Parts of days. */
const dayFields: Readonly<Record<string, (days: Sql, part: DatePartExpr) => Sql>> = {
  DATE: (days) => days,
  YEAR: yearOf,
  ISOYEAR: isoYearOf,
  QUARTER: (days) => field("toQuarter", days),
  MONTH: (days) => field("toMonth", days),
  DAY: (days) => field("toDayOfMonth", days),
  DAYOFYEAR: dayOfYear,
  DAYOFWEEK: (days) => sql`(${daysIntoWeek(days, 6)} + 1)`,
  ISOWEEK: (days) => field("toISOWeek", days),
  WEEK: (days, part) => sql`intDiv(${dayOfYear(days)} + 6 - ${daysIntoWeek(days, firstDayOf(part))}, 7)`,
};

export function lastDay(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  const part = context.args.length > 1 ? partOf(context, 1).part : "MONTH";
  const isDate = context.types[0]?.kind === "DATE";
  return context.bind([isDate ? value : context.bind([value], daysOf)], (days) => {
    const [year, month] = [yearOf(days), field("toMonth", days)];
    switch (part) {
      case "MONTH":
        return context.bind([year, month], (y, m) => daysFromCivil(y, m, lastDayOfMonth(y, m)));
      case "QUARTER": {
        const last = sql`(${month} + 2 - (${month} - 1) % 3)`;
        return context.bind([year, last], (y, m) => daysFromCivil(y, m, lastDayOfMonth(y, m)));
      }
      case "YEAR":
        return daysFromCivil(year, numberSql(12), numberSql(31));
      default:
        return context.refuse(`the date part ${part}`);
    }
  });
}
