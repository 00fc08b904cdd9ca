/** Casts that DuckDB has no right equivalent of. */

import { formatInterval } from "../calendar.ts";
import { BIGNUMERIC_DECIMAL, NUMERIC_DECIMAL } from "../decimal.ts";
import { formatBytes, parseBytes } from "./cast-bytes.ts";
import { compileCastFormat } from "./cast-datetime-format.ts";
import { compileCastParse, parseCastDatetime } from "./cast-datetime-parse.ts";
import { compileNumberFormat, fromDecimal, fromDouble } from "./cast-number-format.ts";
import { MICROS_PER_DAY } from "./civil.ts";
import { fieldsOfInstant, fieldsOfWall } from "./datetime-fields.ts";
import type { FormattedType } from "./datetime-format.ts";
import {
  formatTimestampText,
  parseDateText,
  parseDatetimeText,
  parseTimestampText,
  parseTimeText,
} from "./datetime-text.ts";
import { formatFloat64, parseFloat64, parseInt64 } from "./float-text.ts";
import { intervalSource, intervalUdfs } from "./interval.ts";
import { type IntervalPart, parseIntervalParts, parseIntervalText, parseSingleInterval } from "./interval-text.ts";
import { memoize } from "./memoize.ts";
import { createZoneFinder } from "./time-zone.ts";
import { defineUdf, type ScalarUdf, type UdfType, type UdfTypes } from "./udf.ts";

/** A text in an error message, shortened. */
function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/** Two functions of one parser: `lw_<name>` fails where the text is none of the type, and `lw_try_<name>` answers NULL. */
function defineParser<const P extends readonly UdfType[], R extends UdfType>(
  name: string,
  parameters: P,
  returns: R,
  parse: (...values: { [K in keyof P]: UdfTypes[P[K]] }) => UdfTypes[R] | undefined,
  explain: (text: string) => string,
): readonly ScalarUdf[] {
  return [
    defineUdf(`lw_${name}`, parameters, returns, (...values) => {
      const value = parse(...values);
      if (value === undefined) throw new Error(explain(String(values[0])));
      return value;
    }),
    defineUdf(`lw_try_${name}`, parameters, returns, (...values) => parse(...values) ?? null),
  ];
}

function createTextCasts(): readonly ScalarUdf[] {
  const findZone = createZoneFinder();
  return [
    ...defineParser("int64_from_text", ["VARCHAR"], "BIGINT", parseInt64, (text) => `Bad int64 value: ${text}`),
    ...defineParser("float64_from_text", ["VARCHAR"], "DOUBLE", parseFloat64, (text) => `Bad double value: ${text}`),
    ...defineParser("date_from_text", ["VARCHAR"], "DATE", parseDateText, (text) => `Invalid date: ${quote(text)}`),
    ...defineParser(
      "time_from_text",
      ["VARCHAR"],
      "TIME",
      parseTimeText,
      (text) => `Invalid time string ${quote(text)}`,
    ),
    ...defineParser(
      "datetime_from_text",
      ["VARCHAR"],
      "TIMESTAMP",
      parseDatetimeText,
      (text) => `Invalid datetime string ${quote(text)}`,
    ),
    ...defineParser(
      "timestamp_from_text",
      ["VARCHAR", "VARCHAR"],
      "TIMESTAMP",
      (text, zone) => parseTimestampText(text, zone, findZone),
      (text) => `Invalid timestamp: ${quote(text)}`,
    ),
    // TIMESTAMP(text, zone): the zone is the argument's, so that the text may not name another.
    defineUdf("lw_timestamp_from_local_text", ["VARCHAR", "VARCHAR"], "TIMESTAMP", (text, zone) => {
      const value = parseTimestampText(text, zone, findZone);
      if (value === undefined) throw new Error(`Invalid timestamp: ${quote(text)}`);
      if (parseDatetimeText(text) === undefined) throw new Error(`Timezone is not allowed in ${quote(text)}`);
      return value;
    }),
    defineUdf("lw_float64_to_text", ["DOUBLE"], "VARCHAR", formatFloat64),
    defineUdf("lw_timestamp_to_text", ["TIMESTAMP", "VARCHAR"], "VARCHAR", (utc, zone) =>
      formatTimestampText(utc, findZone(zone)),
    ),
  ];
}

