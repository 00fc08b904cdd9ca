/** Time zones, FORMAT_ and PARSE_ functions of dates and times. */
import { MAX_MICROS, MICROS_PER_DAY, MIN_MICROS } from "./civil.ts";
import { fieldsOfInstant, fieldsOfWall } from "./datetime-fields.ts";
import { compileDatetimeFormat, type FormattedType } from "./datetime-format.ts";
import { checkParseFormat, parseDatetime } from "./datetime-parse.ts";
import { memoize } from "./memoize.ts";
import { createZoneFinder, utcFromWall, wallFromUtc } from "./time-zone.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

function checkRange(value: bigint, type: string): bigint {
  if (value < MIN_MICROS || value > MAX_MICROS) throw new Error(`The time zone takes a ${type} out of its range`);
  return value;
}

/** The functions share what they learn about zones and formats. */
function createDateUdfs(): readonly ScalarUdf[] {
  const findZone = createZoneFinder();
  const formatterOf = (type: FormattedType) => memoize((format) => compileDatetimeFormat(format, type));
  const formatDate = formatterOf("DATE");
  const formatDatetime = formatterOf("DATETIME");
  const formatTime = formatterOf("TIME");
  const formatTimestamp = formatterOf("TIMESTAMP");
  const parserOf = (type: FormattedType) => {
    const check = memoize((format) => {
      checkParseFormat(format, type);
      return true;
    });
    return (format: string, text: string, zone: string) => {
      check(format);
      return parseDatetime(format, text, zone, findZone);
    };
  };
  const parseDate = parserOf("DATE");
  const parseDatetimeText = parserOf("DATETIME");
  const parseTime = parserOf("TIME");
  const parseTimestamp = parserOf("TIMESTAMP");
  return [
    defineUdf("lw_wall_from_utc", ["TIMESTAMP", "VARCHAR"], "TIMESTAMP", (utc, zone) =>
      checkRange(wallFromUtc(utc, findZone(zone)), "DATETIME"),
    ),
    defineUdf("lw_utc_from_wall", ["TIMESTAMP", "VARCHAR"], "TIMESTAMP", (wall, zone) =>
      checkRange(utcFromWall(wall, findZone(zone)), "TIMESTAMP"),
    ),
    defineUdf("lw_format_date", ["VARCHAR", "DATE"], "VARCHAR", (format, days) =>
      formatDate(format)(fieldsOfWall(BigInt(days) * MICROS_PER_DAY)),
    ),
    defineUdf("lw_format_datetime", ["VARCHAR", "TIMESTAMP"], "VARCHAR", (format, wall) =>
      formatDatetime(format)(fieldsOfWall(wall)),
    ),
    defineUdf("lw_format_time", ["VARCHAR", "TIME"], "VARCHAR", (format, time) =>
      formatTime(format)(fieldsOfWall(time)),
    ),
    defineUdf("lw_format_timestamp", ["VARCHAR", "TIMESTAMP", "VARCHAR"], "VARCHAR", (format, utc, zone) =>
      formatTimestamp(format)(fieldsOfInstant(utc, findZone(zone))),
    ),
    defineUdf("lw_parse_date", ["VARCHAR", "VARCHAR"], "DATE", (format, text) =>
      Number(parseDate(format, text, "UTC") / MICROS_PER_DAY),
    ),
    defineUdf("lw_parse_datetime", ["VARCHAR", "VARCHAR"], "TIMESTAMP", (format, text) =>
      parseDatetimeText(format, text, "UTC"),
    ),
    defineUdf(
      "lw_parse_time",
      ["VARCHAR", "VARCHAR"],
      "TIME",
      (format, text) => parseTime(format, text, "UTC") % MICROS_PER_DAY,
    ),
    defineUdf("lw_parse_timestamp", ["VARCHAR", "VARCHAR", "VARCHAR"], "TIMESTAMP", parseTimestamp),
  ];
}

/** Functions of time zones, and of dates and times as text by a format. */
export const dateUdfs: readonly ScalarUdf[] = createDateUdfs();
