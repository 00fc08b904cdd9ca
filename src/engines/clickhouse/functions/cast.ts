/** CAST and SAFE_CAST. */

import { formatType, type SqlType } from "../../../googlesql/types.ts";
import { castTo } from "../compile/expression/literals.ts";
import { textSql } from "../sql/atoms.ts";
import { EMPTY, type Sql, sql } from "../sql/sql.ts";
import { toInt64 } from "./arithmetic.ts";
import { roundAway } from "./number.ts";
import { clockOf, DAY, daysOf } from "./time/calendar.ts";
import { castText } from "./time/time-text.ts";
import type { CallContext } from "./types.ts";

type CastContext = Omit<CallContext, "call">;

/** White space around a text. */
const AROUND = textSql("^[\\t\\n\\v\\f\\r ]+|[\\t\\n\\v\\f\\r ]+$");

/** Fails where the value came to nothing and the operand is something. */
function parsed(context: CastContext, operand: Sql, value: Sql, to: SqlType): Sql {
  return context.failIf(sql`isNull(${value}) AND isNotNull(${operand})`, `Bad ${formatType(to)} value`, value);
}

function textToInt64(context: CastContext, operand: Sql): Sql {
  return context.bind([operand], (text) => {
    const trimmed = sql`replaceRegexpAll(${text}, ${AROUND}, '')`;
    const digits = sql`replaceRegexpOne(${trimmed}, '^[+-]?0[xX]0*', '')`;
    const hex = sql`reinterpretAsUInt64(reverse(unhex(leftPad(${digits}, 16, '0'))))`;
    const signed = sql`if(startsWith(${trimmed}, '-'), -toInt128(${hex}), toInt128(${hex}))`;
    const isHex = sql`match(${trimmed}, '^[+-]?0[xX][0-9a-fA-F]+$') AND length(${digits}) <= 16`;
    const isDecimal = sql`match(${trimmed}, '^[+-]?[0-9]+$')`;
    const decimal = sql`multiIf(${isDecimal}, toInt64OrNull(${trimmed}), ${isHex}, accurateCastOrNull(${signed}, 'Int64'), NULL)`;
    return context.bind([decimal], (value) => parsed(context, text, value, { kind: "INT64" }));
  });
}

/** A power of two, over the name of an INT64. */
function powerOfTwo(power: Sql): Sql {
  const normal = sql`reinterpretAsFloat64(bitShiftLeft(toUInt64(least(greatest(${power}, -1022), 1023) + 1023), 52))`;
  const tiny = sql`reinterpretAsFloat64(bitShiftLeft(toUInt64(1), toUInt64(least(greatest(${power}, -1074), -1023) + 1074)))`;
  return sql`multiIf(${power} > 1023, CAST('inf', 'Float64'), ${power} < -1074, 0., ${power} < -1022, ${tiny}, ${normal})`;
}

/** Its groups: a sign, digits before and after the point, and a power of two. */
const HEXADECIMAL = textSql("^([+-]?)0x([0-9a-f]*)[.]?([0-9a-f]*)(?:p([+-]?[0-9]{1,6}))?$");

/** The number that C writes in hexadecimal digits, over its text in small letters; NULL for no such text. */
function hexadecimal(context: CastContext, text: Sql): Sql {
  return context.bind([sql`extractGroups(ifNull(${text}, ''), ${HEXADECIMAL})`], (groups) => {
    const all = sql`concat(${groups}[2], ${groups}[3])`;
    const value = context.bind([sql`replaceRegexpOne(${all}, '^0*', '')`], (digits) => {
      const [power, half] = [context.fresh("p"), context.fresh("h")];
      // Fifteen digits are more than a FLOAT64 has; of the others it counts whether all of them are zero.
      const isMore = sql`match(substring(${digits}, 16), '[^0]')`;
      const first = sql`reinterpretAsUInt64(reverse(unhex(leftPad(substring(${digits}, 1, 15), 16, '0'))))`;
      const mantissa = sql`toFloat64(bitOr(${first}, ${isMore})) * ${powerOfTwo(sql`(4 * (greatest(length(${digits}), 15) - 15))`)}`;
      const scaled = sql`${mantissa} * ${powerOfTwo(half)} * ${powerOfTwo(sql`(${power} - ${half})`)}`;
      const exponent = sql`toInt64OrZero(${groups}[4]) - 4 * length(${groups}[3])`;
      return sql`arrayMap(${power} -> arrayMap(${half} -> ${scaled}, [intDiv(${power}, 2)])[1], [${exponent}])[1]`;
    });
    return sql`multiIf(empty(${groups}) OR ${all} = '', NULL, ${groups}[1] = '-', -${value}, ${value})`;
  });
}

