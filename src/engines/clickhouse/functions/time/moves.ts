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
import type { CallContext, PrintCall } from "../types.ts";
import { clockOf, daysFromCivil, daysOf, field, floorDivide, lastDayOfMonth, remainder, yearOf } from "./calendar.ts";

interface Move {
  /** An amount of INT64 and microseconds each, or of months. */
  readonly amount: string;
  readonly unit: bigint;
  readonly months: number;
}

/** The interval of a call that moves a time: a number of a part, or one that is written out. */
export function moveOf(context: CallContext, index: number): Move {
  const interval = context.call.arguments[index];
  if (interval?.kind === "Literal" && interval.value !== null) {
    const { months, days, micros } = parseInterval(interval.value);
    if (months !== 0 && (days !== 0 || micros !== 0n)) return context.refuse("an interval of months and days");
    if (months !== 0) return { amount: `toInt64(${months})`, unit: 1n, months: 1 };
    return { amount: `toInt128(${BigInt(days) * MICROS_PER_DAY + micros})`, unit: 1n, months: 0 };
  }
  if (interval?.kind !== "Call" || interval.function !== "$interval" || interval.isSafe) {
    return context.refuse("an interval that is not written out");
  }
  const part = interval.arguments[1];
  const name = part?.kind === "DatePart" ? part.part : "";
  const amount = context.args[index] ?? "";
  const months = MONTHS_PER_PART[name];
  if (months !== undefined) return { amount, unit: 1n, months };
  return { amount, unit: MICROS_PER_PART[name] ?? context.refuse(`the date part ${name}`), months: 0 };
}

/** The microseconds of 10,000 years. */
const MAX_INTERVAL_MICROS = 316_224_000_000_000_000n;

const OUT_OF_RANGE = "The result of adding an interval is out of its type's range";

/** Days that are some months away: a day that the month lacks is its last. */
function addMonths(context: CallContext, days: string, count: string): string {
  const year = context.fresh("y");
  const month = context.fresh("m");
  const day = context.fresh("d");
  const total = context.fresh("t");
  const [y, m] = [floorDivide(total, 12), `(positiveModulo(${total}, 12) + 1)`];
  const made = daysFromCivil(year, month, `least(${day}, ${lastDayOfMonth(year, month)})`);
  const split = `arrayMap((${year}, ${month}) -> ${made}, [toInt64(${y})], [toInt64(${m})])[1]`;
  const kept = `arrayMap((${total}, ${day}) -> if(${total} < 12 OR ${total} >= 120000, NULL, ${split}), `;
  const inMonths = `toInt128(${yearOf(days)}) * 12 + ${field("toMonth", days)} - 1 + ${count}`;
  return `${kept}[toInt64(greatest(least(${inMonths}, 200000), 0))], [${field("toDayOfMonth", days)}])[1]`;
}

export function move(operator: "+" | "-"): PrintCall {
  return (context) => {
    const [value = ""] = context.args;
    const kind = context.types[0]?.kind;
    const { amount, unit, months } = moveOf(context, 1);
    const interval = context.call.arguments[1];
    if (kind === "TIMESTAMP" && unit === MICROS_PER_PART.WEEK) return context.refuse("the date part WEEK");
    if (kind === "TIME") {
      const isLiteral = interval?.kind === "Literal";
      const hasDays = isLiteral ? parseInterval(interval.value ?? "").days !== 0 : unit >= MICROS_PER_DAY;
      if (hasDays || months !== 0) return context.refuse("days");
      return context.bind([value, `toInt128(${amount}) * ${unit}`], (clock, micros) => {
        const moved = `toInt64(${remainder(`(toInt128(${clock}) ${operator} ${micros})`, MICROS_PER_DAY)})`;
        const fails = `isNotNull(${clock}) AND abs(${micros}) > ${MAX_INTERVAL_MICROS}`;
        return context.failIf(fails, "An interval is out of range", moved);
      });
    }
    if (months !== 0) return moveByMonths(context, operator, amount, months);
    if (kind === "DATE") {
      if (unit % MICROS_PER_DAY !== 0n) return context.refuse("an interval of a DATE that is no number of days");
      return checkedDays(context, `toInt128(${value}) ${operator} toInt128(${amount}) * ${unit / MICROS_PER_DAY}`);
    }
    return context.bind([`toInt128(${value}) ${operator} toInt128(${amount}) * ${unit}`], (moved) => {
      const isOutside = `${moved} < ${MIN_MICROS} OR ${moved} > ${MAX_MICROS}`;
      return context.failIf(isOutside, OUT_OF_RANGE, `toInt64(${moved})`);
    });
  };
}

function checkedDays(context: CallContext, days: string): string {
  return context.bind([days], (moved) => {
    return context.failIf(`${moved} < ${MIN_DAY} OR ${moved} > ${MAX_DAY}`, OUT_OF_RANGE, `toInt64(${moved})`);
  });
}

function moveByMonths(context: CallContext, operator: "+" | "-", amount: string, months: number): string {
  const [value = ""] = context.args;
  const kind = context.types[0]?.kind;
  if (kind !== "DATE" && kind !== "DATETIME") return context.refuse("months");
  const count = `${operator === "-" ? "-" : ""}toInt128(${amount}) * ${months}`;
  return context.bind([value, `(${count})`], (v, n) => {
    const moved =
      kind === "DATE"
        ? addMonths(context, v, n)
        : `${addMonths(context, daysOf(v), n)} * toInt64(${MICROS_PER_DAY}) + ${clockOf(v)}`;
    return context.bind([moved], (result) => {
      return context.failIf(`isNull(${result}) AND isNotNull(${v}) AND isNotNull(${n})`, OUT_OF_RANGE, result);
    });
  });
}

/** `+` and `-` of a DATE and days, or of a time and an interval. */
export function printTemporalOperator(context: CallContext, operator: "+" | "-"): string {
  const [left, right] = context.types.map(({ kind }) => kind);
  const [value = "", other = ""] = context.args;
  if (left === "DATE" && right === "INT64")
    return checkedDays(context, `toInt128(${value}) ${operator} toInt128(${other})`);
  const isMoved = (left === "TIMESTAMP" || left === "DATETIME") && right === "INTERVAL";
  return isMoved ? move(operator)(context) : context.refuse(`values of the type ${left}`);
}
