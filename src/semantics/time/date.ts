/** Time zones, FORMAT_ and PARSE_ functions of dates and times. */

import { isTimestampInRange, MICROS_PER_DAY } from "../../values/calendar.ts";
import { createZoneFinder, utcFromWall, wallFromUtc } from "../../values/time-zone.ts";
import { memoize } from "../memoize.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { compileDatetimeFormat, createPrinters, type FormattedType } from "./datetime-format.ts";
import { checkParseFormat, parseDatetime } from "./datetime-parse.ts";

function checkRange(value: bigint, type: string): bigint {
  if (!isTimestampInRange(value)) throw new Error(`The time zone takes a ${type} out of its range`);
  return value;
}

/** The functions share what they learn about zones and formats. */
function createDateFunctions(): readonly ScalarFunction[] {
  const findZone = createZoneFinder();
  const print = createPrinters(compileDatetimeFormat, findZone);
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
    defineFunction("lw_wall_from_utc", ["TIMESTAMP", "STRING"], "TIMESTAMP", (utc, zone) =>
      checkRange(wallFromUtc(utc, findZone(zone)), "DATETIME"),
    ),
    // Also where that is beyond the calendar's ends, for what reads a part of it.
    defineFunction("lw_part_of_wall", ["TIMESTAMP", "STRING"], "TIMESTAMP", (utc, zone) =>
      wallFromUtc(utc, findZone(zone)),
    ),
    defineFunction("lw_utc_from_wall", ["TIMESTAMP", "STRING"], "TIMESTAMP", (wall, zone) =>
      checkRange(utcFromWall(wall, findZone(zone)), "TIMESTAMP"),
    ),
    defineFunction("lw_format_date", ["STRING", "DATE"], "STRING", print.date),
    defineFunction("lw_format_datetime", ["STRING", "TIMESTAMP"], "STRING", print.datetime),
    defineFunction("lw_format_time", ["STRING", "TIME"], "STRING", print.time),
    defineFunction("lw_format_timestamp", ["STRING", "TIMESTAMP", "STRING"], "STRING", print.timestamp),
    defineFunction("lw_parse_date", ["STRING", "STRING"], "DATE", (format, text) =>
      Number(parseDate(format, text, "UTC") / MICROS_PER_DAY),
    ),
    defineFunction("lw_parse_datetime", ["STRING", "STRING"], "TIMESTAMP", (format, text) =>
      parseDatetimeText(format, text, "UTC"),
    ),
    defineFunction(
      "lw_parse_time",
      ["STRING", "STRING"],
      "TIME",
      (format, text) => parseTime(format, text, "UTC") % MICROS_PER_DAY,
    ),
    defineFunction("lw_parse_timestamp", ["STRING", "STRING", "STRING"], "TIMESTAMP", parseTimestamp),
  ];
}

/** Functions of time zones, and of dates and times as text by a format. */
export const dateFunctions: readonly ScalarFunction[] = createDateFunctions();
