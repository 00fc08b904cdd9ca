import type { FunctionDefinition } from "../types.ts";

const AREA = "datetime";

function define(name: string, summary: string, signatures: readonly string[]): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: AREA, summary };
}

const MOVE = ["(DATETIME, INTERVAL) -> DATETIME", "(TIMESTAMP, INTERVAL) -> TIMESTAMP"];

/** Datetime functions of the reference. */
export const datetimeFunctions: readonly FunctionDefinition[] = [
  {
    ...define("CURRENT_DATETIME", "Date and time of now in a time zone", ["([STRING]) -> DATETIME"]),
    isVolatile: true,
  },
  define(
    "DATETIME",
    "A datetime from its numbers, a date and a time, or what a time zone's clocks show at a timestamp",
    [
      "(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME",
      "(DATETIME) -> DATETIME",
      "(DATE, [TIME]) -> DATETIME",
      "(TIMESTAMP, [STRING]) -> DATETIME",
      "(STRING) -> DATETIME",
    ],
  ),
  define("DATETIME_ADD", "Moves a datetime on by an interval; a day that the month lacks is its last", MOVE),
  define("DATETIME_SUB", "Moves a datetime back by an interval; a day that the month lacks is its last", MOVE),
  define("DATETIME_DIFF", "How many boundaries of a date part lie between two datetimes, the later one first", [
    "(DATETIME, DATETIME, DATEPART) -> INT64",
    "(TIMESTAMP, TIMESTAMP, DATEPART) -> INT64",
  ]),
  define("DATETIME_TRUNC", "The first moment of the date part that a datetime lies in", [
    "(DATETIME, DATEPART) -> DATETIME",
    "(TIMESTAMP, DATEPART, [STRING]) -> TIMESTAMP",
  ]),
  define(
    "DATETIME_BUCKET",
    "The start of the bucket that a datetime lies in; buckets count from 1950-01-01 or an origin",
    ["(DATETIME, INTERVAL, [DATETIME]) -> DATETIME"],
  ),
  define("FORMAT_DATETIME", "A datetime as text by a format such as '%Y-%m-%d %H:%M'", [
    "(STRING, DATETIME) -> STRING",
  ]),
  define("PARSE_DATETIME", "A datetime from text by a format such as '%Y-%m-%d %H:%M'", [
    "(STRING, STRING) -> DATETIME",
  ]),
];
