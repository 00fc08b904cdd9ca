/** Casts that DuckDB has no right equivalent of. */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { floorDivide, MICROS_PER_DAY, MICROS_PER_SECOND } from "../../values/calendar.ts";
import { BIGNUMERIC_DECIMAL, NUMERIC_DECIMAL } from "../../values/decimal.ts";
import { formatInterval, parseInterval } from "../../values/interval.ts";
import { formatFloat64, parseFloat64, parseInt64 } from "../../values/number-text.ts";
import { formatTimestampText, parseDate, parseDatetime, parseTime, parseTimestamp } from "../../values/time-text.ts";
import { createZoneFinder, type FindTimeZone } from "../../values/time-zone.ts";
import { memoize } from "../memoize.ts";
import { defineFunction, type ScalarFunction, type ScalarType, type ScalarTypes } from "../scalar-function.ts";
import { fieldsOfInstant } from "../time/datetime-fields.ts";
import { createPrinters, type FormattedType } from "../time/datetime-format.ts";
import { intervalFunctions, intervalSource } from "../time/interval.ts";
import { formatBytes, parseBytes } from "./cast-bytes.ts";
import { compileCastFormat } from "./cast-datetime-format.ts";
import { compileCastParse, parseCastDatetime } from "./cast-datetime-parse.ts";
import { compileNumberFormat, fromDecimal, fromDouble } from "./cast-number-format.ts";

/** A text in an error message, shortened. */
function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/**
 * Two functions of one parser: `lw_<name>` fails where the text is none of the type, and `lw_try_<name>` answers
 * NULL.
 */
function defineParser<const P extends readonly ScalarType[], R extends ScalarType>(
  name: string,
  parameters: P,
  returns: R,
  parse: (...values: { [K in keyof P]: ScalarTypes[P[K]] }) => ScalarTypes[R] | undefined,
  explain: (text: string) => string,
): readonly ScalarFunction[] {
  return [
    defineFunction(`lw_${name}`, parameters, returns, (...values) => {
      const value = parse(...values);
      if (value === undefined) throw new Error(explain(String(values[0])));
      return value;
    }),
    // A time zone among the arguments may be none.
    defineFunction(`lw_try_${name}`, parameters, returns, (...values) => parse(...values) ?? null, {
      fallibility: parameters.map((_, place) => place).slice(1),
    }),
  ];
}

function createTextCasts(): readonly ScalarFunction[] {
  const findZone = createZoneFinder();
  const wallOfText = (text: string, zone: string, message: string): bigint => {
    const utc = parseTimestamp(text, zone, findZone);
    if (utc === undefined) throw new Error(message);
    return utc + BigInt(fieldsOfInstant(utc, findZone(zone)).offsetSeconds) * MICROS_PER_SECOND;
  };
  return [
    ...defineParser("int64_from_text", ["STRING"], "INT64", parseInt64, (text) => `Bad int64 value: ${text}`),
    ...defineParser("float64_from_text", ["STRING"], "FLOAT64", parseFloat64, (text) => `Bad double value: ${text}`),
    ...defineParser("date_from_text", ["STRING"], "DATE", parseDate, (text) => `Invalid date: ${quote(text)}`),
    ...defineParser("time_from_text", ["STRING"], "TIME", parseTime, (text) => `Invalid time string ${quote(text)}`),
    ...defineParser(
      "datetime_from_text",
      ["STRING"],
      "TIMESTAMP",
      parseDatetime,
      (text) => `Invalid datetime string ${quote(text)}`,
    ),
    ...defineParser(
      "timestamp_from_text",
      ["STRING", "STRING"],
      "TIMESTAMP",
      (text, zone) => parseTimestamp(text, zone, findZone),
      (text) => `Invalid timestamp: ${quote(text)}`,
    ),
    // DATE(text) and DATETIME(text): a text with a zone is an instant, shown by the clocks of the default zone.
    defineFunction("lw_date_of_text", ["STRING", "STRING"], "DATE", (text, zone) => {
      const days = parseDate(text);
      return days ?? Number(floorDivide(wallOfText(text, zone, `Invalid date: ${quote(text)}`), MICROS_PER_DAY)[0]);
    }),
    defineFunction("lw_datetime_of_text", ["STRING", "STRING"], "TIMESTAMP", (text, zone) => {
      return parseDatetime(text) ?? wallOfText(text, zone, `Invalid datetime string ${quote(text)}`);
    }),
    // TIMESTAMP(text, zone): the zone is the argument, so the text must not name another.
    defineFunction("lw_timestamp_from_local_text", ["STRING", "STRING"], "TIMESTAMP", (text, zone) => {
      const value = parseTimestamp(text, zone, findZone);
      if (value === undefined) throw new Error(`Invalid timestamp: ${quote(text)}`);
      if (parseDatetime(text) === undefined) throw new Error(`Timezone is not allowed in ${quote(text)}`);
      return value;
    }),
    defineFunction("lw_float64_to_text", ["FLOAT64"], "STRING", formatFloat64, NEVER_FAILS),
    defineFunction("lw_timestamp_to_text", ["TIMESTAMP", "STRING"], "STRING", (utc, zone) =>
      formatTimestampText(utc, findZone(zone)),
    ),
  ];
}

