import { CLOCK, type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

const define = scalarsOf("datetime");

const MOVE = ["(DATETIME, INTERVAL) -> DATETIME", "(TIMESTAMP, INTERVAL) -> TIMESTAMP"];

/** Datetime functions of the reference. */
export const datetimeFunctions: readonly FunctionDefinition[] = [
  define("CURRENT_DATETIME", "The current date and time in a time zone", ["([STRING]) -> DATETIME"], CLOCK),
  define("DATETIME", "A datetime from its parts, from a date and a time, or from a timestamp in a time zone", [
    "(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME",
    "(DATETIME) -> DATETIME",
    "(DATE, [TIME]) -> DATETIME",
    "(TIMESTAMP, [STRING]) -> DATETIME",
    "(STRING) -> DATETIME",
  ]),
  define("DATETIME_ADD", "Adds an interval to a datetime; a day that the month does not have becomes its last", MOVE),
  define(
    "DATETIME_SUB",
    "Subtracts an interval from a datetime; a day that the month does not have becomes its last",
    MOVE,
  ),
  define(
    "DATETIME_DIFF",
    "The number of date part boundaries between two datetimes, the later one first",
    ["(DATETIME, DATETIME, DATEPART) -> INT64", "(TIMESTAMP, TIMESTAMP, DATEPART) -> INT64"],
    NEVER_FAILS,
  ),
  define("DATETIME_TRUNC", "The start of the date part that contains a datetime", [
    "(DATETIME, DATEPART) -> DATETIME",
    "(TIMESTAMP, DATEPART, [STRING]) -> TIMESTAMP",
  ]),
  define(
    "DATETIME_BUCKET",
    "The start of the bucket that contains a datetime; buckets count from 1950-01-01 or an origin",
    ["(DATETIME, INTERVAL, [DATETIME]) -> DATETIME"],
  ),
  define("FORMAT_DATETIME", "A datetime as text with a format such as '%Y-%m-%d %H:%M'", [
    "(STRING, DATETIME) -> STRING",
  ]),
  define("PARSE_DATETIME", "A datetime from text with a format such as '%Y-%m-%d %H:%M'", [
    "(STRING, STRING) -> DATETIME",
  ]),
];
