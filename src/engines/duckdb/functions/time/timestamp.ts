/** Timestamp functions, and EXTRACT. A TIMESTAMP is a DuckDB TIMESTAMP that shows UTC. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { numberSql, textSql } from "../../sql/atoms.ts";
import { raiseError } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { printDifference, printTruncate } from "./date.ts";
import { countFromEpoch, extractPart, refuseCall } from "./date-parts.ts";
import { formatTimestamp } from "./datetime-text.ts";
import { extractFromInterval, printMove } from "./interval.ts";
import { printBucket, printSeries } from "./series.ts";
import { CURRENT_INSTANT, wallFromUtc, zoneOf } from "./time-zone.ts";

type Context = CallContext<CallExpr>;

/** TIMESTAMP_SECONDS, _MILLIS and _MICROS: `unit` microseconds each since 1970. */
function fromUnix(unit: number): FunctionTable[string] {
  const min = -62_135_596_800_000_000n / BigInt(unit);
  const max = 253_402_300_799_999_999n / BigInt(unit);
  return ({ args, types }) => {
    const [value = EMPTY] = args;
    if (types[0]?.kind === "TIMESTAMP") return value;
    return computeOnce([value], "unix", (v) => {
      const message = sql`concat('Timestamp value in Unix time is out of bounds: ', ${v})`;
      const micros = unit === 1 ? v : sql`${v} * ${numberSql(unit)}`;
      return sql`CASE WHEN ${v} < ${numberSql(min)} OR ${v} > ${numberSql(max)} THEN ${raiseError(message)} ELSE make_timestamp(${micros}) END`;
    });
  };
}

/** EXTRACT(part FROM value [AT TIME ZONE zone]). */
function printExtract({ args, types, call, timeZone }: Context): Sql {
  const [value = EMPTY] = args;
  const part = call.arguments[1];
  if (part?.kind !== "DatePart") return refuseCall(call, "EXTRACT needs a date part");
  if (types[0]?.kind === "INTERVAL") return extractFromInterval(value, part.part);
  const isNumber = part.part !== "DATE" && part.part !== "DATETIME";
  const wall = types[0]?.kind === "TIMESTAMP" ? wallFromUtc(value, zoneOf(args[2], timeZone), isNumber) : value;
  return extractPart(wall, part);
}

/** Timestamp functions of the reference, and what the resolver calls `$extract`. */
export const timestampFunctions: FunctionTable = {
  $extract: printExtract,
  CURRENT_TIMESTAMP: () => CURRENT_INSTANT,
  TIMESTAMP: ({ args: [text = EMPTY, zone], timeZone }) =>
    zone === undefined
      ? sql`lw_timestamp_from_text(${text}, ${textSql(timeZone)})`
      : sql`lw_timestamp_from_local_text(${text}, ${zone})`,
  TIMESTAMP_ADD: (context) => printMove(context, "+"),
  TIMESTAMP_SUB: (context) => printMove(context, "-"),
  TIMESTAMP_DIFF: printDifference,
  TIMESTAMP_TRUNC: printTruncate,
  TIMESTAMP_BUCKET: printBucket,
  TIMESTAMP_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_MILLIS: fromUnix(1_000),
  TIMESTAMP_MICROS: fromUnix(1),
  TIMESTAMP_FROM_UNIX_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_FROM_UNIX_MILLIS: fromUnix(1_000),
  TIMESTAMP_FROM_UNIX_MICROS: fromUnix(1),
  UNIX_SECONDS: ({ args }) => countFromEpoch(args[0] ?? EMPTY, "SECOND"),
  // Cut first: DuckDB rounds instants before 1970 towards it.
  UNIX_MILLIS: ({ args }) => sql`epoch_ms(date_trunc('millisecond', ${args[0] ?? EMPTY}))`,
  UNIX_MICROS: ({ args }) => sql`epoch_us(${args[0] ?? EMPTY})`,
  FORMAT_TIMESTAMP: ({ args, timeZone }) =>
    formatTimestamp(args[0] ?? EMPTY, args[1] ?? EMPTY, zoneOf(args[2], timeZone)),
  PARSE_TIMESTAMP: ({ args, timeZone }) =>
    sql`lw_parse_timestamp(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY}, ${zoneOf(args[2], timeZone)})`,
  GENERATE_TIMESTAMP_ARRAY: (context) => printSeries(context),
};
