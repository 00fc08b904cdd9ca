/** Constants of times, moved by intervals. */
import type { CallExpr, Expr } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { civilFromDays, daysFromCivil, parseInterval } from "../../semantics/time/calendar.ts";
import { floorDivide, MAX_MICROS, MICROS_PER_DAY, MICROS_PER_PART, MIN_MICROS } from "../../semantics/time/civil.ts";
import { checkInterval } from "../../semantics/time/interval-text.ts";
import { convertTime } from "./times.ts";
import type { ConstantValue } from "./values.ts";

/** An interval of months, or of microseconds. */
export interface Shift {
  readonly months: bigint;
  readonly micros: bigint;
}

const MONTHS: Readonly<Record<string, bigint>> = { MONTH: 1n, QUARTER: 3n, YEAR: 12n };

function unitOf(interval: Expr): { readonly amount: Expr; readonly unit: Shift } | undefined {
  if (interval.kind !== "Call" || interval.function !== "$interval" || interval.isSafe) return undefined;
  const [amount, part] = interval.arguments;
  if (amount === undefined || part?.kind !== "DatePart") return undefined;
  const [months, micros] = [MONTHS[part.part], MICROS_PER_PART[part.part]];
  if (months === undefined && micros === undefined) return undefined;
  return { amount, unit: { months: months ?? 0n, micros: micros ?? 0n } };
}

function literalShift(interval: Expr): Shift | undefined {
  if (interval.kind !== "Literal" || interval.value === null) return undefined;
  const parts = parseInterval(interval.value);
  if (parts === undefined) return undefined;
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
  if (micros < MIN_MICROS || micros > MAX_MICROS) throw new Error("The time is out of its type's range");
  return micros;
}

/** A day that the month lacks is its last. */
function addMonths(days: number, months: bigint): number {
  const { year, month, day } = civilFromDays(days);
  const total = BigInt(year) * 12n + BigInt(month - 1) + months;
  if (total < 12n || total >= 120_000n) throw new Error("The date is out of its type's range");
  const first = { year: Number(total / 12n), month: Number(total % 12n) + 1, day: 1 };
  const next = total + 1n;
  const end = daysFromCivil({ year: Number(next / 12n), month: Number(next % 12n) + 1, day: 1 }) - 1;
  return Math.min(daysFromCivil({ ...first, day }), end);
}

function move(sign: 1n | -1n): ConstantMove {
  const moved = (micros: bigint, shift: Shift) => {
    if (shift.months === 0n) return inRange(micros + sign * shift.micros);
    const [days, clock] = floorDivide(micros, MICROS_PER_DAY);
    return BigInt(addMonths(Number(days), sign * shift.months)) * MICROS_PER_DAY + clock;
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
