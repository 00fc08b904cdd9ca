/**
 * Comparison operators. Where DuckDB differs: NaN equals nothing in GoogleSQL and is less or greater than nothing;
 * structs with a NULL field compare as their fields do, so that the answer may be NULL.
 */

import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { structFieldName } from "../sql-text.ts";
import { computeOnce, isRepeatable, literalInteger } from "./compute-once.ts";
import { sortKey } from "./sort-key.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** Whether each argument is known to be no NaN; the printer knows for columns and literals. */
export interface ComparisonContext extends CallContext<CallExpr> {
  readonly isNeverNaN?: readonly boolean[] | undefined;
}

function mayBeNaN(context: ComparisonContext, index: number): boolean {
  return context.types[index]?.kind === "FLOAT64" && context.isNeverNaN?.[index] !== true;
}

/** Prints `body` over values that may stand twice in it. */
function repeat(args: readonly string[], name: string, body: (...values: readonly string[]) => string): string {
  return args.every(isRepeatable) ? `(${body(...args)})` : computeOnce(args, name, body);
}

function field(base: string, index: number): string {
  return `struct_extract(${base}, '${structFieldName(index)}')`;
}

/** Equality of two FLOAT64: NaN equals nothing, and NULL beside it is still NULL. */
function equalFloats(left: string, right: string): string {
  // Two NaNs are equal for DuckDB, so it is enough to look at one of them.
  return `${left} = ${right} AND (NOT isnan(${left}) OR ${right} IS NULL)`;
}

/** TRUE, FALSE or NULL of a list of them: that of all together, as AND has it. */
function allOf(results: string): string {
  const unknown = `len(list_filter(${results}, lambda lw_each: lw_each IS NULL)) > 0`;
  return `CASE WHEN list_contains(${results}, false) THEN false WHEN ${unknown} THEN NULL ELSE true END`;
}

/** As {@link allOf}, for OR. */
function anyOf(results: string): string {
  const unknown = `len(list_filter(${results}, lambda lw_each: lw_each IS NULL)) > 0`;
  return `CASE WHEN list_contains(${results}, true) THEN true WHEN ${unknown} THEN NULL ELSE false END`;
}

/** Elements are compared one by one; arrays of different lengths are different, whatever they hold. */
function equalArrays(left: string, right: string, element: SqlType): string {
  return repeat([left, right], "arrays", (l = "", r = "") => {
    const pair = printEqual("lw_left", `${r}[lw_at]`, element);
    const results = `list_transform(${l}, lambda lw_left, lw_at: ${pair})`;
    const all = computeOnce([results], "results", (each = "") => allOf(each));
    return `CASE WHEN ${l} IS NULL OR ${r} IS NULL THEN NULL WHEN len(${l}) <> len(${r}) THEN false ELSE ${all} END`;
  });
}

/** Equality of two values of the type as GoogleSQL has it. */
function printEqual(left: string, right: string, type: SqlType | undefined): string {
  switch (type?.kind) {
    case "STRUCT":
      return repeat([left, right], "equal", (l = "", r = "") => {
        const parts = type.fields.map((inner, index) => printEqual(field(l, index), field(r, index), inner.type));
        return parts.length === 0 ? "true" : parts.join(" AND ");
      });
    case "ARRAY":
      // Those of records are one text.
      if (type.element.kind === "RECORD") return `(${left} = ${right})`;
      return equalArrays(left, right, type.element);
    case "FLOAT64":
      return repeat([left, right], "equal", (l = "", r = "") => equalFloats(l, r));
    default:
      return `(${left} = ${right})`;
  }
}

function equal(context: ComparisonContext): string {
  const [left = "", right = ""] = context.args;
  const isPlain = !(mayBeNaN(context, 0) && mayBeNaN(context, 1)) && context.types[0]?.kind === "FLOAT64";
  return isPlain ? `(${left} = ${right})` : printEqual(left, right, context.types[0]);
}

function notEqual(context: ComparisonContext): string {
  const [left = "", right = ""] = context.args;
  const [type] = context.types;
  if (mayBeNaN(context, 0) && mayBeNaN(context, 1)) {
    return repeat([left, right], "equal", (l, r) => `${l} <> ${r} OR (isnan(${l}) AND ${r} IS NOT NULL)`);
  }
  return isComposite(type) ? `(NOT ${printEqual(left, right, type)})` : `(${left} <> ${right})`;
}

/** What the arguments sort by. */
function keysOf({ args, types }: CallContext): readonly string[] {
  const [type] = types;
  return type === undefined ? args : args.map((arg) => sortKey(type, arg));
}

