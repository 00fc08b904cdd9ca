/**
 * Comparison operators. Where DuckDB differs: NaN equals nothing in GoogleSQL and is less or greater than nothing;
 * structs with a NULL field compare as their fields do, so that the answer may be NULL.
 */

import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { SqlType, StructType } from "../../../googlesql/types.ts";
import { failsByRow } from "../../lowering/failing.ts";
import { Fact } from "../../sql/node.ts";
import { boolSql, FALSE, signSql, TRUE, variableSql } from "../sql/atoms.ts";
import { anyNull, callSql, fieldOf, filterList, lambda, mapList, packedFields } from "../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../sql/sql.ts";
import { canStandTwice, computeOnce } from "./compute-once.ts";
import { sortKey } from "./sort-key.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** Whether each argument is known to be no NaN; the printer knows for columns and literals. */
export interface ComparisonContext extends CallContext<CallExpr> {
  readonly isNeverNaN?: readonly boolean[] | undefined;
}

function mayBeNaN(context: ComparisonContext, index: number): boolean {
  return context.types[index]?.kind === "FLOAT64" && context.isNeverNaN?.[index] !== true;
}

/** Equality of two FLOAT64: NaN equals nothing, and NULL beside it is still NULL. */
function equalFloats(left: Sql, right: Sql): Sql {
  // Two NaNs are equal for DuckDB, so it is enough to look at one of them.
  return sql`${left} = ${right} AND (NOT isnan(${left}) OR ${right} IS NULL)`;
}

/** TRUE, FALSE or NULL of a list of them: that of all together, by AND where FALSE decides and by OR where TRUE does. */
function joinTruths(results: Sql, deciding: boolean): Sql {
  const unknown = sql`len(${filterList(results, "lw_each", sql`lw_each IS NULL`)}) > 0`;
  const [decided, other] = [boolSql(deciding), boolSql(!deciding)];
  return sql`CASE WHEN list_contains(${results}, ${decided}) THEN ${decided} WHEN ${unknown} THEN NULL ELSE ${other} END`;
}

/** Elements are compared one by one; arrays of different lengths are different, whatever they hold. */
function equalArrays(left: Sql, right: Sql, element: SqlType): Sql {
  return computeOnce([left, right], "arrays", (l = EMPTY, r = EMPTY) => {
    const pair = printEqual(variableSql("lw_left"), sql`${r}[lw_at]`, element);
    const results = sql`list_transform(${l}, ${lambda([variableSql("lw_left"), variableSql("lw_at")], pair)})`;
    const all = computeOnce([results], "results", (each = EMPTY) => joinTruths(each, false));
    return sql`CASE WHEN ${l} IS NULL OR ${r} IS NULL THEN NULL WHEN len(${l}) <> len(${r}) THEN false ELSE ${all} END`;
  });
}

function equalFields({ fields }: StructType, lefts: readonly Sql[], rights: readonly Sql[]): Sql {
  const parts = fields.map(({ type }, index) => printEqual(lefts[index] ?? EMPTY, rights[index] ?? EMPTY, type));
  return parts.length === 0 ? TRUE : joinSql(parts, " AND ");
}

/** Equality of two values of the type as GoogleSQL has it; a value that is more than a column is computed once. */
export function printEqual(left: Sql, right: Sql, type: SqlType | undefined): Sql {
  switch (type?.kind) {
    case "STRUCT": {
      const [lefts, rights] = [packedFields(left), packedFields(right)];
      if (lefts !== undefined && rights !== undefined) return sql`(${equalFields(type, lefts, rights)})`;
      return computeOnce([left, right], "equal", (l = EMPTY, r = EMPTY) => {
        if (type.fields.length === 0) return sql`CASE WHEN ${l} IS NOT NULL AND ${r} IS NOT NULL THEN true END`;
        const fieldsOf = (struct: Sql) => type.fields.map((_, index) => fieldOf(struct, index));
        return equalFields(type, fieldsOf(l), fieldsOf(r));
      });
    }
    case "ARRAY":
      // Those of records are one text.
      if (type.element.kind === "RECORD") return sql`(${left} = ${right})`;
      return equalArrays(left, right, type.element);
    case "FLOAT64":
      return computeOnce([left, right], "equal", (l = EMPTY, r = EMPTY) => equalFloats(l, r));
    case "INTERVAL":
      return sql`(${sortKey(type, left)} = ${sortKey(type, right)})`;
    default:
      return sql`(${left} = ${right})`;
  }
}

