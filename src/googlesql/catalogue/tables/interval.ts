import type { FunctionDefinition } from "../types.ts";

const AREA = "interval";

function define(name: string, summary: string, signatures: readonly string[]): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: AREA, summary };
}

/** Interval functions of the reference. */
export const intervalFunctions: readonly FunctionDefinition[] = [
  define("MAKE_INTERVAL", "An interval from its parts, each zero by default", [
    "([year => INT64], [month => INT64], [day => INT64], [hour => INT64], [minute => INT64], [second => INT64]) -> INTERVAL",
  ]),
  define("JUSTIFY_DAYS", "Converts every 30 days to a month", ["(INTERVAL) -> INTERVAL"]),
  define("JUSTIFY_HOURS", "Converts every 24 hours to a day", ["(INTERVAL) -> INTERVAL"]),
  define("JUSTIFY_INTERVAL", "Converts hours to days and days to months, so that all parts have one sign", [
    "(INTERVAL) -> INTERVAL",
  ]),
];
