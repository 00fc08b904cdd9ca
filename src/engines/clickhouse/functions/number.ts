/** Functions of numbers. Results that are no number where their arguments are fail. */

import { NULL, nameSql } from "../sql/atoms.ts";
import { NAN } from "../sql/forms.ts";
import { callSql, EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { toInt64 } from "./arithmetic.ts";
import { literalOf, named, returning } from "./rows.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

function refuseKind(context: CallContext, index = 0): Sql {
  return context.refuse(`values of the type ${context.types[index]?.kind ?? "UNKNOWN"}`);
}

function absolute(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  switch (context.type.kind) {
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
  switch (context.type.kind) {
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
  return kind === "INT64" || kind === "UNKNOWN" ? sql`toFloat64(${value})` : refuseKind(context, index);
}

/** A call that returns FLOAT64, over its arguments as such, each of which has a name. */
export function ofDoubles(print: (context: CallContext, ...args: Sql[]) => Sql): PrintCall {
  return returning("FLOAT64", (context) => {
    const doubles = context.args.map((_, index) => double(context, index));
    return context.bind(doubles, (...names) => print(context, ...names));
  });
}

function rounded(name: "ceil" | "floor" | "trunc"): PrintCall {
  return returning("FLOAT64", (context) => {
    if (context.args.length > 1) return context.refuse("a number of digits");
    return sql`${nameSql(name)}(${double(context)})`;
  });
}

/** Halves away from zero, over a name; ClickHouse rounds them to even. */
export function roundAway(x: Sql): Sql {
  return sql`trunc(${x}) + if(abs(${x} - trunc(${x})) >= 0.5, sign(${x}), 0)`;
}

function round(context: CallContext): Sql {
  if (context.args.length > 1 && literalOf(context, 1) !== "0") return context.refuse("a number of digits");
  if (context.args.length > 2) return context.refuse("a mode");
  return context.bind([double(context)], (x) => sql`if(isFinite(${x}), ${roundAway(x)}, ${x})`);
}

const squareRoot = ofDoubles((context, x) =>
  context.failIf(sql`${x} < 0`, "SQRT of a negative number", sql`sqrt(${x})`),
);

function isFloat(name: "isNaN" | "isInfinite"): PrintCall {
  return (context) => sql`(${nameSql(name)}(${double(context)}) != 0)`;
}

/** GREATEST and LEAST: NULL if any argument is, otherwise NaN if any is. */
function extreme(name: "greatest" | "least"): PrintCall {
  return named((context, ...values) => {
    const kinds = new Set(context.types.map(({ kind }) => kind));
    if (![...kinds].every((kind) => PLAIN.has(kind))) return refuseKind(context);
    const tests = (test: string) => values.map((value) => callSql(test, [value]));
    const nans = kinds.has("FLOAT64") ? [joinSql(tests("isNaN"), " OR "), NAN] : [];
    return callSql("multiIf", [joinSql(tests("isNull"), " OR "), NULL, ...nans, callSql(name, values)]);
  });
}

const PLAIN: ReadonlySet<string> = new Set([..."INT64 FLOAT64 STRING BYTES DATE TIME DATETIME TIMESTAMP".split(" ")]);

export const numberFunctions: FunctionTable = {
  ABS: absolute,
  BIT_COUNT: (context) => {
    return context.types[0]?.kind === "INT64"
      ? sql`toInt64(${callSql("bitCount", context.args)})`
      : refuseKind(context);
  },
  CEIL: rounded("ceil"),
  FLOOR: rounded("floor"),
  GREATEST: extreme("greatest"),
  IEEE_DIVIDE: returning("FLOAT64", (context) => sql`(${double(context)} / ${double(context, 1)})`),
  IS_INF: isFloat("isInfinite"),
  IS_NAN: isFloat("isNaN"),
  LEAST: extreme("least"),
  ROUND: returning("FLOAT64", round),
  SIGN: sign,
  SQRT: squareRoot,
  TRUNC: rounded("trunc"),
};
