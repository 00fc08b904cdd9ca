/** Dates, times and intervals as text, and between one another. Every function takes and gives SQL expressions. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { DATE, TIME, TIMESTAMP } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { intervalToText } from "./interval.ts";
import { isOffset, isUtc, utcFromWall, wallFromUtc } from "./time-zone.ts";

/** Elements that DuckDB prints as GoogleSQL does, for years of four digits. */
const NATIVE_FORMAT = /^(?:[^%]|%[aAbBdFGHIjmMpRSTuUVwWyY%])+$/;
const NATIVE_DATE_FORMAT = /^(?:[^%]|%[aAbBdFGjmuUVwWyY%])+$/;

/** The same elements where DuckDB has no name for them. */
function toNativeFormat(format: string): string {
  const longForms: Readonly<Record<string, string>> = { F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S" };
  return format.replace(/%(.)/gs, (element, letter: string) => longForms[letter] ?? element);
}

function printNative(format: string, value: Sql, otherwise: (value: Sql) => Sql): Sql {
  const native = textSql(toNativeFormat(format));
  return computeOnce(
    [value],
    "format",
    (v) => sql`CASE WHEN ${v} >= DATE '1000-01-01' THEN strftime(${v}, ${native}) ELSE ${otherwise(v)} END`,
  );
}

/** FORMAT_DATE; arguments are SQL. */
export function formatDate(format: Sql, date: Sql): Sql {
  const text = format.literalText;
  const otherwise = (value: Sql) => sql`lw_format_date(${format}, ${value})`;
  return text !== undefined && NATIVE_DATE_FORMAT.test(text) ? printNative(text, date, otherwise) : otherwise(date);
}

/** FORMAT_DATETIME; arguments are SQL. */
export function formatDatetime(format: Sql, datetime: Sql): Sql {
  const text = format.literalText;
  const otherwise = (value: Sql) => sql`lw_format_datetime(${format}, ${value})`;
  return text !== undefined && NATIVE_FORMAT.test(text) ? printNative(text, datetime, otherwise) : otherwise(datetime);
}

/** FORMAT_TIMESTAMP; arguments are SQL. */
export function formatTimestamp(format: Sql, timestamp: Sql, zone: Sql): Sql {
  const text = format.literalText;
  if (text === undefined || !NATIVE_FORMAT.test(text))
    return sql`lw_format_timestamp(${format}, ${timestamp}, ${zone})`;
  if (isUtc(zone)) return formatDatetime(format, timestamp);
  const native = (value: Sql) => formatDatetime(format, wallFromUtc(value, zone, true));
  if (isOffset(zone)) return native(timestamp);
  // Clocks of a place have shown seconds of their own, which a format leaves out.
  return computeOnce([timestamp], "timestamp", (v) => {
    return sql`CASE WHEN ${v} >= TIMESTAMP '1973-01-01' THEN ${native(v)} ELSE lw_format_timestamp(${format}, ${v}, ${zone}) END`;
  });
}

/** A DuckDB TIMESTAMP by strftime, with no, three or six digits of the second's fraction. */
function withFraction(value: Sql, format: string, suffix = ""): Sql {
  return computeOnce([value], "fraction", (v) => {
    const micros = sql`datepart('microsecond', ${v})`;
    return sql`
      CASE WHEN ${micros} % 1000000 = 0 THEN strftime(${v}, ${textSql(`${format}${suffix}`)})
      WHEN ${micros} % 1000 = 0 THEN strftime(${v}, ${textSql(`${format}.%g${suffix}`)})
      ELSE strftime(${v}, ${textSql(`${format}.%f${suffix}`)}) END
    `;
  });
}

const DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S";

/** CAST(DATE, TIME, DATETIME, TIMESTAMP or INTERVAL AS STRING); `zone` is for a TIMESTAMP. */
export function printToString(value: Sql, type: SqlType, zone: Sql): Sql {
  switch (type.kind) {
    case "DATE":
      return sql`strftime(${value}, '%Y-%m-%d')`;
    case "TIME":
      return withFraction(sql`(DATE '1970-01-01' + ${value})`, "%H:%M:%S");
    case "DATETIME":
      return withFraction(value, DATETIME_FORMAT);
    case "TIMESTAMP":
      return isUtc(zone) ? withFraction(value, DATETIME_FORMAT, "+00") : sql`lw_timestamp_to_text(${value}, ${zone})`;
    case "INTERVAL":
      return intervalToText(value);
    default:
      throw new Error(`${type.kind} is no type of dates and times`);
  }
}

const between: Readonly<Record<string, (value: Sql, zone: Sql) => Sql>> = {
  "DATE DATETIME": (value) => castTo(value, TIMESTAMP),
  "DATE TIMESTAMP": (value, zone) => utcFromWall(castTo(value, TIMESTAMP), zone),
  "DATETIME DATE": (value) => castTo(value, DATE),
  "DATETIME TIME": (value) => castTo(value, TIME),
  "DATETIME TIMESTAMP": utcFromWall,
  "TIMESTAMP DATE": (value, zone) => castTo(wallFromUtc(value, zone), DATE),
  "TIMESTAMP TIME": (value, zone) => castTo(wallFromUtc(value, zone, true), TIME),
  "TIMESTAMP DATETIME": wallFromUtc,
};

/** Casts among DATE, TIME, DATETIME and TIMESTAMP; undefined where there is none. */
export function printBetween(value: Sql, from: SqlType, to: SqlType, zone: Sql): Sql | undefined {
  return between[`${from.kind} ${to.kind}`]?.(value, zone);
}
