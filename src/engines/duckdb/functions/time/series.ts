/** GENERATE_DATE_ARRAY and its like, and buckets of time. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { ARRAY_ELEMENTS } from "../../compile/limits.ts";
import { NULL, signSql, variableSql } from "../../sql/atoms.ts";
import { callSql, castTo, filterList, lambda, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { DATE } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext } from "../types.ts";
import { refuseCall } from "./date-parts.ts";
import { knownInterval } from "./interval.ts";
import { intervalParts } from "./interval-parts.ts";
import { checkTimestamp } from "./temporal-bounds.ts";

type Context = CallContext<CallExpr>;

/** `index` times an interval, its fields apart: months counted from the start keep its day where they can. */
function multiple(interval: Sql, index: Sql): Sql {
  const { months, days, micros } = intervalParts(interval);
  const scaled = [
    sql`to_months(CAST(${index} * ${months} AS INTEGER))`,
    sql`to_days(CAST(${index} * ${days} AS INTEGER))`,
  ];
  return sql`${joinSql(scaled, " + ")} + to_microseconds(${index} * ${micros})`;
}

/** A lower bound of an interval's length in microseconds: every month has at least 28 days. */
function shortestMicros(interval: Sql): Sql {
  const { months, days, micros } = intervalParts(interval);
  return sql`((${months} * 28 + ${days}) * 86400000000 + ${micros})`;
}

/**
 * The values from `start` to `end`, `step` apart, as a list of DuckDB TIMESTAMPs or of DATEs. Bounds may be DATEs or
 * TIMESTAMPs. With `isHalfOpen`, `end` itself is excluded.
 */
export function seriesOf(start: Sql, end: Sql, step: Sql, type: SqlType, name: string, isHalfOpen = false): Sql {
  const [before, after] = isHalfOpen ? [signSql("<"), signSql(">")] : [signSql("<="), signSql(">=")];
  return computeOnce([start, end, step], "series", (from, to, by) => {
    const span = sql`(epoch_us(CAST(${to} AS TIMESTAMP)) - epoch_us(CAST(${from} AS TIMESTAMP)))`;
    const count = sql`(${span} // lw_length)`;
    const value = sql`${from} + ${multiple(by, variableSql("lw_index"))}`;
    const element = type.kind === "DATE" ? castTo(value, DATE) : value;
    const values = sql`list_transform(range(0, ${count} + 1), ${lambda(variableSql("lw_index"), element)})`;
    const { months } = intervalParts(by);
    const days = callSql("lw_generate_months", [from, to, months]);
    const byMonths = mapList(days, "lw_day", sql`DATE '1970-01-01' + CAST(lw_day AS INTEGER)`);
    const kept = filterList(
      values,
      "lw_value",
      sql`CASE WHEN lw_length > 0 THEN lw_value ${before} ${to} ELSE lw_value ${after} ${to} END`,
    );
    const tooMany = raiseText(`${name} makes more elements than max_array_elements allows`);
    const ofMonths = type.kind === "DATE" && !isHalfOpen ? sql`WHEN ${months} <> 0 THEN ${byMonths} ` : EMPTY;
    const body = sql`
      CASE WHEN ${from} IS NULL OR ${to} IS NULL OR lw_length IS NULL THEN NULL
      WHEN lw_length = 0 THEN ${raiseText("Sequence step cannot be 0.")}
      WHEN ${count} >= ${ARRAY_ELEMENTS} THEN ${tooMany}
      WHEN (lw_length > 0) <> (${span} >= 0) AND ${span} <> 0 THEN []
      ${ofMonths}ELSE ${kept} END
    `;
    return sql`list_transform([${shortestMicros(by)}], ${lambda(variableSql("lw_length"), body)})[1]`;
  });
}

/** GENERATE_DATE_ARRAY and GENERATE_TIMESTAMP_ARRAY. */
export function printSeries({ args, types, call }: Context, defaultStep = NULL): Sql {
  const [start = EMPTY, end = EMPTY, step] = args;
  const { hasMonths, hasMicros } = knownInterval(call.arguments[2]);
  const isDate = types[0]?.kind === "DATE";
  if (isDate ? hasMicros : hasMonths) {
    refuseCall(call, `${call.function} does not take a step of ${isDate ? "parts of a day" : "months"}`);
  }
  return seriesOf(start, end, step ?? defaultStep, types[0] ?? call.type, call.function);
}

const ORIGIN_DATE = sql`DATE '1950-01-01'`;
const ORIGIN_TIMESTAMP = sql`TIMESTAMP '1950-01-01 00:00:00'`;

/** DATE_BUCKET, DATETIME_BUCKET and TIMESTAMP_BUCKET: the start of the bucket of a width, counted from an origin. */
export function printBucket({ args, types, call }: Context): Sql {
  const [value = EMPTY, width = EMPTY, origin] = args;
  const isDate = types[0]?.kind === "DATE";
  const parts = isDate ? "months or days" : "months, days or smaller parts down to microseconds";
  const usable = types[0]?.kind === "TIMESTAMP" ? "days or smaller parts down to microseconds" : parts;
  const message = `${call.function} needs a bucket width greater than zero, in one of ${usable}`;
  const first = origin ?? (isDate ? ORIGIN_DATE : ORIGIN_TIMESTAMP);
  const bucket = computeOnce([value, width, first], "bucket", (v, w, o) => {
    const { months, days, micros } = intervalParts(w);
    const length = sql`(${days} * 86400000000 + ${micros})`;
    const passed = sql`(epoch_us(CAST(${v} AS TIMESTAMP)) - epoch_us(CAST(${o} AS TIMESTAMP)))`;
    const count = sql`(${passed} // ${length} - CAST(${passed} % ${length} < 0 AS BIGINT))`;
    const monthsPassed = sql`date_diff('month', ${o}, ${v})`;
    const monthCount = sql`(${monthsPassed} // ${months} - CAST(${monthsPassed} % ${months} < 0 AS BIGINT))`;
    const monthBucket = (index: Sql) => sql`${o} + to_months(CAST((${index}) * ${months} AS INTEGER))`;
    const unusable =
      types[0]?.kind === "TIMESTAMP" ? sql` OR ${months} <> 0` : isDate ? sql` OR ${micros} <> 0` : EMPTY;
    const given = [months, days, micros];
    const counted = given.map((part) => sql`CAST(${part} > 0 AS INTEGER)`);
    const isNegative = joinMapped(given, " OR ", (part) => sql`${part} < 0`);
    const isWrong = sql`${isNegative} OR ${joinSql(counted, " + ")} <> 1${unusable}`;
    return sql`
      CASE WHEN ${isWrong} THEN ${raiseText(message)}
      WHEN ${months} > 0 THEN CASE WHEN ${monthBucket(monthCount)} > ${v}
      THEN ${monthBucket(sql`${monthCount} - 1`)} ELSE ${monthBucket(monthCount)} END
      ELSE CAST(${o} AS TIMESTAMP) + to_microseconds(${count} * ${length}) END
    `;
  });
  const checked = checkTimestamp(bucket, `The bucket of ${call.function} lies outside the range of its type`);
  return isDate ? castTo(checked, DATE) : checked;
}
