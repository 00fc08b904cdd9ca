/** Moving dates and times by intervals. */

import {
  MAX_DAY,
  MAX_MICROS,
  MICROS_PER_DAY,
  MICROS_PER_PART,
  MIN_DAY,
  MIN_MICROS,
  MONTHS_PER_PART,
} from "../../../../values/calendar.ts";
import { parseInterval } from "../../../../values/interval.ts";
import { numberSql, signSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import type { CallContext, PrintCall } from "../types.ts";
import { clockOf, DAY, daysFromCivil, daysOf, field, floorDivide, lastDayOfMonth, yearOf } from "./calendar.ts";

interface Move {
  /** An amount of INT64 and microseconds each, or of months. */
  readonly amount: Sql;
  readonly unit: bigint;
  readonly months: number;
}

/** The interval of a call that moves a time: a number of a part, or one that is written out. */
function moveOf(context: CallContext, index: number): Move | Refusal {
  const interval = context.call.arguments[index];
  if (interval?.kind === "Literal" && interval.value !== null) {
    const { months, days, micros } = parseInterval(interval.value);
    if (months !== 0 && (days !== 0 || micros !== 0n)) return context.refuse("an interval of months and days");
    if (months !== 0) return { amount: sql`toInt64(${numberSql(months)})`, unit: 1n, months: 1 };
    return { amount: sql`toInt128(${numberSql(BigInt(days) * MICROS_PER_DAY + micros)})`, unit: 1n, months: 0 };
  }
  if (interval?.kind !== "Call" || interval.function !== "$interval" || interval.isSafe) {
    return context.refuse("an interval that is not written out");
  }
  const part = interval.arguments[1];
  const name = part?.kind === "DatePart" ? part.part : "";
  const amount = context.args[index] ?? EMPTY;
  const months = MONTHS_PER_PART[name];
  if (months !== undefined) return { amount, unit: 1n, months };
  const unit = MICROS_PER_PART[name];
  return unit === undefined ? context.refuse(`the date part ${name}`) : { amount, unit, months: 0 };
}

const OUT_OF_RANGE = "The result of adding or subtracting an INTERVAL is out of the range of its type";

/** Days that are some months away: a day that the month lacks is its last. */
function addMonths(context: CallContext, days: Sql, count: Sql): Sql {
  const year = context.fresh("y");
  const month = context.fresh("m");
  const day = context.fresh("d");
  const total = context.fresh("t");
  const [y, m] = [floorDivide(total, 12), sql`(positiveModulo(${total}, 12) + 1)`];
  const made = daysFromCivil(year, month, sql`least(${day}, ${lastDayOfMonth(year, month)})`);
  const split = sql`arrayMap((${year}, ${month}) -> ${made}, [toInt64(${y})], [toInt64(${m})])[1]`;
  const kept = sql`(${total}, ${day}) -> if(${total} < 12 OR ${total} >= 120000, NULL, ${split})`;
  const inMonths = sql`toInt128(${yearOf(days)}) * 12 + ${field("toMonth", days)} - 1 + ${count}`;
  const bounded = sql`toInt64(greatest(least(${inMonths}, 200000), 0))`;
  return sql`arrayMap(${kept}, [${bounded}], [${field("toDayOfMonth", days)}])[1]`;
}

export function move(operator: "+" | "-"): PrintCall {
  return (context) => {
    const [value = EMPTY] = context.args;
    const kind = context.types[0]?.kind;
    const moved = moveOf(context, 1);
    if (moved instanceof Refusal) return moved;
    const { amount, unit, months } = moved;
    const interval = context.call.arguments[1];
    if (kind === "TIMESTAMP" && unit === MICROS_PER_PART.WEEK) return context.refuse("the date part WEEK");
    if (kind === "TIME") {
      const isLiteral = interval?.kind === "Literal";
      const hasDays = isLiteral ? parseInterval(interval.value ?? "").days !== 0 : unit >= MICROS_PER_DAY;
      if (hasDays || months !== 0) return context.refuse("days");
      return clockOf(sql`(toInt128(${value}) ${signSql(operator)} toInt128(${amount}) * ${numberSql(unit)})`);
    }
    if (months !== 0) return moveByMonths(context, operator, amount, months);
    const moveBy = (each: bigint) =>
      sql`toInt128(${value}) ${signSql(operator)} toInt128(${amount}) * ${numberSql(each)}`;
    if (kind !== "DATE") return checkedTime(context, moveBy(unit), MIN_MICROS, MAX_MICROS);
    if (unit % MICROS_PER_DAY !== 0n) return context.refuse("an interval of a DATE that is no number of days");
    return checkedTime(context, moveBy(unit / MICROS_PER_DAY), MIN_DAY, MAX_DAY);
  };
}

/** Days or microseconds that the type can hold. */
function checkedTime(context: CallContext, time: Sql, least: bigint | number, most: bigint | number): Sql {
  return context.bind([time], (moved) => {
    const isOutside = sql`${moved} < ${numberSql(least)} OR ${moved} > ${numberSql(most)}`;
    return context.failIf(isOutside, OUT_OF_RANGE, sql`toInt64(${moved})`);
  });
}

function moveByMonths(context: CallContext, operator: "+" | "-", amount: Sql, months: number): Sql {
  const [value = EMPTY] = context.args;
  const kind = context.types[0]?.kind;
  if (kind !== "DATE" && kind !== "DATETIME") return context.refuse("months");
  const count = sql`toInt128(${amount}) * ${numberSql(months)}`;
  return context.bind([value, operator === "-" ? sql`(-${count})` : sql`(${count})`], (v, n) => {
    const moved =
      kind === "DATE" ? addMonths(context, v, n) : sql`${addMonths(context, daysOf(v), n)} * ${DAY} + ${clockOf(v)}`;
    return context.bind([moved], (result) => {
      return context.failIf(sql`isNull(${result}) AND isNotNull(${v}) AND isNotNull(${n})`, OUT_OF_RANGE, result);
    });
  });
}

/** `+` and `-` of a DATE and days, or of a time and an interval. */
export function printTemporalOperator(context: CallContext, operator: "+" | "-"): Sql {
  const [left, right] = context.types.map(({ kind }) => kind);
  const [value = EMPTY, other = EMPTY] = context.args;
  if (left === "DATE" && right === "INT64")
    return checkedTime(context, sql`toInt128(${value}) ${signSql(operator)} toInt128(${other})`, MIN_DAY, MAX_DAY);
  const isMoved = (left === "TIMESTAMP" || left === "DATETIME") && right === "INTERVAL";
  return isMoved ? move(operator)(context) : context.refuse(`values of the type ${left}`);
}