function createIntervalCasts(): readonly ScalarUdf[] {
  return [
    defineUdf("lw_interval_to_text", ["BIGINT", "BIGINT", "BIGINT"], "VARCHAR", (months, days, micros) =>
      formatInterval({ months: Number(months), days: Number(days), micros }),
    ),
    defineUdf("lw_interval_from_text", ["VARCHAR"], "VARCHAR", (text) => intervalSource(parseIntervalText(text))),
    defineUdf("lw_interval_from_parts", ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", (text, from, to) =>
      intervalSource(
        to === ""
          ? parseSingleInterval(text, from)
          : parseIntervalParts(text, from as IntervalPart, to as IntervalPart),
      ),
    ),
    // The bounds of a range as texts; NULL for an unbounded one.
    defineUdf("lw_range_from_text", ["VARCHAR"], "VARCHAR[]", (text) => {
      const match = /^\[\s*([^,[\]()]+?)\s*,\s*([^,[\]()]+?)\s*\)$/.exec(text);
      if (match === null) throw new Error(`Invalid RANGE value: ${quote(text)}`);
      return match.slice(1, 3).map((bound) => (/^(?:UNBOUNDED|NULL)$/i.test(bound) ? null : bound));
    }),
  ];
}

function createFormatCasts(): readonly ScalarUdf[] {
  const findZone = createZoneFinder();
  const formatterOf = (type: FormattedType) => memoize((format) => compileCastFormat(format, type));
  const formatDate = formatterOf("DATE");
  const formatDatetime = formatterOf("DATETIME");
  const formatTime = formatterOf("TIME");
  const formatTimestamp = formatterOf("TIMESTAMP");
  const formatNumber = memoize(compileNumberFormat);
  const parserOf = (type: FormattedType) => {
    const elementsOf = memoize((format) => compileCastParse(format, type));
    return (text: string, format: string, now: bigint, zone: string) =>
      parseCastDatetime(text, elementsOf(format), now, zone, findZone);
  };
  const parseDate = parserOf("DATE");
  const parseDatetime = parserOf("DATETIME");
  const parseTime = parserOf("TIME");
  return [
    defineUdf("lw_date_as_text", ["DATE", "VARCHAR"], "VARCHAR", (days, format) =>
      formatDate(format)(fieldsOfWall(BigInt(days) * MICROS_PER_DAY)),
    ),
    defineUdf("lw_datetime_as_text", ["TIMESTAMP", "VARCHAR"], "VARCHAR", (wall, format) =>
      formatDatetime(format)(fieldsOfWall(wall)),
    ),
    defineUdf("lw_time_as_text", ["TIME", "VARCHAR"], "VARCHAR", (time, format) =>
      formatTime(format)(fieldsOfWall(time)),
    ),
    defineUdf("lw_timestamp_as_text", ["TIMESTAMP", "VARCHAR", "VARCHAR"], "VARCHAR", (utc, format, zone) =>
      formatTimestamp(format)(fieldsOfInstant(utc, findZone(zone))),
    ),
    defineUdf("lw_text_as_date", ["VARCHAR", "VARCHAR", "TIMESTAMP"], "DATE", (text, format, now) =>
      Number(parseDate(text, format, now, "UTC") / MICROS_PER_DAY),
    ),
    defineUdf("lw_text_as_datetime", ["VARCHAR", "VARCHAR", "TIMESTAMP"], "TIMESTAMP", (text, format, now) =>
      parseDatetime(text, format, now, "UTC"),
    ),
    defineUdf(
      "lw_text_as_time",
      ["VARCHAR", "VARCHAR"],
      "TIME",
      (text, format) => parseTime(text, format, 0n, "UTC") % MICROS_PER_DAY,
    ),
    defineUdf(
      "lw_text_as_timestamp",
      ["VARCHAR", "VARCHAR", "TIMESTAMP", "VARCHAR"],
      "TIMESTAMP",
      parserOf("TIMESTAMP"),
    ),
    defineUdf("lw_int64_as_text", ["BIGINT", "VARCHAR"], "VARCHAR", (value, format) =>
      formatNumber(format)(fromDecimal(value, 0)),
    ),
    defineUdf("lw_float64_as_text", ["DOUBLE", "VARCHAR"], "VARCHAR", (value, format) =>
      formatNumber(format)(fromDouble(value)),
    ),
    defineUdf("lw_numeric_as_text", ["NUMERIC", "VARCHAR"], "VARCHAR", (value, format) =>
      formatNumber(format)(fromDecimal(value, NUMERIC_DECIMAL.scale)),
    ),
    defineUdf("lw_bignumeric_as_text", ["BIGNUMERIC", "VARCHAR"], "VARCHAR", (value, format) =>
      formatNumber(format)(fromDecimal(value, BIGNUMERIC_DECIMAL.scale)),
    ),
    defineUdf("lw_bytes_as_text", ["BLOB", "VARCHAR"], "VARCHAR", formatBytes),
    defineUdf("lw_text_as_bytes", ["VARCHAR", "VARCHAR"], "BLOB", parseBytes),
  ];
}

/** Conversions from and to text, with and without a FORMAT. */
export const castUdfs: readonly ScalarUdf[] = [
  ...createTextCasts(),
  ...createIntervalCasts(),
  ...intervalUdfs,
  ...createFormatCasts(),
];
