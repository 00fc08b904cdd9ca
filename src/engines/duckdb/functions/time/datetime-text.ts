/** FORMAT_ and PARSE_ functions, with DuckDB's strftime for the plainest formats. */

import { textSql } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { isOffset, isUtc, wallFromUtc } from "./time-zone.ts";

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
