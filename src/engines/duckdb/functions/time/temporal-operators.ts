/** Prints `+ - * /` over dates, times and intervals. */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { EMPTY, type Sql } from "../../sql/sql.ts";
import type { CallContext } from "../types.ts";
import {
  combineIntervals,
  divideInterval,
  moveByInterval,
  moveDateByDays,
  multiplyInterval,
  subtractTemporal,
} from "./interval.ts";

interface Operand {
  readonly sql: Sql;
  readonly type: SqlType;
  readonly expression: Expr | undefined;
}

function operandsOf({ args, types, type, call }: CallContext<CallExpr>): readonly [Operand, Operand] {
  const operand = (index: number): Operand => ({
    sql: args[index] ?? EMPTY,
    type: types[index] ?? type,
    expression: call.arguments[index],
  });
  return [operand(0), operand(1)];
}

/** `x + y`: a date and days, a date or time and an interval, in either order, or two intervals. */
export function addTemporal(context: CallContext<CallExpr>): Sql {
  const [left, right] = operandsOf(context);
  if (left.type.kind === "INTERVAL" && right.type.kind === "INTERVAL") {
    return combineIntervals(left.sql, "+", right.sql);
  }
  const [value, amount] = left.type.kind === "INTERVAL" || left.type.kind === "INT64" ? [right, left] : [left, right];
  if (amount.type.kind === "INT64") return moveDateByDays(value.sql, "+", amount.sql);
  return moveByInterval(value.sql, value.type, "+", amount.sql, amount.expression);
}

/** `x - y`: as `addTemporal` has it, and the difference of two dates or times. */
export function subtractTemporals(context: CallContext<CallExpr>): Sql {
  const [left, right] = operandsOf(context);
  if (right.type.kind === "INT64") return moveDateByDays(left.sql, "-", right.sql);
  if (right.type.kind !== "INTERVAL") return subtractTemporal(left.sql, right.sql, left.type);
  if (left.type.kind === "INTERVAL") return combineIntervals(left.sql, "-", right.sql);
  return moveByInterval(left.sql, left.type, "-", right.sql, right.expression);
}

/** An interval times a number, in either order. */
export function multiplyIntervals(context: CallContext<CallExpr>): Sql {
  const [left, right] = operandsOf(context);
  if (left.type.kind === "INTERVAL") return multiplyInterval(left.sql, right.sql);
  return multiplyInterval(right.sql, left.sql);
}

/** An interval divided by a number. */
export function divideIntervals(context: CallContext<CallExpr>): Sql {
  const [left, right] = operandsOf(context);
  return divideInterval(left.sql, right.sql);
}
