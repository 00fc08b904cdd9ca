/** Buckets of time, and times that are some interval apart. */
import { MAX_MICROS, MICROS_PER_DAY, MIN_DAY, MIN_MICROS } from "../../../../values/calendar.ts";
import { parseInterval } from "../../../../values/interval.ts";
import { numberSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import type { CallContext } from "../types.ts";
import { remainder } from "./calendar.ts";

/** 1950-01-01 */
const ORIGIN_DAY = -7305n;

/** As many elements as an array may have that a function makes. */
const MAX_ELEMENTS = 1_000_000;

/** The days and microseconds of an interval that is written out, which is a literal. */
function partsOf({ call, refuse }: CallContext, index: number) {
  const interval = call.arguments[index];
  const parts = interval?.kind === "Literal" && interval.value !== null ? parseInterval(interval.value) : undefined;
  return parts ?? refuse("an interval that is not written out");
}

/** The width of a call in days or microseconds, as its type has it, where the query says one that is always as long. */
function sizeOf(context: CallContext, index: number): bigint | Refusal {
  const parts = partsOf(context, index);
  if (parts instanceof Refusal) return parts;
  const { months, days, micros } = parts;
  // Of several parts no bucket is as wide; other calls take them apart.
  if (days !== 0 && micros !== 0n) return context.refuse("a width or step of several parts");
  if (months !== 0 && (days !== 0 || micros !== 0n)) return context.refuse("an interval of months and days");
  const width = BigInt(days) * MICROS_PER_DAY + micros;
  const isKnown = months === 0 && width > 0n && width <= MAX_MICROS;
  if (!isKnown) return context.refuse("a width or step that is no positive literal of days or less");
  if (context.types[0]?.kind !== "DATE") return width;
  // 24 hours are no day.
  return micros === 0n ? width / MICROS_PER_DAY : context.refuse("parts of a day");
}

/** The start of the bucket of a width, counted from 1950. */
export function bucket(context: CallContext): Sql {
  if (context.args.length > 2) return context.refuse("an origin");
  const size = sizeOf(context, 1);
  if (size instanceof Refusal) return size;
  const isDay = context.types[0]?.kind === "DATE";
  const origin = isDay ? ORIGIN_DAY : ORIGIN_DAY * MICROS_PER_DAY;
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    const start = sql`(${v} - ${remainder(sql`(${v} - (${numberSql(origin)}))`, size)})`;
    const least = isDay ? MIN_DAY : MIN_MICROS;
    return context.failIf(sql`${start} < ${numberSql(least)}`, "The bucket lies outside the range of its type", start);
  });
}

/** Dates or times from one to another. */
export function generate(context: CallContext): Sql {
  const [start = EMPTY, end = EMPTY] = context.args;
  const step = context.args.length > 2 ? sizeOf(context, 2) : 1n;
  if (step instanceof Refusal) return step;
  return context.bind([start, end], (s, e) => {
    const count = sql`if(${e} < ${s}, 0, intDiv(${e} - ${s}, toInt64(${numberSql(step)})) + 1)`;
    const kept = sql`toUInt64(ifNull(if(${count} > ${numberSql(MAX_ELEMENTS)}, 0, ${count}), 0))`;
    const values = sql`arrayMap(lw_i -> ${s} + toInt64(lw_i) * toInt64(${numberSql(step)}), range(${kept}))`;
    const made = sql`CAST(if(isNull(${s}) OR isNull(${e}), [], [${values}]), 'Array(Array(Nullable(Int64)))')`;
    const message = `${context.call.function} makes more elements than max_array_elements allows`;
    return context.failIf(sql`${count} > ${numberSql(MAX_ELEMENTS)}`, message, made);
  });
}