/** Decimal and hexadecimal numbers, and infinities and NaN by name. */
function textToFloat64(context: CastContext, operand: Sql): Sql {
  return context.bind([operand], (text) => {
    const trimmed = sql`lower(replaceRegexpAll(${text}, ${AROUND}, ''))`;
    return context.bind([trimmed], (t) => {
      const isDecimal = sql`match(${t}, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?$')`;
      const special = sql`match(${t}, '^[+-]?(inf|infinity)$')`;
      const infinity = sql`if(startsWith(${t}, '-'), CAST('-inf', 'Float64'), CAST('inf', 'Float64'))`;
      const named = sql`match(${t}, '^[+-]?nan$'), CAST('nan', 'Float64'), ${special}, ${infinity}`;
      const value = sql`multiIf(${isDecimal}, toFloat64OrNull(${t}), ${named}, ${hexadecimal(context, t)})`;
      return context.bind([value], (v) => parsed(context, text, v, { kind: "FLOAT64" }));
    });
  });
}

function floatToInt64(context: CastContext, operand: Sql): Sql {
  return context.bind([operand], (x) => toInt64(context, sql`(${roundAway(x)})`));
}

function toText(context: CastContext, operand: Sql, from: SqlType): Sql {
  switch (from.kind) {
    case "INT64":
    case "NUMERIC":
      return sql`toString(${operand})`;
    case "BOOL":
      return context.bind([operand], (value) => sql`multiIf(isNull(${value}), NULL, ${value}, 'true', 'false')`);
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "TIMESTAMP": {
      const { kind } = from;
      return context.bind([operand], (value) => castText(value, kind));
    }
    default:
      return context.refuse(`from ${formatType(from)} to STRING`);
  }
}

function toBool(context: CastContext, operand: Sql, from: SqlType): Sql {
  if (from.kind === "INT64") return sql`(${operand} != 0)`;
  if (from.kind !== "STRING") return context.refuse(`from ${formatType(from)} to BOOL`);
  return context.bind([operand], (text) => {
    const value = sql`multiIf(lower(${text}) = 'true', true, lower(${text}) = 'false', false, NULL)`;
    return parsed(context, text, value, { kind: "BOOL" });
  });
}

/** Prints the cast. Refuses those that ClickHouse does not compute exactly. */
export function printCast(context: CastContext, from: SqlType, to: SqlType, timeZone: string): Sql {
  const [operand = EMPTY] = context.args;
  if (from.kind === to.kind && from.kind !== "ARRAY" && from.kind !== "STRUCT") return operand;
  if (from.kind === "UNKNOWN") return castTo(operand, to);
  if ([from.kind, to.kind].includes("TIMESTAMP") && timeZone !== "UTC") {
    return context.refuse(`the time zone ${timeZone}`);
  }
  switch (to.kind) {
    case "INT64":
      if (from.kind === "BOOL") return sql`toInt64(${operand})`;
      if (from.kind === "FLOAT64") return floatToInt64(context, operand);
      if (from.kind === "STRING") return textToInt64(context, operand);
      break;
    case "FLOAT64":
      if (from.kind === "INT64") return sql`toFloat64(${operand})`;
      if (from.kind === "STRING") return textToFloat64(context, operand);
      break;
    case "NUMERIC":
      if (from.kind === "INT64") return sql`toDecimal128(${operand}, 9)`;
      break;
    case "STRING":
      return toText(context, operand, from);
    case "BOOL":
      return toBool(context, operand, from);
    case "BYTES":
      if (from.kind === "STRING") return operand;
      break;
    case "TIMESTAMP":
    case "DATETIME":
      if (from.kind === "TIMESTAMP" || from.kind === "DATETIME") return operand;
      if (from.kind === "DATE") return sql`(${operand} * ${DAY})`;
      break;
    case "TIME":
      if (from.kind === "DATETIME" || from.kind === "TIMESTAMP") return clockOf(operand);
      break;
    case "DATE":
      if (from.kind === "DATETIME" || from.kind === "TIMESTAMP") return context.bind([operand], daysOf);
      break;
    default:
  }
  return context.refuse(`from ${formatType(from)} to ${formatType(to)}`);
}