function createIntervalCasts(): readonly ScalarFunction[] {
  return [
    defineFunction(
      "lw_interval_to_text",
      ["INT64", "INT64", "INT64"],
      "STRING",
      (months, days, micros) => formatInterval({ months: Number(months), days: Number(days), micros }),
      NEVER_FAILS,
    ),
    defineFunction("lw_interval_from_text", ["STRING"], "STRING", (text) => intervalSource(parseInterval(text))),
    // The bounds of a range as texts; NULL for an unbounded one.
    defineFunction("lw_range_from_text", ["STRING"], "STRING[]", (text) => {
      const match = /^\[\s*([^,[\]()]+?)\s*,\s*([^,[\]()]+?)\s*\)$/.exec(text);
      if (match === null) throw new Error(`Invalid RANGE value: ${quote(text)}`);
      return match.slice(1, 3).map((bound) => (/^(?:UNBOUNDED|NULL)$/i.test(bound) ? null : bound));
    }),
  ];
}

/** CAST(... AS STRING FORMAT ...) of dates and times. */
function createDatetimeFormats(findZone: FindTimeZone): readonly ScalarFunction[] {
  const { date, datetime, time, timestamp } = createPrinters(compileCastFormat, findZone);
  return [
    defineFunction("lw_date_as_text", ["DATE", "STRING"], "STRING", (days, format) => date(format, days)),
    defineFunction("lw_datetime_as_text", ["TIMESTAMP", "STRING"], "STRING", (wall, format) => datetime(format, wall)),
    defineFunction("lw_time_as_text", ["TIME", "STRING"], "STRING", (clock, format) => time(format, clock)),
    defineFunction("lw_timestamp_as_text", ["TIMESTAMP", "STRING", "STRING"], "STRING", (utc, format, zone) =>
      timestamp(format, utc, zone),
    ),
  ];
}

/** CAST(STRING AS ... FORMAT ...) of dates and times. */
function createDatetimeParsers(findZone: FindTimeZone): readonly ScalarFunction[] {
  const parserOf = (type: FormattedType) => {
    const elementsOf = memoize((format) => compileCastParse(format, type));
    return (text: string, format: string, now: bigint, zone: string) =>
      parseCastDatetime(text, elementsOf(format), now, zone, findZone);
  };
  const parseDate = parserOf("DATE");
  const parseDatetime = parserOf("DATETIME");
  const parseTime = parserOf("TIME");
  const parseTimestamp = parserOf("TIMESTAMP");
  return [
    defineFunction("lw_text_as_date", ["STRING", "STRING", "TIMESTAMP"], "DATE", (text, format, now) =>
      Number(parseDate(text, format, now, "UTC") / MICROS_PER_DAY),
    ),
    defineFunction("lw_text_as_datetime", ["STRING", "STRING", "TIMESTAMP"], "TIMESTAMP", (text, format, now) =>
      parseDatetime(text, format, now, "UTC"),
    ),
    defineFunction(
      "lw_text_as_time",
      ["STRING", "STRING"],
      "TIME",
      (text, format) => parseTime(text, format, 0n, "UTC") % MICROS_PER_DAY,
    ),
    defineFunction("lw_text_as_timestamp", ["STRING", "STRING", "TIMESTAMP", "STRING"], "TIMESTAMP", parseTimestamp),
  ];
}

function createFormatCasts(): readonly ScalarFunction[] {
  const findZone = createZoneFinder();
  const formatNumber = memoize(compileNumberFormat);
  return [
    ...createDatetimeFormats(findZone),
    ...createDatetimeParsers(findZone),
    defineFunction("lw_int64_as_text", ["INT64", "STRING"], "STRING", (value, format) =>
      formatNumber(format)(fromDecimal(value, 0)),
    ),
    defineFunction("lw_float64_as_text", ["FLOAT64", "STRING"], "STRING", (value, format) =>
      formatNumber(format)(fromDouble(value)),
    ),
    defineFunction("lw_numeric_as_text", ["NUMERIC", "STRING"], "STRING", (value, format) =>
      formatNumber(format)(fromDecimal(value, NUMERIC_DECIMAL.scale)),
    ),
    defineFunction("lw_bignumeric_as_text", ["BIGNUMERIC", "STRING"], "STRING", (value, format) =>
      formatNumber(format)(fromDecimal(value, BIGNUMERIC_DECIMAL.scale)),
    ),
    defineFunction("lw_bytes_as_text", ["BYTES", "STRING"], "STRING", formatBytes),
    defineFunction("lw_text_as_bytes", ["STRING", "STRING"], "BYTES", parseBytes),
  ];
}

/** Conversions from and to text, with and without a FORMAT. */
export const castFunctions: readonly ScalarFunction[] = [
  ...createTextCasts(),
  ...createIntervalCasts(),
  ...intervalFunctions,
  ...createFormatCasts(),
];
