/** Functions of numbers. Results that are no number where their arguments are fail. */

import { NULL, nameSql } from "../sql/atoms.ts";
import { NAN } from "../sql/forms.ts";
import { callSql, EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { toInt64 } from "./arithmetic.ts";
import { literalOf } from "./literal.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

function kindOf({ types }: CallContext): string {
  return types[0]?.kind ?? "UNKNOWN";
}

function refuseKind(context: CallContext): Sql {
  return context.refuse(`values of the type ${kindOf(context)}`);
}

function absolute(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  switch (kindOf(context)) {
    case "INT64":
      return toInt64(context, sql`abs(toInt128(${value}))`);
    case "FLOAT64":
    case "NUMERIC":
      return sql`abs(${value})`;
    default:
      return refuseKind(context);
  }
}

function sign(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  switch (kindOf(context)) {
    case "INT64":
      return sql`toInt64(sign(${value}))`;
    case "FLOAT64":
      return context.bind([value], (x) => sql`if(isNaN(${x}), ${x}, toFloat64(sign(${x})))`);
    default:
      return refuseKind(context);
  }
}

/** The value as FLOAT64, which INT64 becomes for these functions. */
export function double(context: CallContext, index = 0): Sql {
  const value = context.args[index] ?? EMPTY;
  const kind = context.types[index]?.kind;
  if (kind === "FLOAT64") return value;
  return kind === "INT64" || kind === "UNKNOWN" ? sql`toFloat64(${value})` : refuseKind(context);
}

function rounded(name: "ceil" | "floor" | "trunc"): PrintCall {
  return (context) => {
    if (context.type.kind !== "FLOAT64") return refuseKind(context);
    if (context.args.length > 1) return context.refuse("a number of digits");
    return sql`${nameSql(name)}(${double(context)})`;
  };
}

/** Halves away from zero; ClickHouse rounds them to even. */
function round(context: CallContext): Sql {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  if (context.args.length > 1 && literalOf(context, 1) !== "0") return context.refuse("a number of digits");
  if (context.args.length > 2) return context.refuse("a mode");
  return context.bind([double(context)], (x) => {
    return sql`if(isFinite(${x}), trunc(${x}) + if(abs(${x} - trunc(${x})) >= 0.5, sign(${x}), 0), ${x})`;
  });
}

function squareRoot(context: CallContext): Sql {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  return context.bind([double(context)], (x) => {
    return context.failIf(sql`${x} < 0`, "SQRT of a negative number", sql`sqrt(${x})`);
  });
}

function isFloat(name: "isNaN" | "isInfinite"): PrintCall {
  return (context) => sql`(${nameSql(name)}(${double(context)}) != 0)`;
}

/** GREATEST and LEAST: NULL if any argument is, otherwise NaN if any is. */
function extreme(name: "greatest" | "least"): PrintCall {
  return (context) => {
    const { args, types } = context;
    const kinds = new Set(types.map(({ kind }) => kind));
    const isPlain = [...kinds].every((kind) => PLAIN.has(kind));
    if (!isPlain) return refuseKind(context);
    return context.bind(args, (...values) => {
      const isAny = (test: string) =>
        joinSql(
          values.map((value) => callSql(test, [value])),
          " OR ",
        );
      const nans = kinds.has("FLOAT64") ? [isAny("isNaN"), NAN] : [];
      return callSql("multiIf", [isAny("isNull"), NULL, ...nans, callSql(name, values)]);
    });
  };
}

const PLAIN: ReadonlySet<string> = new Set([..."INT64 FLOAT64 STRING BYTES DATE TIME DATETIME TIMESTAMP".split(" ")]);

function ieeeDivide(context: CallContext): Sql {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  return sql`(${double(context)} / ${double(context, 1)})`;
}

function bitCount(context: CallContext): Sql {
  return kindOf(context) === "INT64" ? sql`toInt64(bitCount(${context.args[0] ?? EMPTY}))` : refuseKind(context);
}

export const numberFunctions: FunctionTable = {
  ABS: absolute,
  BIT_COUNT: bitCount,
  CEIL: rounded("ceil"),
  FLOOR: rounded("floor"),
  GREATEST: extreme("greatest"),
  IEEE_DIVIDE: ieeeDivide,
  IS_INF: isFloat("isInfinite"),
  IS_NAN: isFloat("isNaN"),
  LEAST: extreme("least"),
  ROUND: round,
  SIGN: sign,
  SQRT: squareRoot,
  TRUNC: rounded("trunc"),
};
