/** The operators of the language that compute values; those that compare stand in comparisons.ts. */

import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { raiseError } from "../sql-text.ts";
import { asList } from "./array/record-arrays.ts";
import { computeApart, computeOnce } from "./compute-once.ts";
import { mixedText } from "./mixed.ts";
import {
  bignumericAdd,
  bignumericDivide,
  bignumericMultiply,
  bignumericNegate,
  bignumericSubtract,
} from "./number/bignumeric.ts";
import { type FloatOperator, printFloatArithmetic } from "./number/float-arithmetic.ts";
import { numericAdd, numericDivide, numericMultiply, numericNegate, numericSubtract } from "./number/numeric.ts";
import { concat } from "./text/string.ts";
import { addTemporal, divideIntervals, multiplyIntervals, subtractTemporals } from "./time/temporal-operators.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

type Binary = (left: string, right: string) => string;

/** An arithmetic operator: native for INT64 and FLOAT64, the decimal types by their own functions. */
function arithmetic(operator: FloatOperator, numeric: Binary, bignumeric: Binary, other?: PrintCall): PrintCall {
  return (context) => {
    const [left = "", right = ""] = context.args;
    switch (context.type.kind) {
      case "NUMERIC":
        return numeric(left, right);
      case "BIGNUMERIC":
        return bignumeric(left, right);
      case "FLOAT64":
        return printFloatArithmetic(operator, context);
      case "INT64":
        return `(${left} ${operator} ${right})`;
      default:
        return other === undefined ? `(${left} ${operator} ${right})` : other(context);
    }
  };
}

function divide(context: CallContext<CallExpr>): string {
  const { args, type } = context;
  const [left = "", right = ""] = args;
  switch (type.kind) {
    case "INTERVAL":
      return divideIntervals(context);
    case "NUMERIC":
      return numericDivide(left, right);
    case "BIGNUMERIC":
      return bignumericDivide(left, right);
    default:
      return printFloatArithmetic("/", context);
  }
}

function negate({ args, type }: CallContext): string {
  const [value = ""] = args;
  if (type.kind === "NUMERIC") return numericNegate(value);
  if (type.kind === "BIGNUMERIC") return bignumericNegate(value);
  return `(-${value})`;
}

function bitwise(operator: string, bytes: string): PrintCall {
  return ({ args, type }) => {
    if (type.kind === "BYTES") return `${bytes}(${args.join(", ")})`;
    return operator === "^" ? `xor(${args.join(", ")})` : `(${args.join(` ${operator} `)})`;
  };
}

/** A pattern without a backslash needs no ESCAPE, and DuckDB has faster ways for `abc%` and `%abc%`. */
function printLike(operand: string, pattern: string, type: SqlType | undefined): string {
  if (type?.kind === "BYTES") return `lw_bytes_like(${operand}, ${pattern})`;
  if (/^'(?:[^'\\]|'')*'$/.test(pattern)) return `(${operand} LIKE ${pattern})`;
  // A backslash that escapes nothing: an odd number of them at the end of a literal.
  if (/^'(?:.*[^\\])?(?:\\\\)*\\'$/s.test(pattern)) {
    return `CAST(${raiseError("'LIKE pattern ends with a backslash'")} AS BOOLEAN)`;
  }
  // What the operator with ESCAPE is: by this name it is known to fail for a pattern of a row.
  return `like_escape(${operand}, ${pattern}, '\\')`;
}

function likeList(operator: "OR" | "AND"): PrintCall {
  return ({ args, types, call }) => {
    const areLiterals = call.arguments.slice(1).every((pattern) => pattern?.kind === "Literal");
    const compute = areLiterals ? computeOnce : computeApart;
    return compute(args, "like", (value = "", ...patterns) =>
      patterns.map((pattern) => printLike(value, pattern, types[0])).join(` ${operator} `),
    );
  };
}

