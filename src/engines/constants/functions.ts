/** Functions of constants but for those of times. */

import type { CallExpr } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { MAX_DAY, MIN_DAY } from "../../values/calendar.ts";
import { isInt64 } from "../../values/number-text.ts";
import { type ConstantValue, LeftToEngine } from "./values.ts";

/** How a call over constants is computed. */
export interface ConstantFunction {
  /** Whether a call of such types, with these date parts, is computed. */
  takes(call: CallExpr): boolean;
  /** The operands are those of the call but for date parts. Throws an `Error` where the call fails. */
  call(values: readonly ConstantValue[], call: CallExpr): ConstantValue;
  /** False (the default): a NULL makes the result NULL without a call. */
  readonly acceptsNull?: boolean;
}

export type ConstantFunctions = Readonly<Record<string, ConstantFunction>>;

function kinds({ arguments: operands }: CallExpr): readonly (SqlType["kind"] | undefined)[] {
  return operands.map((operand) => operand?.type.kind);
}

function areAll(call: CallExpr, ...allowed: readonly SqlType["kind"][]): boolean {
  return kinds(call).every((kind) => kind !== undefined && allowed.includes(kind));
}

/** Fails beyond 64 bits. */
function int64(value: bigint): bigint {
  if (!isInt64(value)) throw new Error("int64 overflow");
  return value;
}

function float64(value: number, operands: readonly number[]): number {
  if (!Number.isFinite(value) && operands.every((operand) => Number.isFinite(operand))) {
    throw new Error("Floating point overflow");
  }
  return value;
}

function arithmetic(
  ofIntegers: (left: bigint, right: bigint) => bigint,
  ofFloats: (left: number, right: number) => number,
): ConstantFunction {
  return {
    takes: (call) => areAll(call, "INT64") || areAll(call, "FLOAT64"),
    call([left, right]) {
      if (typeof left === "bigint" && typeof right === "bigint") return int64(ofIntegers(left, right));
      const operands = [Number(left), Number(right)] as const;
      return float64(ofFloats(...operands), operands);
    },
  };
}

/** The sum or difference of numbers, or of a DATE and a number of days. */
function additive(sign: 1 | -1): ConstantFunction {
  const plain = arithmetic(
    (l, r) => l + BigInt(sign) * r,
    (l, r) => l + sign * r,
  );
  return {
    takes: (call) => plain.takes(call) || kinds(call).join() === "DATE,INT64",
    call(values, call) {
      const [left, right] = values;
      if (typeof left !== "number" || typeof right !== "bigint") return plain.call(values, call);
      const days = left + sign * Number(right);
      if (!(days >= MIN_DAY && days <= MAX_DAY)) throw new Error("The date is out of its type's range");
      return days;
    },
  };
}

function ofIntegers(compute: (left: bigint, right: bigint) => bigint): ConstantFunction {
  return { takes: (call) => areAll(call, "INT64"), call: ([l, r]) => int64(compute(BigInt(`${l}`), BigInt(`${r}`))) };
}

function divided(divisor: bigint): bigint {
  if (divisor === 0n) throw new Error("Division by zero");
  return divisor;
}

/** Texts by their characters, which JavaScript compares by their halves. */
function compare(left: ConstantValue, right: ConstantValue): number {
  if (typeof left === "string" && typeof right === "string")
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const [l, r] = [left ?? 0, right ?? 0];
  return l < r ? -1 : l > r ? 1 : l === r ? 0 : Number.NaN;
}

function isSameKind(call: CallExpr): boolean {
  return new Set(kinds(call)).size === 1;
}

function comparison(holds: (order: number) => boolean): ConstantFunction {
  return {
    takes: isSameKind,
    call([left = null, right = null]) {
      const order = compare(left, right);
      return Number.isNaN(order) ? false : holds(order);
    },
  };
}

function truth(holds: (value: ConstantValue) => boolean): ConstantFunction {
  return { takes: (call) => call.arguments.length === 1, call: ([value = null]) => holds(value), acceptsNull: true };
}

function isIn(values: readonly ConstantValue[]): ConstantValue {
  const [needle = null, ...others] = values;
  if (needle === null) return null;
  if (others.some((other) => other !== null && compare(needle, other) === 0)) return true;
  return others.includes(null) ? null : false;
}

/** NULL, unless one side decides. */
function isBetween([value = null, low = null, high = null]: readonly ConstantValue[]): ConstantValue {
  const isAbove = value === null || low === null ? null : compare(value, low) >= 0;
  const isBelow = value === null || high === null ? null : compare(value, high) <= 0;
  if (isAbove === false || isBelow === false) return false;
  return isAbove === null || isBelow === null ? null : true;
}

const isText = (call: CallExpr) => areAll(call, "STRING");

/**
 * The maximum result of a call. Texts that double at each step would fill the memory of the service, not of an engine.
 */
const MAX_TEXT_BYTES = 1024;

function joined(values: readonly ConstantValue[]): string {
  const text = values.join("");
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new LeftToEngine("The text is long");
  return text;
}

export const plainFunctions: ConstantFunctions = {
  $add: additive(1),
  $subtract: additive(-1),
  $multiply: arithmetic(
    (l, r) => l * r,
    (l, r) => l * r,
  ),
  $divide: {
    takes: (call) => areAll(call, "FLOAT64"),
    call([left, right]) {
      if (right === 0) throw new Error("Division by zero");
      const operands = [Number(left), Number(right)] as const;
      return float64(operands[0] / operands[1], operands);
    },
  },
  $negate: {
    takes: (call) => areAll(call, "INT64") || areAll(call, "FLOAT64"),
    call: ([value]) => (typeof value === "bigint" ? int64(-value) : -Number(value)),
  },
  DIV: ofIntegers((l, r) => l / divided(r)),
  MOD: ofIntegers((l, r) => l % divided(r)),
  $equal: comparison((order) => order === 0),
  $not_equal: { takes: isSameKind, call: ([left = null, right = null]) => compare(left, right) !== 0 },
  $less: comparison((order) => order < 0),
  $less_or_equal: comparison((order) => order <= 0),
  $greater: comparison((order) => order > 0),
  $greater_or_equal: comparison((order) => order >= 0),
  $between: { takes: isSameKind, call: isBetween, acceptsNull: true },
  $in: { takes: isSameKind, call: isIn, acceptsNull: true },
  $is_null: truth((value) => value === null),
  $is_true: truth((value) => value === true),
  $is_false: truth((value) => value === false),
  $not: { takes: (call) => areAll(call, "BOOL"), call: ([value]) => value !== true },
  NULLIF: {
    takes: isSameKind,
    call: ([left = null, right = null]) =>
      left !== null && right !== null && compare(left, right) === 0 ? null : left,
    acceptsNull: true,
  },
  $concat_op: { takes: isText, call: joined },
  CONCAT: { takes: isText, call: joined },
};