function equal(context: ComparisonContext): Sql {
  const [left = EMPTY, right = EMPTY] = context.args;
  const isPlain = !(mayBeNaN(context, 0) && mayBeNaN(context, 1)) && context.types[0]?.kind === "FLOAT64";
  return isPlain ? sql`(${left} = ${right})` : printEqual(left, right, context.types[0]);
}

function notEqual(context: ComparisonContext): Sql {
  const [left = EMPTY, right = EMPTY] = context.args;
  const [type] = context.types;
  if (mayBeNaN(context, 0) && mayBeNaN(context, 1)) {
    return computeOnce([left, right], "equal", (l, r) => sql`${l} <> ${r} OR (isnan(${l}) AND ${r} IS NOT NULL)`);
  }
  const isOwn = isComposite(type) || type?.kind === "INTERVAL";
  return isOwn ? sql`(NOT ${printEqual(left, right, type)})` : sql`(${left} <> ${right})`;
}

/** Prints the arguments' sort keys. */
function keysOf({ args, types }: CallContext): readonly Sql[] {
  const [type] = types;
  return type === undefined ? args : args.map((arg) => sortKey(type, arg));
}

/** For DuckDB NaN is greater than every other number: only the side that must be the greater one can mislead. */
function ordered(operator: "<" | "<=" | ">" | ">=", greaterSide: 0 | 1): PrintCall {
  return (context: ComparisonContext) => {
    const [left = EMPTY, right = EMPTY] = keysOf(context);
    if (!mayBeNaN(context, greaterSide)) return sql`(${left} ${signSql(operator)} ${right})`;
    return computeOnce([left, right], "compare", (l = EMPTY, r = EMPTY) => {
      const [greater, less] = greaterSide === 0 ? [l, r] : [r, l];
      return sql`${l} ${signSql(operator)} ${r} AND (NOT isnan(${greater}) OR ${less} IS NULL)`;
    });
  };
}

const greater = ordered(">", 0);

/** `STRPOS(x, y) > 0` asks whether a text holds another, which DuckDB answers without counting characters. */
function greaterOrHeld(context: ComparisonContext): Sql {
  const [found] = context.call.arguments;
  const [position = EMPTY, bound = EMPTY] = context.args;
  const isHeld = found?.kind === "Call" && found.function === "STRPOS" && found.arguments[0]?.type.kind === "STRING";
  return isHeld && bound.integer === 0n && position.token === "strpos"
    ? callSql("contains", position.children)
    : greater(context);
}

function between(context: ComparisonContext): Sql {
  const operands = keysOf(context);
  const plain = (v: Sql, l: Sql, h: Sql) => sql`(${v} BETWEEN ${l} AND ${h})`;
  const [value = EMPTY, low = EMPTY, high = EMPTY] = operands;
  const hasNoNaN = !mayBeNaN(context, 0) && !mayBeNaN(context, 2);
  // DuckDB plans the first operand twice, so that BETWEENs in each other's would double its work each.
  if (hasNoNaN && (value.facts & Fact.BETWEEN) === 0) return plain(value, low, high);
  return computeOnce(operands, "between", (v = EMPTY, l = EMPTY, h = EMPTY) =>
    hasNoNaN
      ? plain(v, l, h)
      : sql`${plain(v, l, h)} AND (NOT isnan(${v}) OR ${l} IS NULL) AND (NOT isnan(${h}) OR ${v} IS NULL)`,
  );
}

/** Types whose values DuckDB's own comparison of them takes for equal where GoogleSQL does not. */
export function isComposite(type: SqlType | undefined): boolean {
  return type?.kind === "STRUCT" || (type?.kind === "ARRAY" && type.element.kind !== "RECORD");
}

/** Returns the compared values: the lengths of intervals, and otherwise the arguments themselves. */
const comparedOf = (context: CallContext): readonly Sql[] =>
  context.types[0]?.kind === "INTERVAL" ? keysOf(context) : context.args;

