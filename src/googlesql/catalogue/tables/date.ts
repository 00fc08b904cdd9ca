import { CLOCK, type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

const define = scalarsOf("date");

/** Signatures of DATE_ADD and DATE_SUB: the interval's part must be one of days. */
const MOVE = ["(DATE, INTERVAL) -> DATE", "(DATETIME, INTERVAL) -> DATETIME", "(TIMESTAMP, INTERVAL) -> TIMESTAMP"];

/** Date functions of the reference. */
export const dateFunctions: readonly FunctionDefinition[] = [
  define("CURRENT_DATE", "The current date in a time zone", ["([STRING]) -> DATE"], CLOCK),
  define("DATE", "A date from its parts, or from a datetime, timestamp or text", [
    "(INT64, INT64, INT64) -> DATE",
    "(DATE) -> DATE",
    "(DATETIME) -> DATE",
    "(TIMESTAMP, [STRING]) -> DATE",
    "(STRING) -> DATE",
  ]),
  define("DATE_ADD", "Adds an interval to a date; a day that the month does not have becomes its last", MOVE),
  define("DATE_SUB", "Subtracts an interval from a date; a day that the month does not have becomes its last", MOVE),
  define(
    "DATE_DIFF",
    "The number of date part boundaries between two dates, the later one first",
    [
      "(DATE, DATE, DATEPART) -> INT64",
      "(DATETIME, DATETIME, DATEPART) -> INT64",
      "(TIMESTAMP, TIMESTAMP, DATEPART) -> INT64",
    ],
    NEVER_FAILS,
  ),
  define("DATE_TRUNC", "The first day of the date part that contains a date", [
    "(DATE, DATEPART) -> DATE",
    "(DATETIME, DATEPART) -> DATETIME",
    "(TIMESTAMP, DATEPART, [STRING]) -> TIMESTAMP",
  ]),
  define(
    "DATE_BUCKET",
    "The first day of the bucket that contains a date; buckets count from 1950-01-01 or an origin",
    ["(DATE, INTERVAL, [DATE]) -> DATE"],
  ),
  define("DATE_FROM_UNIX_DATE", "The date that is a number of days after 1970-01-01", ["(INT64) -> DATE"]),
  define("UNIX_DATE", "Days since 1970-01-01", ["(DATE) -> INT64"], NEVER_FAILS),
  define("LAST_DAY", "The last day of the month, or of another date part, that contains a date", [
    "(DATE, [DATEPART]) -> DATE",
    "(DATETIME, [DATEPART]) -> DATE",
  ]),
  define("FORMAT_DATE", "A date as text with a format such as '%Y-%m-%d'", ["(STRING, DATE) -> STRING"]),
  define("PARSE_DATE", "A date from text with a format such as '%Y-%m-%d'", ["(STRING, STRING) -> DATE"]),
  define("GENERATE_DATE_ARRAY", "The dates from one to another, at an interval (a day by default)", [
    "(DATE, DATE, [INTERVAL]) -> ARRAY<DATE>",
  ]),
];
