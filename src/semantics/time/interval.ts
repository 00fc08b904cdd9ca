/** Functions of INTERVAL that carry between its fields. Results are texts that DuckDB casts to INTERVAL. */

import { MICROS_PER_DAY } from "../../values/calendar.ts";
import { checkInterval, type IntervalParts } from "../../values/interval.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

const DAYS_PER_MONTH = 30n;

/** An interval as DuckDB reads it in a cast. */
export function intervalSource({ months, days, micros }: IntervalParts): string {
  return `${months} months ${days} days ${micros} microseconds`;
}

/** The remainder of months is carried into days, and the remainder of days into microseconds. */
function divide(months: bigint, days: bigint, micros: bigint, divisor: bigint): string {
  if (divisor === 0n) throw new Error("Interval division by zero");
  const allDays = days + (months % divisor) * DAYS_PER_MONTH;
  const allMicros = micros + (allDays % divisor) * MICROS_PER_DAY;
  return intervalSource(checkInterval(months / divisor, allDays / divisor, allMicros / divisor));
}

function sign(value: bigint): number {
  return value === 0n ? 0 : value < 0n ? -1 : 1;
}

/** Moves whole units of a field into the one above it, and then one more where their signs would differ. */
function carry(upper: bigint, lower: bigint, unit: bigint): readonly [bigint, bigint] {
  const carried = upper + lower / unit;
  const rest = lower % unit;
  if (sign(carried) * sign(rest) >= 0) return [carried, rest];
  return rest < 0n ? [carried - 1n, rest + unit] : [carried + 1n, rest - unit];
}

function justify(months: bigint, days: bigint, micros: bigint, mode: string): string {
  if (mode === "DAYS") {
    const [allMonths, restDays] = carry(months, days, DAYS_PER_MONTH);
    return intervalSource(checkInterval(allMonths, restDays, micros));
  }
  const [allDays, restMicros] = carry(days, micros, MICROS_PER_DAY);
  if (mode === "HOURS") return intervalSource(checkInterval(months, allDays, restMicros));
  // Days and microseconds together are carried as one number, so that all three fields end with one sign.
  const unit = DAYS_PER_MONTH * MICROS_PER_DAY;
  const [allMonths, rest] = carry(months, allDays * MICROS_PER_DAY + restMicros, unit);
  return intervalSource(checkInterval(allMonths, rest / MICROS_PER_DAY, rest % MICROS_PER_DAY));
}

/** The sum of intervals, given as the sums of their fields, or with a count their mean. */
function total(months: string, days: string, micros: string, count: bigint): string {
  return divide(BigInt(months), BigInt(days), BigInt(micros), count);
}

/** Division and justification of intervals. */
export const intervalFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_interval_divide", ["INT64", "INT64", "INT64", "INT64"], "STRING", divide),
  defineFunction("lw_interval_total", ["STRING", "STRING", "STRING", "INT64"], "STRING", total),
  defineFunction("lw_interval_justify", ["INT64", "INT64", "INT64", "STRING"], "STRING", justify),
  defineFunction("lw_interval_check", ["INT64", "INT64", "INT64"], "STRING", (months, days, micros) =>
    intervalSource(checkInterval(months, days, micros)),
  ),
];
