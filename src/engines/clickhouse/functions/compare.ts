/** Operators that compare, and those that join truth values. ClickHouse's comparisons of NaN are those of IEEE 754. */
import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { isWrapped } from "../compile/physical-types.ts";
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

/** A position of characters that is compared with 0: that of bytes is as much above it, and they need not be counted. */
function heldText({ call, args: [left = ""] }: CallContext): string | undefined {
  const [found, bound] = call.arguments;
  const isPosition = found?.kind === "Call" && (found.function === "STRPOS" || found.function === "INSTR");
  if (!isPosition || bound?.kind !== "Literal" || bound.value !== "0") return undefined;
  return /^toInt64\((?:positionUTF8|position)(\(.*\))\)$/s.exec(left)?.[1];
}

function infix(operator: string): PrintCall {
  return (context) => {
    checkComparable(context);
    const [left, right] = context.args;
    const held = heldText(context);
    return held === undefined ? `(${left} ${operator} ${right})` : `(position${held} ${operator} 0)`;
  };
}

/**
 * Are the values the same? An equality between columns of a join's sides becomes a key of the join, whichever clause it
 * is in, and keys are compared by their bits: NaN with NaN, but not 0.0 with -0.0. Two comparisons never become one.
 */
function sameValue(context: CallContext, left: string, right: string, isWritten: boolean): string {
  const isFloat = context.types.some((type) => type.kind === "FLOAT64");
  if (!isFloat || isWritten) return `${left} = ${right}`;
  return context.bind([left, right], (one, other) => `(${one} <= ${other} AND ${one} >= ${other})`);
}

const isWritten = (operand: Expr | undefined) => operand?.kind === "Literal" || operand?.kind === "Parameter";

const equalPositions = infix("=");

function equal(context: CallContext): string {
  checkComparable(context);
  const [left = "", right = ""] = context.args;
  if (heldText(context) !== undefined) return equalPositions(context);
  const operands = context.call.kind === "Call" ? context.call.arguments : [];
  return `(${sameValue(context, left, right, operands.some(isWritten))})`;
}

function between(context: CallContext): string {
  checkComparable(context);
  const [value = "", low, high] = context.args;
  return context.bind([value], (each) => `(${each} >= ${low} AND ${each} <= ${high})`);
}

/** IN knows no NULL among its values in ClickHouse. */
function inValues(context: CallContext): string {
  checkComparable(context);
  const [needle = "", ...values] = context.args;
  const operands = context.call.arguments.slice(1);
  const isPlain = operands.every((operand) => operand?.kind === "Literal" && operand.value !== null);
  if (isPlain && context.types[0]?.kind !== "FLOAT64") return `(${needle} IN (${values.join(", ")}))`;
  return context.bind([needle], (each) => {
    const found = values.map((value, index) => sameValue(context, each, value, isWritten(operands[index])));
    return `(${found.join(" OR ")})`;
  });
}

function inArray(context: CallContext): string {
  const [needle = "", array = ""] = context.args;
  const element = context.types[1]?.kind === "ARRAY" ? context.types[1].element : undefined;
  if (element === undefined || !isComparable(element)) return context.refuse("elements of this type");
  const name = context.fresh("e");
  return context.bind([needle, array], (n, list) => {
    const found = `arrayExists(${name} -> ifNull(${name} = ${n}, false), ${list}[1])`;
    const unknown = `isNull(${n}) OR arrayExists(${name} -> isNull(${name}), ${list}[1])`;
    return `multiIf(empty(${list}[1]), false, ${found}, true, ${unknown}, NULL, false)`;
  });
}

function isNull({ args, types }: CallContext): string {
  return types[0] !== undefined && isWrapped(types[0]) ? `empty(${args[0]})` : `isNull(${args[0]})`;
}

function isDistinct(context: CallContext): string {
  checkComparable(context);
  // NaN is distinct from NaN in ClickHouse, and not in GoogleSQL.
  if (context.types[0]?.kind === "FLOAT64") return context.refuse("FLOAT64");
  return `(NOT (${context.args[0]} <=> ${context.args[1]}))`;
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
  $is_true: ({ args }) => `ifNull(${args[0]}, false)`,
  $is_false: ({ args }) => `(NOT ifNull(${args[0]}, true))`,
  $is_distinct: isDistinct,
  $not: ({ args }) => `(NOT ${args[0]})`,
  $and: ({ args }) => `(${args.join(" AND ")})`,
  $or: ({ args }) => `(${args.join(" OR ")})`,
};