/** LIKE ANY (or ALL) over the patterns of an array. */
export function likeArray(isAny: boolean, operand: string, patterns: string, type: SqlType): string {
  const element = type.kind === "ARRAY" ? type.element : undefined;
  return computeOnce([operand, patterns], "like", (value = "", list = "") => {
    const results = `list_transform(${list}, lambda lw_pattern: ${printLike(value, "lw_pattern", element)})`;
    const empty = `${list} IS NULL OR len(${list}) = 0`;
    const decisive = `list_contains(${results}, ${isAny})`;
    const unknown = `len(list_filter(${results}, lambda lw_result: lw_result IS NULL)) > 0`;
    return (
      `CASE WHEN ${empty} THEN ${!isAny} WHEN ${decisive} THEN ${isAny} WHEN ${unknown} THEN NULL ` +
      `ELSE ${!isAny} END`
    );
  });
}

/** An element by position. DuckDB counts from 1, takes negative positions from the end, and answers NULL beyond. */
function subscript(base: 0 | 1, isSafe: boolean): PrintCall {
  return ({ args, types }) => {
    const [array = "", given = ""] = args;
    const index = given === "NULL" ? "CAST(NULL AS BIGINT)" : given;
    return computeOnce([asList(array, types[0]), index], "subscript", (list, at) => {
      const position = base === 0 ? `${at} + 1` : at;
      const isOutside = `${at} < ${base} OR ${at} >= len(${list}) + ${base}`;
      const message = `'Array index ' || CAST(${at} AS VARCHAR) || ' is out of bounds'`;
      const beyond = isSafe ? "NULL" : raiseError(message);
      return `CASE WHEN ${isOutside} THEN ${beyond} ELSE ${list}[${position}] END`;
    });
  };
}

export const operatorFunctions: FunctionTable = {
  $add: arithmetic("+", numericAdd, bignumericAdd, addTemporal),
  $subtract: arithmetic("-", numericSubtract, bignumericSubtract, subtractTemporals),
  $multiply: arithmetic("*", numericMultiply, bignumericMultiply, multiplyIntervals),
  $divide: divide,
  $negate: negate,
  $concat_op: (context) => (context.type.kind === "STRING" ? concat(context) : `(${context.args.join(" || ")})`),
  $bit_and: bitwise("&", "lw_bytes_and"),
  $bit_or: bitwise("|", "lw_bytes_or"),
  $bit_xor: bitwise("^", "lw_bytes_xor"),
  $bit_not: ({ args, type }) => (type.kind === "BYTES" ? `lw_bytes_not(${args[0]})` : `(~${args[0]})`),
  $shift_left: ({ args, type }) =>
    `${type.kind === "BYTES" ? "lw_bytes_shift_left" : "lw_shift_left"}(${args.join(", ")})`,
  $shift_right: ({ args, type }) =>
    `${type.kind === "BYTES" ? "lw_bytes_shift_right" : "lw_shift_right"}(${args.join(", ")})`,
  $like: ({ args, types, call }) => {
    const [operand = "", pattern = ""] = args;
    if (call.arguments[1]?.kind === "Literal") return printLike(operand, pattern, types[0]);
    return computeApart([operand, pattern], "like", (value = "", each = "") => printLike(value, each, types[0]));
  },
  $like_any: likeList("OR"),
  $like_all: likeList("AND"),
  // By the root collation, of letters and accents but not of case.
  $mixed_json: ({ args }) => mixedText(args[0] ?? ""),
  $collation_key: ({ args }) => `icu_sort_key(${args[0]}, 'und-u-ks-level2')`,
  $like_any_array: ({ args, types }) => likeArray(true, args[0] ?? "", args[1] ?? "", types[1] ?? { kind: "STRING" }),
  $like_all_array: ({ args, types }) => likeArray(false, args[0] ?? "", args[1] ?? "", types[1] ?? { kind: "STRING" }),
  $array_at_offset: subscript(0, false),
  $array_at_ordinal: subscript(1, false),
  $safe_array_at_offset: subscript(0, true),
  $safe_array_at_ordinal: subscript(1, true),
};
