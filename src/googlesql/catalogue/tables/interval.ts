import type { FunctionDefinition } from "../types.ts";

const AREA = "interval";

function define(name: string, summary: string, signatures: readonly string[]): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: AREA, summary };
}

/** Interval functions of the reference. */
export const intervalFunctions: readonly FunctionDefinition[] = [
  define("MAKE_INTERVAL", "An interval of its parts, each of them zero when left out", [
    "([year => INT64], [month => INT64], [day => INT64], [hour => INT64], [minute => INT64], [second => INT64]) -> INTERVAL",
  ]),
  define("JUSTIFY_DAYS", "Moves every 30 days into a month", ["(INTERVAL) -> INTERVAL"]),
  define("JUSTIFY_HOURS", "Moves every 24 hours into a day", ["(INTERVAL) -> INTERVAL"]),
  define("JUSTIFY_INTERVAL", "Moves hours into days and days into months, so that all parts have one sign", [
    "(INTERVAL) -> INTERVAL",
  ]),
];
