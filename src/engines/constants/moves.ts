/** Constants of times, moved by intervals. */
import type { CallExpr, Expr } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import {
  addMonths,
  floorDivide,
  isTimestampInRange,
  MICROS_PER_DAY,
  MICROS_PER_PART,
  MONTHS_PER_PART,
} from "../../values/calendar.ts";
import { checkInterval, parseInterval } from "../../values/interval.ts";
import { convertTime } from "./times.ts";
import type { ConstantValue } from "./values.ts";

/** An interval of months, or of microseconds. */
export interface Shift {
  readonly months: bigint;
  readonly micros: bigint;
}

function unitOf(interval: Expr): { readonly amount: Expr; readonly unit: Shift } | undefined {
  if (interval.kind !== "Call" || interval.function !== "$interval" || interval.isSafe) return undefined;
  const [amount, part] = interval.arguments;
  if (amount === undefined || part?.kind !== "DatePart") return undefined;
  const [months, micros] = [MONTHS_PER_PART[part.part], MICROS_PER_PART[part.part]];
  if (months === undefined && micros === undefined) return undefined;
  return { amount, unit: { months: BigInt(months ?? 0), micros: micros ?? 0n } };
}

function literalShift(interval: Expr): Shift | undefined {
  if (interval.kind !== "Literal" || interval.value === null) return undefined;
  const parts = parseInterval(interval.value);
  const micros = BigInt(parts.days) * MICROS_PER_DAY + parts.micros;
  return parts.months !== 0 && micros !== 0n ? undefined : { months: BigInt(parts.months), micros };
}

/** Is the interval written out, as an amount of a part or as a literal, of months or of microseconds? */
export function isInterval(interval: Expr, isComputed: (amount: Expr) => boolean): boolean {
  const unit = unitOf(interval);
  return unit === undefined ? literalShift(interval) !== undefined : isComputed(unit.amount);
}

/** The interval; null for a NULL. Throws an `Error` beyond the range of intervals. */
export function shiftOf(interval: Expr, compute: (amount: Expr) => ConstantValue): Shift | null {
  const unit = unitOf(interval);
  if (unit === undefined) return literalShift(interval) ?? null;
  const amount = compute(unit.amount);
  if (typeof amount !== "bigint") return null;
  const shift = { months: unit.unit.months * amount, micros: unit.unit.micros * amount };
  checkInterval(shift.months, 0n, shift.micros);
  return shift;
}

interface ConstantMove {
  takes(call: CallExpr, interval: Expr): boolean;
  /** A value of the type. Throws an `Error` beyond its range. */
  move(value: ConstantValue, shift: Shift, type: SqlType): ConstantValue;
}

function inRange(micros: bigint): bigint {
  if (!isTimestampInRange(micros)) throw new Error("The time is out of its type's range");
  return micros;
}

function move(sign: 1n | -1n): ConstantMove {
  const moved = (micros: bigint, shift: Shift) => {
    if (shift.months === 0n) return inRange(micros + sign * shift.micros);
    const [days, clock] = floorDivide(micros, MICROS_PER_DAY);
    return inRange(BigInt(addMonths(Number(days), Number(sign * shift.months))) * MICROS_PER_DAY + clock);
  };
  return {
    takes({ type: { kind } }, interval) {
      const isLiteral = interval.kind === "Literal";
      const unit = isLiteral ? literalShift(interval) : unitOf(interval)?.unit;
      if (unit === undefined) return false;
      const isWeek = !isLiteral && unit.micros === MICROS_PER_PART.WEEK;
      if (kind === "TIMESTAMP") return unit.months === 0n && !isWeek;
      if (kind === "DATE") return unit.micros % MICROS_PER_DAY === 0n;
      return kind === "DATETIME";
    },
    // A DATE and an interval make a DATETIME by the operators, and a DATE by the functions.
    move(value, shift, type) {
      const micros = typeof value === "bigint" ? value : BigInt(value as number) * MICROS_PER_DAY;
      return convertTime(moved(micros, shift), type.kind);
    },
  };
}

/** By the function's name, where its second operand is an interval. */
export const movingFunctions: Readonly<Record<string, ConstantMove>> = {
  $add: move(1n),
  $subtract: move(-1n),
  DATE_ADD: move(1n),
  DATE_SUB: move(-1n),
  DATETIME_ADD: move(1n),
  DATETIME_SUB: move(-1n),
  TIMESTAMP_ADD: move(1n),
  TIMESTAMP_SUB: move(-1n),
};