/** For DuckDB NaN is greater than every other number: only the side that must be the greater one can mislead. */
function ordered(operator: string, greaterSide: 0 | 1): PrintCall {
  return (context: ComparisonContext) => {
    const [left = "", right = ""] = keysOf(context);
    if (!mayBeNaN(context, greaterSide)) return `(${left} ${operator} ${right})`;
    return repeat([left, right], "compare", (l = "", r = "") => {
      const [greater, less] = greaterSide === 0 ? [l, r] : [r, l];
      return `${l} ${operator} ${r} AND (NOT isnan(${greater}) OR ${less} IS NULL)`;
    });
  };
}

const greater = ordered(">", 0);

/** `STRPOS(x, y) > 0` asks whether a text holds another, which DuckDB answers without counting characters. */
function greaterOrHeld(context: ComparisonContext): string {
  const [found] = context.call.arguments;
  const [position = "", bound = ""] = context.args;
  const isHeld = found?.kind === "Call" && found.function === "STRPOS" && found.arguments[0]?.type.kind === "STRING";
  return isHeld && literalInteger(bound) === 0n && position.startsWith("strpos(")
    ? position.replace("strpos", "contains")
    : greater(context);
}

function between(context: ComparisonContext): string {
  const [value = "", low = "", high = ""] = keysOf(context);
  if (!mayBeNaN(context, 0) && !mayBeNaN(context, 2)) return `(${value} BETWEEN ${low} AND ${high})`;
  return repeat(
    [value, low, high],
    "between",
    (v, l, h) =>
      `${v} BETWEEN ${l} AND ${h} AND (NOT isnan(${v}) OR ${l} IS NULL) AND (NOT isnan(${h}) OR ${v} IS NULL)`,
  );
}

/** Types whose values DuckDB's own comparison of them takes for equal where GoogleSQL does not. */
function isComposite(type: SqlType | undefined): boolean {
  return type?.kind === "STRUCT" || (type?.kind === "ARRAY" && type.element.kind !== "RECORD");
}

function inValues(context: ComparisonContext): string {
  const [needle = "", ...values] = context.args;
  const [type] = context.types;
  if (isComposite(type)) {
    return repeat([needle, ...values], "in", (n = "", ...others) =>
      others.map((other) => printEqual(n, other, type)).join(" OR "),
    );
  }
  const list = `IN (${values.join(", ")})`;
  if (!mayBeNaN(context, 0) || !values.some((_, index) => mayBeNaN(context, index + 1))) return `(${needle} ${list})`;
  // NaN is none of the values, but whether it is a NULL is not known.
  const unknown = values.map((value) => `${value} IS NULL`).join(" OR ");
  return repeat(
    [needle],
    "in",
    (n) => `${n} ${list} AND (NOT isnan(${n}) OR CASE WHEN ${unknown} THEN NULL ELSE false END)`,
  );
}

/** `list_contains` takes NULL elements for other values; GoogleSQL does not know whether they are equal. */
function inArray({ args, types }: CallContext): string {
  const [needle = "", array = ""] = args;
  const [type] = types;
  return computeOnce([needle, array], "in_array", (n = "", list = "") => {
    if (isComposite(type)) {
      const results = `list_transform(${list}, lambda lw_element: ${printEqual("lw_element", n, type)})`;
      return (
        `CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN false ` +
        `ELSE ${computeOnce([results], "found", (each = "") => anyOf(each))} END`
      );
    }
    const found =
      type?.kind === "FLOAT64" ? `list_contains(${list}, ${n}) AND NOT isnan(${n})` : `list_contains(${list}, ${n})`;
    const unknown = `WHEN ${n} IS NULL OR len(list_filter(${list}, lambda lw_element: lw_element IS NULL)) > 0 THEN NULL`;
    return `CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN false WHEN ${found} THEN true ${unknown} ELSE false END`;
  });
}

export const comparisonFunctions: FunctionTable = {
  $equal: equal,
  $not_equal: notEqual,
  $less: ordered("<", 1),
  $less_or_equal: ordered("<=", 1),
  $greater: greaterOrHeld,
  $greater_or_equal: ordered(">=", 0),
  $between: between,
  $in: inValues,
  $in_array: inArray,
  $is_distinct: ({ args }) => `(${args[0]} IS DISTINCT FROM ${args[1]})`,
  $is_null: ({ args }) => `(${args[0]} IS NULL)`,
  $is_true: ({ args }) => `(${args[0]} IS TRUE)`,
  $is_false: ({ args }) => `(${args[0]} IS FALSE)`,
  $not: ({ args }) => `(NOT ${args[0]})`,
  $and: ({ args }) => `(${args.join(" AND ")})`,
  $or: ({ args }) => `(${args.join(" OR ")})`,
};
