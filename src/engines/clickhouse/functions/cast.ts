/** CAST and SAFE_CAST. */

import type { CastExpr } from "../../../googlesql/resolved.ts";
import { formatType, type SqlType } from "../../../googlesql/types.ts";
import { MICROS_PER_DAY } from "../../../values/calendar.ts";
import { physicalType } from "../compile/physical-types.ts";
import { clockOf, daysOf } from "./time/calendar.ts";
import { castText } from "./time/time-text.ts";
import type { CallContext } from "./types.ts";

type CastContext = Omit<CallContext, "call"> & { readonly call: CastExpr };

const WHITESPACE = "[\\\\t\\\\n\\\\v\\\\f\\\\r ]";

/** Fails where the value came to nothing and the operand is something. */
function parsed(context: CastContext, operand: string, value: string, to: SqlType): string {
  return context.failIf(`isNull(${value}) AND isNotNull(${operand})`, `Bad ${formatType(to)} value`, value);
}

function textToInt64(context: CastContext, operand: string): string {
  return context.bind([operand], (text) => {
    const trimmed = `replaceRegexpAll(${text}, '^${WHITESPACE}+|${WHITESPACE}+$', '')`;
    const digits = `replaceRegexpOne(${trimmed}, '^[+-]?0[xX]0*', '')`;
    const hex = `reinterpretAsUInt64(reverse(unhex(leftPad(${digits}, 16, '0'))))`;
    const signed = `if(startsWith(${trimmed}, '-'), -toInt128(${hex}), toInt128(${hex}))`;
    const isHex = `match(${trimmed}, '^[+-]?0[xX][0-9a-fA-F]+$') AND length(${digits}) <= 16`;
    const isDecimal = `match(${trimmed}, '^[+-]?[0-9]+$')`;
    const decimal = `multiIf(${isDecimal}, toInt64OrNull(${trimmed}), ${isHex}, accurateCastOrNull(${signed}, 'Int64'), NULL)`;
    return context.bind([decimal], (value) => parsed(context, text, value, { kind: "INT64" }));
  });
}

/** A power of two, over the name of an INT64. */
function powerOfTwo(power: string): string {
  const normal = `reinterpretAsFloat64(bitShiftLeft(toUInt64(least(greatest(${power}, -1022), 1023) + 1023), 52))`;
  const tiny = `reinterpretAsFloat64(bitShiftLeft(toUInt64(1), toUInt64(least(greatest(${power}, -1074), -1023) + 1074)))`;
  return `multiIf(${power} > 1023, CAST('inf', 'Float64'), ${power} < -1074, 0., ${power} < -1022, ${tiny}, ${normal})`;
}

/** Its groups: a sign, digits before and after the point, and a power of two. */
const HEXADECIMAL = "^([+-]?)0x([0-9a-f]*)[.]?([0-9a-f]*)(?:p([+-]?[0-9]{1,6}))?$";

/** The number that C writes in hexadecimal digits, over its text in small letters; NULL for no such text. */
function hexadecimal(context: CastContext, text: string): string {
  return context.bind([`extractGroups(ifNull(${text}, ''), '${HEXADECIMAL}')`], (groups) => {
    const all = `concat(${groups}[2], ${groups}[3])`;
    const value = context.bind([`replaceRegexpOne(${all}, '^0*', '')`], (digits) => {
      const [power, half] = [context.fresh("p"), context.fresh("h")];
      // Fifteen digits are more than a FLOAT64 has; of the others it counts whether all of them are zero.
      const isMore = `match(substring(${digits}, 16), '[^0]')`;
      const first = `reinterpretAsUInt64(reverse(unhex(leftPad(substring(${digits}, 1, 15), 16, '0'))))`;
      const mantissa = `toFloat64(bitOr(${first}, ${isMore})) * ${powerOfTwo(`(4 * (greatest(length(${digits}), 15) - 15))`)}`;
      const scaled = `${mantissa} * ${powerOfTwo(half)} * ${powerOfTwo(`(${power} - ${half})`)}`;
      const exponent = `toInt64OrZero(${groups}[4]) - 4 * length(${groups}[3])`;
      return `arrayMap(${power} -> arrayMap(${half} -> ${scaled}, [intDiv(${power}, 2)])[1], [${exponent}])[1]`;
    });
    return `multiIf(empty(${groups}) OR ${all} = '', NULL, ${groups}[1] = '-', -${value}, ${value})`;
  });
}

