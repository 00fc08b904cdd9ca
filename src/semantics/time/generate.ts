/** GENERATE_ARRAY of the types that DuckDB's generate_series does not take. */

import { civilFromMicros, isValidDay, MICROS_PER_DAY, microsFromCivil } from "../../values/calendar.ts";
import { BIGNUMERIC_DECIMAL, type DecimalType, formatDecimal, NUMERIC_DECIMAL } from "../../values/decimal.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

function checkCount(count: bigint | number, limit: bigint): void {
  if (count > limit) throw new Error("GENERATE_ARRAY makes more elements than max_array_elements allows");
}

/** start, start + step, ... as far as end; `step` must not be 0. */
function generateIntegers(start: bigint, end: bigint, step: bigint, limit: bigint): bigint[] {
  if (step === 0n) throw new Error("GENERATE_ARRAY: the step must not be 0");
  const count = (end - start) / step + 1n;
  if (step > 0n ? start > end : start < end) return [];
  checkCount(count, limit);
  return Array.from({ length: Number(count) }, (_, i) => start + BigInt(i) * step);
}

/** Bounds may be infinite: to an infinite end there are the values that a double holds. */
function generateDoubles(start: number, end: number, step: number, limit: bigint): number[] {
  if ([start, end, step].some(Number.isNaN)) throw new Error("GENERATE_ARRAY: the arguments must not be NaN");
  if (!Number.isFinite(step)) throw new Error("GENERATE_ARRAY: the step must be finite");
  if (step === 0) throw new Error("GENERATE_ARRAY: the step must not be 0");
  const isWithin = (value: number) => (step > 0 ? value <= end : value >= end);
  if (!isWithin(start)) return [];
  if (start === end) return [start];
  if (Number.isFinite(end)) checkCount((end - start) / step, limit);
  const values: number[] = [start];
  for (let i = 1; ; i++) {
    const value = start + i * step;
    if (!isWithin(value) || (!Number.isFinite(value) && Number.isFinite(start))) return values;
    checkCount(i + 1, limit);
    values.push(value);
  }
}

function generateDecimals(type: DecimalType, print: (value: bigint) => string) {
  return defineFunction(
    `lw_generate_${type.name.toLowerCase()}s`,
    [type.name, type.name, type.name, "INT64"],
    "STRING[]",
    (start, end, step, limit) => generateIntegers(start, end, step, limit).map(print),
  );
}

/** The days from `start` to `end`, so many months apart: each has the day of the one before it, or its month's last. */
function generateMonths(start: number, end: number, step: bigint): bigint[] {
  const first = civilFromMicros(BigInt(start) * MICROS_PER_DAY);
  const days: bigint[] = [];
  let { day } = first;
  let months = BigInt(first.year) * 12n + BigInt(first.month - 1);
  for (let at = BigInt(start); step > 0n ? at <= BigInt(end) : at >= BigInt(end); ) {
    days.push(at);
    months += step;
    const [year, month] = [Number(months / 12n), Number(months % 12n) + 1];
    if (year < 1 || year > 9999) break;
    while (!isValidDay(year, month, day)) day--;
    at = microsFromCivil({ ...first, year, month, day }) / MICROS_PER_DAY;
  }
  return days;
}

export const generateFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_generate_months", ["DATE", "DATE", "INT64"], "INT64[]", generateMonths),
  defineFunction("lw_generate_doubles", ["FLOAT64", "FLOAT64", "FLOAT64", "INT64"], "FLOAT64[]", generateDoubles),
  generateDecimals(NUMERIC_DECIMAL, (value) => formatDecimal(value, NUMERIC_DECIMAL)),
  generateDecimals(BIGNUMERIC_DECIMAL, String),
];
