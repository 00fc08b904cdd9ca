/** FORMAT_ and PARSE_ functions, with DuckDB's strftime for the plainest formats. */

import { quoteString } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { isUtc, literalText, wallFromUtc } from "./time-zone.ts";

/** Elements that DuckDB prints as GoogleSQL does, for years of four digits. */
const NATIVE_FORMAT = /^(?:[^%]|%[aAbBdFGHIjmMpRSTuUVwWyY%])+$/;
const NATIVE_DATE_FORMAT = /^(?:[^%]|%[aAbBdFGjmuUVwWyY%])+$/;

/** The same elements where DuckDB has no name for them. */
function toNativeFormat(format: string): string {
  const longForms: Readonly<Record<string, string>> = { F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S" };
  return format.replace(/%(.)/gs, (element, letter: string) => longForms[letter] ?? element);
}

function printNative(format: string, value: string, otherwise: (value: string) => string): string {
  const native = quoteString(toNativeFormat(format));
  return computeOnce(
    [value],
    "format",
    (v) => `CASE WHEN ${v} >= DATE '1000-01-01' THEN strftime(${v}, ${native}) ELSE ${otherwise(v)} END`,
  );
}

/** FORMAT_DATE; arguments are SQL. */
export function formatDate(format: string, date: string): string {
  const text = literalText(format);
  const otherwise = (value: string) => `lw_format_date(${format}, ${value})`;
  return text !== undefined && NATIVE_DATE_FORMAT.test(text) ? printNative(text, date, otherwise) : otherwise(date);
}

/** FORMAT_DATETIME; arguments are SQL. */
export function formatDatetime(format: string, datetime: string): string {
  const text = literalText(format);
  const otherwise = (value: string) => `lw_format_datetime(${format}, ${value})`;
  return text !== undefined && NATIVE_FORMAT.test(text) ? printNative(text, datetime, otherwise) : otherwise(datetime);
}

/** FORMAT_TIMESTAMP; arguments are SQL. */
export function formatTimestamp(format: string, timestamp: string, zone: string): string {
  const text = literalText(format);
  if (text === undefined || !NATIVE_FORMAT.test(text)) return `lw_format_timestamp(${format}, ${timestamp}, ${zone})`;
  return formatDatetime(format, isUtc(zone) ? timestamp : wallFromUtc(timestamp, zone));
}