/** Decimal and hexadecimal numbers, and infinities and NaN by name. */
function textToFloat64(context: CastContext, operand: string): string {
  return context.bind([operand], (text) => {
    const trimmed = `lower(replaceRegexpAll(${text}, '^${WHITESPACE}+|${WHITESPACE}+$', ''))`;
    return context.bind([trimmed], (t) => {
      const isDecimal = `match(${t}, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?$')`;
      const special = `match(${t}, '^[+-]?(inf|infinity)$')`;
      const value =
        `multiIf(${isDecimal}, toFloat64OrNull(${t}), match(${t}, '^[+-]?nan$'), CAST('nan', 'Float64'), ` +
        `${special}, if(startsWith(${t}, '-'), CAST('-inf', 'Float64'), CAST('inf', 'Float64')), ${hexadecimal(context, t)})`;
      return context.bind([value], (v) => parsed(context, text, v, { kind: "FLOAT64" }));
    });
  });
}

function floatToInt64(context: CastContext, operand: string): string {
  return context.bind([operand], (x) => {
    const rounded = `(trunc(${x}) + if(abs(${x} - trunc(${x})) >= 0.5, sign(${x}), 0))`;
    return context.isSafe
      ? `accurateCastOrNull(${rounded}, 'Int64')`
      : `accurateCast(${context.mask(rounded)}, 'Nullable(Int64)')`;
  });
}

function toInt64(context: CastContext, operand: string, from: SqlType): string {
  switch (from.kind) {
    case "BOOL":
      return `toInt64(${operand})`;
    case "FLOAT64":
      return floatToInt64(context, operand);
    case "STRING":
      return textToInt64(context, operand);
    default:
      return context.refuse(`from ${formatType(from)} to INT64`);
  }
}

function toText(context: CastContext, operand: string, from: SqlType, timeZone: string): string {
  switch (from.kind) {
    case "INT64":
    case "NUMERIC":
      return `toString(${operand})`;
    case "BOOL":
      return context.bind([operand], (value) => `multiIf(isNull(${value}), NULL, ${value}, 'true', 'false')`);
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "TIMESTAMP": {
      const { kind } = from;
      if (kind === "TIMESTAMP" && timeZone !== "UTC") return context.refuse(`the time zone ${timeZone}`);
      return context.bind([operand], (value) => castText(value, kind));
    }
    default:
      return context.refuse(`from ${formatType(from)} to STRING`);
  }
}

function toBool(context: CastContext, operand: string, from: SqlType): string {
  if (from.kind === "INT64") return `(${operand} != 0)`;
  if (from.kind !== "STRING") return context.refuse(`from ${formatType(from)} to BOOL`);
  return context.bind([operand], (text) => {
    const value = `multiIf(lower(${text}) = 'true', true, lower(${text}) = 'false', false, NULL)`;
    return parsed(context, text, value, { kind: "BOOL" });
  });
}

/** Prints the cast. Refuses those that ClickHouse does not compute exactly. */
export function printCast(context: CastContext, from: SqlType, to: SqlType, timeZone: string): string {
  const [operand = ""] = context.args;
  if (from.kind === to.kind && from.kind !== "ARRAY" && from.kind !== "STRUCT") return operand;
  if (from.kind === "UNKNOWN") return `CAST(${operand}, '${physicalType(to)}')`;
  switch (to.kind) {
    case "INT64":
      return toInt64(context, operand, from);
    case "FLOAT64":
      if (from.kind === "INT64") return `toFloat64(${operand})`;
      if (from.kind === "STRING") return textToFloat64(context, operand);
      break;
    case "NUMERIC":
      if (from.kind === "INT64") return `toDecimal128(${operand}, 9)`;
      break;
    case "STRING":
      return toText(context, operand, from, timeZone);
    case "BOOL":
      return toBool(context, operand, from);
    case "BYTES":
      if (from.kind === "STRING") return operand;
      break;
    case "TIMESTAMP":
    case "DATETIME":
      if ((from.kind === "TIMESTAMP" || from.kind === "DATETIME") && timeZone === "UTC") return operand;
      if (from.kind === "DATE" && timeZone === "UTC") return `(${operand} * ${MICROS_PER_DAY})`;
      break;
    case "TIME":
      if (from.kind === "DATETIME" || (from.kind === "TIMESTAMP" && timeZone === "UTC")) return clockOf(operand);
      break;
    case "DATE":
      if (from.kind === "DATETIME" || (from.kind === "TIMESTAMP" && timeZone === "UTC"))
        return context.bind([operand], daysOf);
      break;
    default:
  }
  return context.refuse(`from ${formatType(from)} to ${formatType(to)}`);
}
