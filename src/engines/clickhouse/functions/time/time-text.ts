/** Dates and times as text. */

import { numberSql, textSql } from "../../sql/atoms.ts";
import { callSql, joinSql, type Sql, sql } from "../../sql/sql.ts";
import type { CallContext } from "../types.ts";
import { clockOf, dayOfYear, daysOf, field, padded, serverDate, yearOf } from "./calendar.ts";

interface Fields {
  /** Days since 1970; undefined for a TIME. */
  readonly days: Sql | undefined;
  /** Microseconds since midnight; undefined for a DATE. */
  readonly clock: Sql | undefined;
  readonly isTimestamp: boolean;
}

const listOf = (names: string) => sql`[${joinSql(names.split(" ").map(textSql), ", ")}]`;
const MONTHS = listOf("January February March April May June July August September October November December");
const WEEKDAYS = listOf("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");

const hour = (clock: Sql) => sql`intDiv(${clock}, toInt64(3600000000))`;
const minute = (clock: Sql) => sql`intDiv(${clock}, 60000000) % 60`;
const second = (clock: Sql) => sql`intDiv(${clock}, 1000000) % 60`;
const fraction = (clock: Sql) => sql`(${clock} % 1000000)`;

type PrintElement = (value: Sql) => Sql;

/** Elements by their letters, over days. */
const dateElements: Readonly<Record<string, PrintElement>> = {
  Y: (days) => sql`toString(${yearOf(days)})`,
  m: (days) => padded(field("toMonth", days), 2),
  d: (days) => padded(field("toDayOfMonth", days), 2),
  y: (days) => padded(sql`${yearOf(days)} % 100`, 2),
  j: (days) => padded(dayOfYear(days), 3),
  F: (days) => sql`concat(toString(${yearOf(days)}), substring(toString(${serverDate(days)}), 5))`,
  B: (days) => sql`${MONTHS}[toMonth(${serverDate(days)})]`,
  b: shortMonth,
  h: shortMonth,
  A: (days) => sql`${WEEKDAYS}[toDayOfWeek(${serverDate(days)})]`,
  a: (days) => sql`substring(${WEEKDAYS}[toDayOfWeek(${serverDate(days)})], 1, 3)`,
  u: (days) => sql`toString(toDayOfWeek(${serverDate(days)}))`,
  w: (days) => sql`toString(toDayOfWeek(${serverDate(days)}) % 7)`,
};

function shortMonth(days: Sql): Sql {
  return sql`substring(${MONTHS}[toMonth(${serverDate(days)})], 1, 3)`;
}

/** Elements by their letters, over microseconds since midnight. */
const clockElements: Readonly<Record<string, PrintElement>> = {
  H: (clock) => padded(hour(clock), 2),
  I: (clock) => padded(sql`((${hour(clock)} + 11) % 12 + 1)`, 2),
  M: (clock) => padded(minute(clock), 2),
  S: (clock) => padded(second(clock), 2),
  T: clockText,
  R: (clock) => sql`concat(${padded(hour(clock), 2)}, ':', ${padded(minute(clock), 2)})`,
  p: (clock) => sql`if(${hour(clock)} < 12, 'AM', 'PM')`,
};

/** Seconds with the digits of their fraction that are no trailing zeros. */
function wholeSeconds(clock: Sql): Sql {
  const digits = sql`replaceRegexpOne(${padded(fraction(clock), 6)}, '0+$', '')`;
  return sql`concat(${padded(second(clock), 2)}, if(${fraction(clock)} = 0, '', concat('.', ${digits})))`;
}

function element(token: string, { days, clock, isTimestamp }: Fields): Sql | undefined {
  if (token === "%%") return textSql("%");
  if (token === "%E*S") return clock === undefined ? undefined : wholeSeconds(clock);
  const digits = /^%E([3-6])S$/.exec(token)?.[1];
  if (digits !== undefined && clock !== undefined) {
    return sql`concat(${padded(second(clock), 2)}, '.', substring(${padded(fraction(clock), 6)}, 1, ${numberSql(BigInt(digits))}))`;
  }
  if (token === "%Z") return isTimestamp ? textSql("UTC") : undefined;
  if (token === "%z") return isTimestamp ? textSql("+0000") : undefined;
  if (token === "%Ez") return isTimestamp ? textSql("+00:00") : undefined;
  const letter = token.slice(1);
  return (days && dateElements[letter]?.(days)) ?? (clock && clockElements[letter]?.(clock));
}

/** `YYYY-MM-DD` of days. */
function dateText(days: Sql): Sql {
  return sql`concat(${padded(yearOf(days), 4)}, substring(toString(${serverDate(days)}), 5))`;
}

/** `HH:MM:SS` of microseconds since midnight. */
function clockText(clock: Sql): Sql {
  return sql`concat(${padded(hour(clock), 2)}, ':', ${padded(minute(clock), 2)}, ':', ${padded(second(clock), 2)})`;
}

/** The fraction of a second as CAST writes it: three digits, six, or none. */
function fractionText(clock: Sql): Sql {
  const micros = fraction(clock);
  const millis = padded(sql`intDiv(${micros}, 1000)`, 3);
  return sql`multiIf(${micros} = 0, '', ${micros} % 1000 = 0, concat('.', ${millis}), concat('.', ${padded(micros, 6)}))`;
}

/** FORMAT_ functions over a format that is written out, whose elements are all known here. */
export function formatTime(context: CallContext, format: string | undefined, value: Sql): Sql {
  const kind = context.types[1]?.kind;
  if (format === undefined) return context.refuse("a format that is no literal");
  return context.bind([value], (v) => {
    const days = kind === "DATE" ? v : kind === "TIME" ? undefined : daysOf(v);
    const clock = kind === "DATE" ? undefined : kind === "TIME" ? v : clockOf(v);
    const tokens = format.match(/%E[*0-9#]?[A-Za-z]|%.|[^%]+|%/gs) ?? [];
    const parts = tokens.map((token) => {
      if (!token.startsWith("%")) return textSql(token);
      const fields = { days, clock, isTimestamp: kind === "TIMESTAMP" };
      return element(token, fields) ?? context.refuse(`the format element ${token}`);
    });
    return sql`if(isNull(${v}), NULL, concat('', '', ${joinSql(parts, ", ")}))`;
  });
}

/** A date or time as CAST writes it, over a name; TIMESTAMPs in UTC. */
export function castText(value: Sql, kind: "DATE" | "TIME" | "DATETIME" | "TIMESTAMP"): Sql {
  if (kind === "DATE") return dateText(value);
  if (kind === "TIME") return sql`concat(${clockText(value)}, ${fractionText(value)})`;
  const clock = clockOf(value);
  const zone = kind === "TIMESTAMP" ? [textSql("+00")] : [];
  return callSql("concat", [dateText(daysOf(value)), textSql(" "), clockText(clock), fractionText(clock), ...zone]);
}
