/** GENERATE_DATE_ARRAY and its like, and buckets of time. */
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { ARRAY_ELEMENTS } from "../../compile/limits.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext } from "../types.ts";
import { refuseCall } from "./date-parts.ts";
import { knownInterval } from "./interval.ts";
import { intervalParts } from "./interval-parts.ts";
import { checkTimestamp } from "./temporal-bounds.ts";

type Context = CallContext<CallExpr>;

/** `index` times an interval, its fields apart: months counted from the start keep its day where they can. */
function multiple(interval: string, index: string): string {
  const { months, days, micros } = intervalParts(interval);
  const scaled = [`to_months(CAST(${index} * ${months} AS INTEGER))`, `to_days(CAST(${index} * ${days} AS INTEGER))`];
  return `${scaled.join(" + ")} + to_microseconds(${index} * ${micros})`;
}

/** At most as long as an interval, in microseconds: no month has less than 28 days. */
function shortestMicros(interval: string): string {
  const { months, days, micros } = intervalParts(interval);
  return `((${months} * 28 + ${days}) * 86400000000 + ${micros})`;
}

/**
 * The values from `start` to `end`, `step` apart, as a list of DuckDB TIMESTAMPs or of DATEs. Bounds may be DATEs or
 * TIMESTAMPs. With `isHalfOpen`, `end` itself is none of them.
 */
export function seriesOf(
  start: string,
  end: string,
  step: string,
  type: SqlType,
  name: string,
  isHalfOpen = false,
): string {
  const [before, after] = isHalfOpen ? ["<", ">"] : ["<=", ">="];
  return computeOnce([start, end, step], "series", (from, to, by) => {
    const span = `(epoch_us(CAST(${to} AS TIMESTAMP)) - epoch_us(CAST(${from} AS TIMESTAMP)))`;
    const count = `(${span} // lw_length)`;
    const value = `${from} + ${multiple(by, "lw_index")}`;
    const element = type.kind === "DATE" ? `CAST(${value} AS DATE)` : value;
    const values = `list_transform(range(0, ${count} + 1), lambda lw_index: ${element})`;
    const byMonths =
      `list_transform(lw_generate_months(${from}, ${to}, ${intervalParts(by).months}), lambda lw_day: DATE ` +
      "'1970-01-01' + CAST(lw_day AS INTEGER))";
    const kept =
      `list_filter(${values}, lambda lw_value: CASE WHEN lw_length > 0 THEN lw_value ${before} ${to} ` +
      `ELSE lw_value ${after} ${to} END)`;
    const tooMany = raiseError(quoteString(`${name} makes more elements than max_array_elements allows`));
    const body =
      `CASE WHEN ${from} IS NULL OR ${to} IS NULL OR lw_length IS NULL THEN NULL ` +
      `WHEN lw_length = 0 THEN ${raiseError(quoteString("Sequence step cannot be 0."))} ` +
      `WHEN ${count} >= ${ARRAY_ELEMENTS} THEN ${tooMany} ` +
      `WHEN (lw_length > 0) <> (${span} >= 0) AND ${span} <> 0 THEN [] ` +
      `${type.kind === "DATE" && !isHalfOpen ? `WHEN ${intervalParts(by).months} <> 0 THEN ${byMonths} ` : ""}ELSE ${kept} END`;
    return `list_transform([${shortestMicros(by)}], lambda lw_length: ${body})[1]`;
  });
}

/** GENERATE_DATE_ARRAY and GENERATE_TIMESTAMP_ARRAY. */
export function printSeries({ args, types, call }: Context, defaultStep = "NULL"): string {
  const [start = "", end = "", step] = args;
  const { hasMonths, hasMicros } = knownInterval(call.arguments[2]);
  const isDate = types[0]?.kind === "DATE";
  if (isDate ? hasMicros : hasMonths) {
    refuseCall(call, `${call.function} does not take a step of ${isDate ? "parts of a day" : "months"}`);
  }
  return seriesOf(start, end, step ?? defaultStep, types[0] ?? call.type, call.function);
}

const ORIGIN = "1950-01-01";

/** DATE_BUCKET, DATETIME_BUCKET and TIMESTAMP_BUCKET: the start of the bucket of a width, counted from an origin. */
export function printBucket({ args, types, call }: Context): string {
  const [value = "", width = "", origin] = args;
  const isDate = types[0]?.kind === "DATE";
  const first = origin ?? (isDate ? `DATE '${ORIGIN}'` : `TIMESTAMP '${ORIGIN} 00:00:00'`);
  const bucket = computeOnce([value, width, first], "bucket", (v, w, o) => {
    const { months, days, micros } = intervalParts(w);
    const length = `(${days} * 86400000000 + ${micros})`;
    const passed = `(epoch_us(CAST(${v} AS TIMESTAMP)) - epoch_us(CAST(${o} AS TIMESTAMP)))`;
    const count = `(${passed} // ${length} - CAST(${passed} % ${length} < 0 AS BIGINT))`;
    const monthsPassed = `date_diff('month', ${o}, ${v})`;
    const monthCount = `(${monthsPassed} // ${months} - CAST(${monthsPassed} % ${months} < 0 AS BIGINT))`;
    const monthBucket = (index: string) => `${o} + to_months(CAST((${index}) * ${months} AS INTEGER))`;
    const unusable = types[0]?.kind === "TIMESTAMP" ? ` OR ${months} <> 0` : isDate ? ` OR ${micros} <> 0` : "";
    const isWrong = `${months} < 0 OR ${length} < 0 OR (${months} > 0) = (${length} > 0)${unusable}`;
    const parts =
      types[0]?.kind === "TIMESTAMP"
        ? "days and smaller parts"
        : `months or in days${isDate ? "" : " and smaller parts"}`;
    const message = quoteString(`${call.function} needs a bucket width greater than zero, in ${parts}`);
    return (
      `CASE WHEN ${isWrong} THEN ${raiseError(message)} ` +
      (`WHEN ${months} > 0 THEN CASE WHEN ${monthBucket(monthCount)} > ${v} ` +
        `THEN ${monthBucket(`${monthCount} - 1`)} ELSE ${monthBucket(monthCount)} END `) +
      `ELSE CAST(${o} AS TIMESTAMP) + to_microseconds(${count} * ${length}) END`
    );
  });
  const checked = checkTimestamp(bucket, `The bucket of ${call.function} lies outside the range of its type`);
  return isDate ? `CAST(${checked} AS DATE)` : checked;
}
