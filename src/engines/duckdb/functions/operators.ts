/** The operators of the language that compute values; those that compare stand in comparisons.ts. */

import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { trimEnd } from "../../../values/trim-end.ts";
import { boolSql, constant, NULL, numberSql, signSql, variableSql } from "../sql/atoms.ts";
import { anyNull, callSql, castTo, filterList, mapList, raiseError, raiseText, tried } from "../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { BOOLEAN } from "../sql/types.ts";
import { concatenate } from "./array/array.ts";
import { asList } from "./array/record-arrays.ts";
import { computeApart, computeOnce } from "./compute-once.ts";
import { mixedText } from "./mixed.ts";
import { decimalOf } from "./number/decimal.ts";
import { type FloatOperator, printFloatArithmetic } from "./number/float-arithmetic.ts";
import { concat } from "./text/string.ts";
import { addTemporal, divideInterval, multiplyInterval, subtractTemporal } from "./time/interval.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** An arithmetic operator: native for INT64 and FLOAT64, the decimal types by their own forms. */
function arithmetic(operator: FloatOperator, name: "add" | "subtract" | "multiply", other: PrintCall): PrintCall {
  return (context) => {
    const [left = EMPTY, right = EMPTY] = context.args;
    const { kind } = context.type;
    const decimal = decimalOf(kind);
    if (decimal !== undefined) return decimal[name](left, right);
    if (kind === "FLOAT64") return printFloatArithmetic(operator, context);
    return kind === "INT64" ? sql`(${left} ${signSql(operator)} ${right})` : other(context);
  };
}

function divide(context: CallContext<CallExpr>): Sql {
  const { args, type } = context;
  const [left = EMPTY, right = EMPTY] = args;
  if (type.kind === "INTERVAL") return divideInterval(context);
  return decimalOf(type.kind)?.divide(left, right) ?? printFloatArithmetic("/", context);
}

function negate({ args: [value = EMPTY], type }: CallContext): Sql {
  return decimalOf(type.kind)?.negate(value) ?? sql`(-${value})`;
}

function bitwise(operator: "&" | "|" | "^", bytes: string): PrintCall {
  return ({ args, type }) => {
    if (type.kind === "BYTES") return callSql(bytes, args);
    return operator === "^" ? callSql("xor", args) : sql`(${joinSql(args, ` ${operator} `)})`;
  };
}

/** Is it a literal that ends with an odd number of backslashes, the last of which escapes nothing? */
function endsOpen({ literalText }: Sql): boolean {
  return literalText !== undefined && (literalText.length - trimEnd(literalText, "\\").length) % 2 === 1;
}

/** A pattern without a backslash needs no ESCAPE, and DuckDB has faster ways for `abc%` and `%abc%`. */
function printLike(operand: Sql, pattern: Sql, type: SqlType | undefined): Sql {
  if (type?.kind === "BYTES") return sql`lw_bytes_like(${operand}, ${pattern})`;
  if (pattern.literalText?.includes("\\") === false) return sql`(${operand} LIKE ${pattern})`;
  if (endsOpen(pattern)) {
    // With the operand in it: DuckDB computes what is constant also in a branch that is not taken.
    const message = sql`concat('LIKE pattern ends with a backslash', left(${operand}, 0))`;
    return castTo(raiseError(message), BOOLEAN);
  }
  // What the operator with ESCAPE is: by this name it is known to fail for a pattern of a row.
  const like = (value: Sql, each: Sql) => sql`like_escape(${value}, ${each}, '\\')`;
  if (pattern.literalText !== undefined) return like(operand, pattern);
  return computeOnce([operand, pattern], "escaped", (value = EMPTY, each = EMPTY) => {
    // DuckDB looks at the pattern's end only where the operand reaches it.
    const isOpen = sql`ends_with(${each}, '\\') AND regexp_full_match(${each}, '(?s)(?:.*[^\\\\])?(?:\\\\\\\\)*\\\\')`;
    const failure = castTo(raiseText("LIKE pattern ends with a backslash"), BOOLEAN);
    return sql`CASE WHEN ${value} IS NOT NULL AND ${isOpen} THEN ${failure} ELSE ${like(value, each)} END`;
  });
}

/** One after the other: a pattern that cannot be read fails only where those before it do not decide. */
function decideInTurn(isAny: boolean, value: Sql, patterns: readonly Sql[], type: SqlType | undefined): Sql {
  const cases = patterns.map((pattern) => {
    const like = printLike(value, pattern, type);
    return sql`WHEN ${isAny ? like : sql`NOT ${like}`} THEN ${boolSql(isAny)}`;
  });
  const isNull = anyNull(patterns);
  const none = sql`WHEN ${isNull} THEN NULL ELSE ${boolSql(!isAny)} END`;
  return sql`CASE WHEN ${value} IS NULL THEN NULL ${joinSql(cases, " ")} ${none}`;
}

