import { CLOCK, type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

const define = scalarsOf("timestamp");

const MOVE = ["(TIMESTAMP, INTERVAL) -> TIMESTAMP", "(DATETIME, INTERVAL) -> DATETIME"];

/** The name that older texts of the reference have for the same function takes a TIMESTAMP too. */
function fromUnix(unit: string): readonly FunctionDefinition[] {
  const name = unit.toUpperCase();
  const summary = `The timestamp of a number of ${unit} since 1970-01-01 UTC`;
  return [
    define(`TIMESTAMP_${name}`, summary, ["(INT64) -> TIMESTAMP"]),
    define(`TIMESTAMP_FROM_UNIX_${name}`, summary, ["(INT64) -> TIMESTAMP", "(TIMESTAMP) -> TIMESTAMP"]),
  ];
}

/** Timestamp functions of the reference. */
export const timestampFunctions: readonly FunctionDefinition[] = [
  define("CURRENT_TIMESTAMP", "The current timestamp: the same throughout a query", ["() -> TIMESTAMP"], {
    ...CLOCK,
    ...NEVER_FAILS,
  }),
  define("TIMESTAMP", "The timestamp of a text, or of a date or datetime in a time zone", [
    "(TIMESTAMP) -> TIMESTAMP",
    "(STRING, [STRING]) -> TIMESTAMP",
    "(DATE, [STRING]) -> TIMESTAMP",
    "(DATETIME, [STRING]) -> TIMESTAMP",
  ]),
  define("TIMESTAMP_ADD", "Adds an interval of days or smaller units to a timestamp", MOVE),
  define("TIMESTAMP_SUB", "Subtracts an interval of days or smaller units from a timestamp", MOVE),
  define(
    "TIMESTAMP_DIFF",
    "The number of whole date parts between two timestamps, the later one first",
    ["(TIMESTAMP, TIMESTAMP, DATEPART) -> INT64", "(DATETIME, DATETIME, DATEPART) -> INT64"],
    NEVER_FAILS,
  ),
  define("TIMESTAMP_TRUNC", "The start of the date part that contains a timestamp, in a time zone", [
    "(TIMESTAMP, DATEPART, [STRING]) -> TIMESTAMP",
    "(DATETIME, DATEPART) -> DATETIME",
  ]),
  define(
    "TIMESTAMP_BUCKET",
    "The start of the bucket that contains a timestamp; buckets count from 1950-01-01 or an origin",
    ["(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP"],
  ),
  ...fromUnix("seconds"),
  ...fromUnix("millis"),
  ...fromUnix("micros"),
  define("UNIX_SECONDS", "Whole seconds since 1970-01-01 UTC", ["(TIMESTAMP) -> INT64"], NEVER_FAILS),
  define("UNIX_MILLIS", "Whole milliseconds since 1970-01-01 UTC", ["(TIMESTAMP) -> INT64"], NEVER_FAILS),
  define("UNIX_MICROS", "Microseconds since 1970-01-01 UTC", ["(TIMESTAMP) -> INT64"], NEVER_FAILS),
  define("FORMAT_TIMESTAMP", "A timestamp as text with a format such as '%Y-%m-%d %H:%M %Z', in a time zone", [
    "(STRING, TIMESTAMP, [STRING]) -> STRING",
  ]),
  define("PARSE_TIMESTAMP", "A timestamp from text with a format such as '%Y-%m-%d %H:%M %Z', in a time zone", [
    "(STRING, STRING, [STRING]) -> TIMESTAMP",
  ]),
  define("STRING", "A timestamp in a time zone, a date, datetime or time, or a JSON string as text", [
    "(TIMESTAMP, [STRING]) -> STRING",
    "(DATE) -> STRING",
    "(DATETIME) -> STRING",
    "(TIME) -> STRING",
    "(JSON) -> STRING",
  ]),
  define("GENERATE_TIMESTAMP_ARRAY", "The timestamps from one to another, at an interval", [
    "(TIMESTAMP, TIMESTAMP, INTERVAL) -> ARRAY<TIMESTAMP>",
  ]),
];
