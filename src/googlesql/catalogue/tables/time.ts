import { CLOCK, type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

const define = scalarsOf("time");

/** Time functions of the reference. */
export const timeFunctions: readonly FunctionDefinition[] = [
  define("CURRENT_TIME", "The current time of day in a time zone", ["([STRING]) -> TIME"], CLOCK),
  define("TIME", "A time of day from its parts, or that of a datetime or timestamp", [
    "(INT64, INT64, INT64) -> TIME",
    "(TIMESTAMP, [STRING]) -> TIME",
    "(DATETIME) -> TIME",
    "(TIME) -> TIME",
  ]),
  define("TIME_ADD", "Adds an interval to a time of day, wrapping at midnight", ["(TIME, INTERVAL) -> TIME"]),
  define("TIME_SUB", "Subtracts an interval from a time of day, wrapping at midnight", ["(TIME, INTERVAL) -> TIME"]),
  define(
    "TIME_DIFF",
    "The number of part boundaries between two times of day, the later one first",
    ["(TIME, TIME, DATEPART) -> INT64"],
    NEVER_FAILS,
  ),
  define("TIME_TRUNC", "The start of the part that contains a time of day", ["(TIME, DATEPART) -> TIME"], NEVER_FAILS),
  define("FORMAT_TIME", "A time of day as text with a format such as '%H:%M'", ["(STRING, TIME) -> STRING"]),
  define("PARSE_TIME", "A time of day from text with a format such as '%H:%M'", ["(STRING, STRING) -> TIME"]),
];
