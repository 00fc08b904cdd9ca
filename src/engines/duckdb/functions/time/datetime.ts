/** Datetime functions. A DATETIME is a DuckDB TIMESTAMP that shows its wall clock. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { textSql } from "../../sql/atoms.ts";
import { raiseError } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { makeDate, printDifference, printTruncate } from "./date.ts";
import { formatDatetime } from "./datetime-text.ts";
import { printMove } from "./interval.ts";
import { printBucket } from "./series.ts";
import { checkTimestamp } from "./temporal-bounds.ts";
import { CURRENT_INSTANT, wallFromUtc, zoneOf } from "./time-zone.ts";

/** The wall clock of six numbers; a second 60 is the next minute's first. */
function makeDatetime([
  year = EMPTY,
  month = EMPTY,
  day = EMPTY,
  hour = EMPTY,
  minute = EMPTY,
  second = EMPTY,
]: readonly Sql[]): Sql {
  const date = makeDate(year, month, day);
  const datetime = computeOnce([date, hour, minute, second], "datetime", (d, h, m, s) => {
    const isValid = sql`${h} BETWEEN 0 AND 23 AND ${m} BETWEEN 0 AND 59 AND ${s} BETWEEN 0 AND 60`;
    const message = sql`concat('Input calculates to invalid datetime: ', ${d}, printf(' %02d:%02d:%02d', ${h}, ${m}, ${s}))`;
    const isNull = sql`${d} IS NULL OR ${h} IS NULL OR ${m} IS NULL OR ${s} IS NULL`;
    return sql`
      CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)}
      ELSE ${d} + to_seconds((${h} * 60 + ${m}) * 60 + ${s}) END
    `;
  });
  return checkTimestamp(datetime, "Input calculates to invalid datetime: 9999-12-31 23:59:60");
}

function printDatetime({ args, types, timeZone }: CallContext<CallExpr>): Sql {
  const [value = EMPTY, time = EMPTY] = args;
  if (types[0]?.kind === "STRING") return sql`lw_datetime_of_text(${value}, ${textSql(timeZone)})`;
  return types[0]?.kind === "DATE" ? sql`(${value} + ${time})` : makeDatetime(args);
}

/** Datetime functions of the reference. */
export const datetimeFunctions: FunctionTable = {
  CURRENT_DATETIME: ({ args, timeZone }) => wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone)),
  DATETIME: printDatetime,
  DATETIME_ADD: (context) => printMove(context, "+"),
  DATETIME_SUB: (context) => printMove(context, "-"),
  DATETIME_DIFF: printDifference,
  DATETIME_TRUNC: printTruncate,
  DATETIME_BUCKET: printBucket,
  FORMAT_DATETIME: ({ args }) => formatDatetime(args[0] ?? EMPTY, args[1] ?? EMPTY),
  PARSE_DATETIME: ({ args }) => sql`lw_parse_datetime(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
};
