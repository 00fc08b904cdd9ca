import type { FunctionDefinition } from "../types.ts";

const AREA = "time";

function define(name: string, summary: string, signatures: readonly string[]): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: AREA, summary };
}

/** Time functions of the reference. */
export const timeFunctions: readonly FunctionDefinition[] = [
  { ...define("CURRENT_TIME", "Time of day of now in a time zone", ["([STRING]) -> TIME"]), isVolatile: true },
  define("TIME", "A time of day from its numbers, or that of a datetime or timestamp", [
    "(INT64, INT64, INT64) -> TIME",
    "(TIME) -> TIME",
    "(DATETIME) -> TIME",
    "(TIMESTAMP, [STRING]) -> TIME",
  ]),
  define("TIME_ADD", "Moves a time of day on by an interval, around midnight", ["(TIME, INTERVAL) -> TIME"]),
  define("TIME_SUB", "Moves a time of day back by an interval, around midnight", ["(TIME, INTERVAL) -> TIME"]),
  define("TIME_DIFF", "How many boundaries of a part lie between two times of day, the later one first", [
    "(TIME, TIME, DATEPART) -> INT64",
  ]),
  define("TIME_TRUNC", "The first moment of the part that a time of day lies in", ["(TIME, DATEPART) -> TIME"]),
  define("FORMAT_TIME", "A time of day as text by a format such as '%H:%M'", ["(STRING, TIME) -> STRING"]),
  define("PARSE_TIME", "A time of day from text by a format such as '%H:%M'", ["(STRING, STRING) -> TIME"]),
];
