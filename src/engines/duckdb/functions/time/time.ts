/** Time functions. A TIME is DuckDB's own. */
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { CLOCK_PARTS, countBoundaries, datePartOf, truncateTime } from "./date-parts.ts";
import { printMove } from "./interval.ts";
import { CURRENT_INSTANT, wallFromUtc, zoneOf } from "./time-zone.ts";

function makeTime(hour: string, minute: string, second: string): string {
  return computeOnce([hour, minute, second], "time", (h, m, s) => {
    const isValid = `${h} BETWEEN 0 AND 23 AND ${m} BETWEEN 0 AND 59 AND ${s} BETWEEN 0 AND 60`;
    const message = `printf('Input calculates to invalid time: %02d:%02d:%02d', ${h}, ${m}, ${s})`;
    const seconds = `to_seconds((${h} * 60 + ${m}) * 60 + ${s})`;
    const isNull = `${h} IS NULL OR ${m} IS NULL OR ${s} IS NULL`;
    return (
      `CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)} ` +
      `ELSE TIME '00:00:00' + ${seconds} END`
    );
  });
}

function printTime({ args, types, timeZone }: CallContext<CallExpr>): string {
  const [value = ""] = args;
  switch (types[0]?.kind) {
    case "INT64":
      return makeTime(value, args[1] ?? "", args[2] ?? "");
    case "TIME":
      return value;
    case "TIMESTAMP":
      return `CAST(${wallFromUtc(value, zoneOf(args[1], timeZone))} AS TIME)`;
    default:
      return `CAST(${value} AS TIME)`;
  }
}

/** Time functions of the reference. */
export const timeFunctions: FunctionTable = {
  CURRENT_TIME: ({ args, timeZone }) => `CAST(${wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone))} AS TIME)`,
  TIME: printTime,
  TIME_ADD: (context) => printMove(context, "+"),
  TIME_SUB: (context) => printMove(context, "-"),
  TIME_DIFF: ({ args, call }) => countBoundaries(args[0] ?? "", args[1] ?? "", datePartOf(call, 2, CLOCK_PARTS)),
  TIME_TRUNC: ({ args, call }) => truncateTime(args[0] ?? "", datePartOf(call, 1, CLOCK_PARTS)),
  FORMAT_TIME: ({ args }) => `lw_format_time(${args[0]}, ${args[1]})`,
  PARSE_TIME: ({ args }) => `lw_parse_time(${args[0]}, ${args[1]})`,
};