function inValues(context: ComparisonContext): Sql {
  const [needle = EMPTY, ...values] = comparedOf(context);
  const [type] = context.types;
  if (isComposite(type)) {
    return computeOnce([needle, ...values], "in", (n = EMPTY, ...others) =>
      joinMapped(others, " OR ", (other) => printEqual(n, other, type)),
    );
  }
  const list = sql`IN (${joinSql(values, ", ")})`;
  if (!mayBeNaN(context, 0) || !values.some((_, index) => mayBeNaN(context, index + 1)))
    return sql`(${needle} ${list})`;
  // NaN equals none of the values, but the result is unknown if one of them is NULL.
  const unknown = anyNull(values);
  return computeOnce(
    [needle],
    "in",
    (n) => sql`${n} ${list} AND (NOT isnan(${n}) OR CASE WHEN ${unknown} THEN NULL ELSE false END)`,
  );
}

/** `list_contains` takes NULL elements for other values; GoogleSQL does not know whether they are equal. */
export function isInArray(needle: Sql, array: Sql, type: SqlType | undefined): Sql {
  if (type?.kind === "INTERVAL") {
    const lengths = mapList(array, "lw_interval", sortKey(type, variableSql("lw_interval")));
    return isInArray(sortKey(type, needle), lengths, undefined);
  }
  return computeOnce([needle, array], "in_array", (n = EMPTY, list = EMPTY) => {
    if (isComposite(type)) {
      const results = mapList(list, "lw_element", printEqual(variableSql("lw_element"), n, type));
      return sql`
        CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN false
        ELSE ${computeOnce([results], "found", (each = EMPTY) => joinTruths(each, true))} END
      `;
    }
    const found =
      type?.kind === "FLOAT64"
        ? sql`list_contains(${list}, ${n}) AND NOT isnan(${n})`
        : sql`list_contains(${list}, ${n})`;
    const unknown = sql`WHEN ${n} IS NULL OR len(${filterList(list, "lw_element", sql`lw_element IS NULL`)}) > 0 THEN NULL`;
    return sql`CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN false WHEN ${found} THEN true ${unknown} ELSE false END`;
  });
}

/**
 * AND and OR. DuckDB computes all operands of one whose value is asked for: what may fail is computed only for rows
 * that the operands before it do not decide.
 */
function inTurn(word: " AND " | " OR ", decisive: Sql): PrintCall {
  return ({ args, call }) => {
    const join = (operands: readonly Sql[]) => sql`(${joinSql(operands, word)})`;
    const groups: Sql[][] = [];
    for (const [index, arg] of args.entries()) {
      const operand = call.arguments[index];
      const group = operand !== undefined && failsByRow(operand) ? undefined : groups.at(-1);
      if (group === undefined) groups.push([arg]);
      else group.push(arg);
    }
    const before = groups.slice(0, -1).map(join);
    if (before.length === 0 || !canStandTwice(join(before))) return join(args);
    const decided = joinMapped(before, " ", (each) => sql`WHEN ${each} IS ${decisive} THEN ${decisive}`);
    return sql`(CASE ${decided} ELSE ${join(args)} END)`;
  };
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
  $in_array: ({ args, types }) => isInArray(args[0] ?? EMPTY, args[1] ?? EMPTY, types[0]),
  $is_distinct: (context) => {
    const [left = EMPTY, right = EMPTY] = comparedOf(context);
    return sql`(${left} IS DISTINCT FROM ${right})`;
  },
  // DuckDB knows that what has no type is NULL, and would drop an ERROR unheard.
  $is_null: ({ args: [value = EMPTY], types: [type] }) =>
    sql`(${type?.kind === "UNKNOWN" ? sql`CAST(${value} AS BIGINT)` : value} IS NULL)`,
  $is_true: ({ args }) => sql`(${args[0] ?? EMPTY} IS TRUE)`,
  $is_false: ({ args }) => sql`(${args[0] ?? EMPTY} IS FALSE)`,
  $not: ({ args }) => sql`(NOT ${args[0] ?? EMPTY})`,
  $and: inTurn(" AND ", FALSE),
  $or: inTurn(" OR ", TRUE),
};
