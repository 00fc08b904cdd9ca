/** Operators that compare, and those that join truth values. ClickHouse's comparisons of NaN are those of IEEE 754. */
import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { isWrapped } from "../compile/expression/literals.ts";
import { type Sign, signSql } from "../sql/atoms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

const COMPARABLE = new Set<SqlType["kind"]>([
  ..."INT64 FLOAT64 NUMERIC BOOL STRING BYTES DATE TIME DATETIME TIMESTAMP UNKNOWN".split(" "),
] as SqlType["kind"][]);

/** Can values of the type be compared as they lie on the server? */
export function isComparable(type: SqlType): boolean {
  return COMPARABLE.has(type.kind) && !(type.kind === "STRING" && type.collation !== undefined);
}

function checkComparable({ types, refuse }: CallContext): void {
  const wrong = types.find((type) => !isComparable(type));
  if (wrong !== undefined) refuse(`values of the type ${wrong.kind} are not compared in ClickHouse`);
}

function infix(operator: Sign): PrintCall {
  return (context) => {
    checkComparable(context);
    const [left = EMPTY, right = EMPTY] = context.args;
    return sql`(${left} ${signSql(operator)} ${right})`;
  };
}

/**
 * Are the values the same? An equality between columns of a join's sides becomes a key of the join, whichever clause it
 * is in, and keys are compared by their bits: NaN with NaN, but not 0.0 with -0.0. Two comparisons never become one.
 */
function sameValue(context: CallContext, left: Sql, right: Sql, isWritten: boolean): Sql {
  const isFloat = context.types.some((type) => type.kind === "FLOAT64");
  if (!isFloat || isWritten) return sql`${left} = ${right}`;
  return context.bind([left, right], (one, other) => sql`(${one} <= ${other} AND ${one} >= ${other})`);
}

const isWritten = (operand: Expr | undefined) => operand?.kind === "Literal" || operand?.kind === "Parameter";

function equal(context: CallContext): Sql {
  checkComparable(context);
  const [left = EMPTY, right = EMPTY] = context.args;
  const operands = context.call.kind === "Call" ? context.call.arguments : [];
  return sql`(${sameValue(context, left, right, operands.some(isWritten))})`;
}

function between(context: CallContext): Sql {
  checkComparable(context);
  const [value = EMPTY, low = EMPTY, high = EMPTY] = context.args;
  return context.bind([value], (each) => sql`(${each} >= ${low} AND ${each} <= ${high})`);
}

/** IN knows no NULL among its values in ClickHouse. */
function inValues(context: CallContext): Sql {
  checkComparable(context);
  const [needle = EMPTY, ...values] = context.args;
  const operands = context.call.arguments.slice(1);
  const isPlain = operands.every((operand) => operand?.kind === "Literal" && operand.value !== null);
  if (isPlain && context.types[0]?.kind !== "FLOAT64") return sql`(${needle} IN (${joinSql(values, ", ")}))`;
  return context.bind([needle], (each) => {
    const found = values.map((value, index) => sameValue(context, each, value, isWritten(operands[index])));
    return sql`(${joinSql(found, " OR ")})`;
  });
}

function inArray(context: CallContext): Sql {
  const [needle = EMPTY, array = EMPTY] = context.args;
  const element = context.types[1]?.kind === "ARRAY" ? context.types[1].element : undefined;
  if (element === undefined || !isComparable(element)) return context.refuse("elements of this type");
  const name = context.fresh("e");
  return context.bind([needle, array], (n, list) => {
    const found = sql`arrayExists(${name} -> ifNull(${name} = ${n}, false), ${list}[1])`;
    const unknown = sql`isNull(${n}) OR arrayExists(${name} -> isNull(${name}), ${list}[1])`;
    return sql`multiIf(empty(${list}[1]), false, ${found}, true, ${unknown}, NULL, false)`;
  });
}

function isNull({ args, types }: CallContext): Sql {
  return types[0] !== undefined && isWrapped(types[0])
    ? sql`empty(${args[0] ?? EMPTY})`
    : sql`isNull(${args[0] ?? EMPTY})`;
}

function isDistinct(context: CallContext): Sql {
  checkComparable(context);
  // NaN is distinct from NaN in ClickHouse, and not in GoogleSQL.
  if (context.types[0]?.kind === "FLOAT64") return context.refuse("FLOAT64");
  return sql`(NOT (${context.args[0] ?? EMPTY} <=> ${context.args[1] ?? EMPTY}))`;
}

export const compareFunctions: FunctionTable = {
  $equal: equal,
  $not_equal: infix("!="),
  $less: infix("<"),
  $less_or_equal: infix("<="),
  $greater: infix(">"),
  $greater_or_equal: infix(">="),
  $between: between,
  $in: inValues,
  $in_array: inArray,
  $is_null: isNull,
  $is_true: ({ args }) => sql`ifNull(${args[0] ?? EMPTY}, false)`,
  $is_false: ({ args }) => sql`(NOT ifNull(${args[0] ?? EMPTY}, true))`,
  $is_distinct: isDistinct,
  $not: ({ args }) => sql`(NOT ${args[0] ?? EMPTY})`,
  $and: ({ args }) => sql`(${joinSql(args, " AND ")})`,
  $or: ({ args }) => sql`(${joinSql(args, " OR ")})`,
};
