/** Time functions. A TIME is DuckDB's own. */

import { castTo, raiseError } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { TIME } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable } from "../types.ts";
import { CLOCK_PARTS, countBoundaries, datePartOf, truncateTime } from "./date-parts.ts";
import { printMove } from "./interval.ts";
import { CURRENT_INSTANT, wallFromUtc, zoneOf } from "./time-zone.ts";

function makeTime(hour: Sql, minute: Sql, second: Sql): Sql {
  return computeOnce([hour, minute, second], "time", (h, m, s) => {
    const isValid = sql`${h} BETWEEN 0 AND 23 AND ${m} BETWEEN 0 AND 59 AND ${s} BETWEEN 0 AND 60`;
    const message = sql`printf('Input calculates to invalid time: %02d:%02d:%02d', ${h}, ${m}, ${s})`;
    const seconds = sql`to_seconds((${h} * 60 + ${m}) * 60 + ${s})`;
    const isNull = sql`${h} IS NULL OR ${m} IS NULL OR ${s} IS NULL`;
    return sql`
      CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)}
      ELSE TIME '00:00:00' + ${seconds} END
    `;
  });
}

/** Time functions of the reference. */
export const timeFunctions: FunctionTable = {
  CURRENT_TIME: ({ args, timeZone }) => castTo(wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone)), TIME),
  TIME: ({ args: [hour = EMPTY, minute = EMPTY, second = EMPTY] }) => makeTime(hour, minute, second),
  TIME_ADD: (context) => printMove(context, "+"),
  TIME_SUB: (context) => printMove(context, "-"),
  TIME_DIFF: ({ args, call }) => countBoundaries(args[0] ?? EMPTY, args[1] ?? EMPTY, datePartOf(call, 2, CLOCK_PARTS)),
  TIME_TRUNC: ({ args, call }) => truncateTime(args[0] ?? EMPTY, datePartOf(call, 1, CLOCK_PARTS)),
  FORMAT_TIME: ({ args }) => sql`lw_format_time(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
  PARSE_TIME: ({ args }) => sql`lw_parse_time(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
};