function likeList(operator: "OR" | "AND"): PrintCall {
  return ({ args, types, call }) => {
    const areLiterals = call.arguments.slice(1).every((pattern) => pattern?.kind === "Literal");
    const compute = areLiterals ? computeOnce : computeApart;
    const isClear = areLiterals && !args.some((pattern) => endsOpen(pattern));
    return compute(args, "like", (value = EMPTY, ...patterns) =>
      isClear
        ? joinSql(
            patterns.map((pattern) => printLike(value, pattern, types[0])),
            ` ${operator} `,
          )
        : decideInTurn(operator === "OR", value, patterns, types[0]),
    );
  };
}

/** LIKE ANY (or ALL) over the patterns of an array. */
export function likeArray(isAny: boolean, operand: Sql, patterns: Sql, type: SqlType): Sql {
  const element = type.kind === "ARRAY" ? type.element : undefined;
  return computeOnce([operand, patterns], "like", (value = EMPTY, list = EMPTY) => {
    const results = mapList(list, "lw_pattern", printLike(value, variableSql("lw_pattern"), element));
    const empty = sql`${list} IS NULL OR len(${list}) = 0`;
    const decisive = sql`list_contains(${results}, ${boolSql(isAny)})`;
    const unknown = sql`len(${filterList(results, "lw_result", sql`lw_result IS NULL`)}) > 0`;
    return sql`
      CASE WHEN ${empty} THEN ${boolSql(!isAny)} WHEN ${decisive} THEN ${boolSql(isAny)} WHEN ${unknown} THEN NULL
      ELSE ${boolSql(!isAny)} END
    `;
  });
}

/** An element by position. DuckDB counts from 1, takes negative positions from the end, and answers NULL beyond. */
function subscript(base: 0 | 1, isSafe: boolean): PrintCall {
  const first = numberSql(base);
  return ({ args, types }) => {
    const [array = EMPTY, given = EMPTY] = args;
    const index = given.value === null ? constant`CAST(NULL AS BIGINT)` : given;
    return computeOnce([asList(array, types[0]), index], "subscript", (list, at) => {
      // The element at a NULL that is known when the query is planned has no type, which LAG cannot take.
      const isKnown = at.integer !== undefined;
      const counted = isKnown ? at : sql`coalesce(${at}, ${first})`;
      const position = base === 0 ? sql`${counted} + 1` : counted;
      const isOutside = sql`${list} IS NOT NULL AND (${at} < ${first} OR ${at} >= len(${list}) + ${first})`;
      const message = sql`'Array index ' || CAST(${at} AS VARCHAR) || ' is out of bounds'`;
      const beyond = isSafe ? NULL : raiseError(message);
      const isNull = isKnown ? EMPTY : sql`WHEN ${at} IS NULL THEN NULL `;
      return sql`CASE ${isNull}WHEN ${isOutside} THEN ${beyond} ELSE ${list}[${position}] END`;
    });
  };
}

export const operatorFunctions: FunctionTable = {
  $add: arithmetic("+", "add", addTemporal),
  $subtract: arithmetic("-", "subtract", subtractTemporal),
  $multiply: arithmetic("*", "multiply", multiplyInterval),
  $divide: divide,
  $negate: negate,
  $concat_op: (context) => (context.type.kind === "ARRAY" ? concatenate(context) : concat(context)),
  $bit_and: bitwise("&", "lw_bytes_and"),
  $bit_or: bitwise("|", "lw_bytes_or"),
  $bit_xor: bitwise("^", "lw_bytes_xor"),
  $bit_not: ({ args, type }) =>
    type.kind === "BYTES" ? sql`lw_bytes_not(${args[0] ?? EMPTY})` : sql`(~${args[0] ?? EMPTY})`,
  $shift_left: ({ args, type }) => callSql(type.kind === "BYTES" ? "lw_bytes_shift_left" : "lw_shift_left", args),
  $shift_right: ({ args, type }) => callSql(type.kind === "BYTES" ? "lw_bytes_shift_right" : "lw_shift_right", args),
  $like: ({ args, types, call }) => {
    const [operand = EMPTY, pattern = EMPTY] = args;
    if (call.arguments[1]?.kind === "Literal") return printLike(operand, pattern, types[0]);
    return computeApart([operand, pattern], "like", (value = EMPTY, each = EMPTY) => printLike(value, each, types[0]));
  },
  $like_any: likeList("OR"),
  $like_all: likeList("AND"),
  $mixed_json: ({ args }) => mixedText(args[0] ?? EMPTY),
  // By the root collation, of letters and accents but not of case.
  $collation_key: ({ args }) => sql`icu_sort_key(${args[0] ?? EMPTY}, 'und-u-ks-level2')`,
  $like_any_array: ({ args, types }) =>
    likeArray(true, args[0] ?? EMPTY, args[1] ?? EMPTY, types[1] ?? { kind: "STRING" }),
  $like_all_array: ({ args, types }) =>
    likeArray(false, args[0] ?? EMPTY, args[1] ?? EMPTY, types[1] ?? { kind: "STRING" }),
  $true_or_fails: ({ args }) => sql`(${tried(sql`coalesce(${args[0] ?? EMPTY}, false)`)} IS DISTINCT FROM false)`,
  $array_at_offset: subscript(0, false),
  $array_at_ordinal: subscript(1, false),
  $safe_array_at_offset: subscript(0, true),
  $safe_array_at_ordinal: subscript(1, true),
};
