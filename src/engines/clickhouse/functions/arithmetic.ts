/** Operators that compute numbers. Those of INT64 are computed in 128 bits and fail where 64 do not hold the result. */

import { nameSql, signSql } from "../sql/atoms.ts";
import { isTrue } from "../sql/forms.ts";
import { callSql, EMPTY, type Sql, sql } from "../sql/sql.ts";
import { named, returning } from "./rows.ts";
import { printTemporalOperator } from "./time/moves.ts";
import { type CallContext, type FunctionTable, type PrintCall, takingIntervals } from "./types.ts";

/** A ClickHouse number as INT64: fails, or is NULL for SAFE, if it is not an INT64. */
export function toInt64(context: Pick<CallContext, "isSafe" | "mask">, wide: Sql): Sql {
  return context.isSafe
    ? sql`accurateCastOrNull(${wide}, 'Int64')`
    : sql`accurateCast(${context.mask(wide)}, 'Nullable(Int64)')`;
}

function float(context: CallContext, l: Sql, operator: "+" | "-" | "*" | "/", r: Sql): Sql {
  const value = sql`(${l} ${signSql(operator)} ${r})`;
  const isOverflow = sql`NOT isFinite(${value}) AND isFinite(${l}) AND isFinite(${r})`;
  return context.failIf(isOverflow, "FLOAT64 overflow", value);
}

const MAX_NUMERIC = sql`toDecimal256('99999999999999999999999999999.999999999', 9)`;

/** A decimal of 256 bits as a NUMERIC. */
export function toNumeric(context: Pick<CallContext, "bind" | "failIf">, wide: Sql): Sql {
  return context.bind([wide], (value) => {
    const isOutside = sql`${value} > ${MAX_NUMERIC} OR ${value} < -${MAX_NUMERIC}`;
    return context.failIf(isOutside, "NUMERIC overflow", sql`CAST(${value}, 'Nullable(Decimal(38, 9))')`);
  });
}

function arithmetic(operator: "+" | "-" | "*"): PrintCall {
  return (context) => {
    const [left = EMPTY, right = EMPTY] = context.args;
    switch (context.type.kind) {
      case "INT64":
        return toInt64(context, sql`(toInt128(${left}) ${signSql(operator)} toInt128(${right}))`);
      case "FLOAT64":
        return context.bind([left, right], (l, r) => float(context, l, operator, r));
      case "NUMERIC":
        if (operator === "*") return context.refuse("products of NUMERIC are rounded otherwise");
        return toNumeric(context, sql`(toDecimal256(${left}, 9) ${signSql(operator)} toDecimal256(${right}, 9))`);
      default:
        if (operator !== "*") return printTemporalOperator(context, operator);
        return context.refuse(`values of the type ${context.type.kind}`);
    }
  };
}

/** Fails for a divisor of 0. */
const quotient = (context: CallContext, l: Sql, r: Sql, value: Sql): Sql =>
  context.failIf(sql`${r} = 0 AND isNotNull(${l})`, "division by zero", value);

const divide = returning(
  "FLOAT64",
  named((context, l, r) => quotient(context, l, r, float(context, l, "/", r))),
);

function negate(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  switch (context.type.kind) {
    case "INT64":
      return toInt64(context, sql`(-toInt128(${value}))`);
    case "FLOAT64":
    case "NUMERIC":
      return sql`(-${value})`;
    default:
      return context.refuse(`values of the type ${context.type.kind}`);
  }
}

/** DIV and MOD of INT64: the server's own fail by themselves, so that they are given no zero. */
function wholeDivision(name: "intDiv" | "modulo"): PrintCall {
  return ofIntegers((context, l, r) => {
    const divisor = sql`toInt128(if(${r} = 0, 1, ${r}))`;
    return quotient(context, l, r, toInt64(context, sql`${nameSql(name)}(toInt128(${l}), ${divisor})`));
  });
}

const ofIntegers = (print: Parameters<typeof named>[0]): PrintCall => returning("INT64", named(print));

const bits = (name: string): PrintCall => returning("INT64", ({ args }) => callSql(name, args));

function shift(name: "bitShiftLeft" | "bitShiftRight"): PrintCall {
  return ofIntegers((context, v, n) => {
    const count64 = sql`toUInt8(if(${n} BETWEEN 0 AND 63, ifNull(${n}, 0), 0))`;
    const moved = sql`reinterpretAsInt64(${nameSql(name)}(reinterpretAsUInt64(ifNull(${v}, 0)), ${count64}))`;
    const known = sql`multiIf(isNull(${v}) OR isNull(${n}), NULL, ${n} > 63, 0::Int64, ${moved})`;
    return context.failIf(sql`${n} < 0 AND isNotNull(${v})`, "Bitwise shift by a negative number", known);
  });
}

/** SAFE_ADD and the like: errors are NULL. */
function safely(print: PrintCall): PrintCall {
  return (context) =>
    print({
      ...context,
      isSafe: true,
      failIf: (condition, _message, value) => sql`if(${isTrue(condition)}, NULL, ${value})`,
    });
}

export const arithmeticFunctions: FunctionTable = {
  $add: takingIntervals(arithmetic("+")),
  $subtract: takingIntervals(arithmetic("-")),
  $multiply: arithmetic("*"),
  $divide: divide,
  $negate: negate,
  $bit_and: bits("bitAnd"),
  $bit_or: bits("bitOr"),
  $bit_xor: bits("bitXor"),
  $bit_not: bits("bitNot"),
  $shift_left: shift("bitShiftLeft"),
  $shift_right: shift("bitShiftRight"),
  DIV: wholeDivision("intDiv"),
  MOD: wholeDivision("modulo"),
  SAFE_DIVIDE: safely(divide),
};
