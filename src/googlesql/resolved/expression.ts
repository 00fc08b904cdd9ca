import type { Span } from "../diagnostic.ts";
import type { SqlType } from "../types.ts";
import type { Column } from "./query.ts";
import type { ComputedColumn, Scan } from "./scan.ts";

export type Expr =
  | LiteralExpr
  | ParameterExpr
  | ColumnExpr
  | FieldExpr
  | RecordFieldExpr
  | CallExpr
  | CaseExpr
  | CastExpr
  | MakeArrayExpr
  | MakeStructExpr
  | SubqueryExpr
  | InSubqueryExpr
  | LambdaExpr
  | LambdaVariableExpr
  | LetExpr
  | DatePartExpr;

export interface ExprBase {
  readonly type: SqlType;
  readonly span: Span;
}

/**
 * A value of a scalar type, as canonical text: INT64 decimal, FLOAT64 as JavaScript prints it (or NaN, Infinity,
 * -Infinity), NUMERIC and BIGNUMERIC decimal, BOOL `true`/`false`, STRING itself, BYTES base64, DATE `YYYY-MM-DD`,
 * TIME `HH:MM:SS.ffffff`, DATETIME `YYYY-MM-DDTHH:MM:SS.ffffff`, TIMESTAMP integer microseconds, INTERVAL `Y-M D
 * H:M:S.ffffff`, JSON its text; null is NULL of the type.
 */
export interface LiteralExpr extends ExprBase {
  readonly kind: "Literal";
  readonly value: string | null;
  /**
   * A FLOAT64 as the query has it, where a double does not hold its digits: a decimal type made of the literal keeps
   * them.
   */
  readonly digits?: string;
  /** A NULL that a cast gave its type: it keeps that type beside others. */
  readonly isTyped?: boolean;
}

export interface ParameterExpr extends ExprBase {
  readonly kind: "Parameter";
  /** The name without `@` in lower case, or the position from 1. */
  readonly key: string | number;
}

/** A column of the scan around it, or of an outer query when correlated. */
export interface ColumnExpr extends ExprBase {
  readonly kind: "Column";
  readonly column: Column;
}

/** A field of a STRUCT, or `start`/`end` of a RANGE, by index. */
export interface FieldExpr extends ExprBase {
  readonly kind: "Field";
  readonly base: Expr;
  readonly index: number;
}

/**
 * Fields below a log record, `base` being a RECORD or (leniently, its first element) an ARRAY<RECORD>. Consecutive
 * field accesses and subscripts of element 0 are joined into one path, in the exact case of the record type. `type`
 * is the field's type; UNKNOWN when no event has carried it, which is NULL.
 */
export interface RecordFieldExpr extends ExprBase {
  readonly kind: "RecordField";
  readonly base: Expr;
  readonly path: readonly string[];
}

/**
 * A call of a scalar function of the catalogue. Operators are functions whose names begin with `$`: `$add $subtract
 * $multiply $divide $negate $concat_op $bit_and $bit_or $bit_xor $bit_not $shift_left $shift_right $equal $not_equal
 * $less $less_or_equal $greater $greater_or_equal $and $or (both of 2 or more arguments) $not $is_null $is_true
 * $is_false $is_distinct $between $in (needle, values...) $in_array (needle, array) $like $like_any $like_all
 * (operand, patterns...) $like_any_array $like_all_array (operand, array) $array_at_offset $array_at_ordinal
 * $safe_array_at_offset $safe_array_at_ordinal $array_transform $array_flatten (array, lambda) $json_subscript
 * $extract (value, part, [zone]) $interval (INT64, part)`. `$mixed_json (MIXED)`: the text's content, any other
 * value's JSON. `$true_or_fails (BOOL)` is written for engines only: TRUE where the condition is, or fails. `$redact
 * (value, detectors)` is written by the sandbox only: the value with personal data taken out of it. Negated forms are `$not` around them. Coalescing functions (IF, COALESCE, IFNULL, NULLIF) are ordinary
 * calls.
 */
export interface CallExpr extends ExprBase {
  readonly kind: "Call";
  /** Upper case as in the catalogue: `SUBSTR`, `NET.HOST`; operators as above. */
  readonly function: string;
  /** Coerced to the signature's types. Omitted optional arguments are absent; a skipped named one is undefined. */
  readonly arguments: readonly (Expr | undefined)[];
  /** SAFE.f(x): an error of this call is NULL; errors of its arguments are not. */
  readonly isSafe: boolean;
}

/** Searched CASE; a simple CASE is rewritten with `$equal` on a LetExpr variable. */
export interface CaseExpr extends ExprBase {
  readonly kind: "Case";
  readonly branches: readonly { readonly when: Expr; readonly then: Expr }[];
  readonly else?: Expr | undefined;
}

export interface CastExpr extends ExprBase {
  readonly kind: "Cast";
  readonly operand: Expr;
  readonly isSafe: boolean;
  readonly isImplicit: boolean;
  readonly format?: Expr | undefined;
  readonly timeZone?: Expr | undefined;
}

export interface MakeArrayExpr extends ExprBase {
  readonly kind: "MakeArray";
  readonly elements: readonly Expr[];
}

export interface MakeStructExpr extends ExprBase {
  readonly kind: "MakeStruct";
  readonly fields: readonly Expr[];
}

/** SCALAR: one column, an error for more than one row. ARRAY: its rows' values, in the scan's order. EXISTS: BOOL. */
export interface SubqueryExpr extends ExprBase {
  readonly kind: "Subquery";
  readonly mode: "SCALAR" | "ARRAY" | "EXISTS";
  readonly scan: Scan;
  /** The value's column; absent for EXISTS. */
  readonly output?: Column;
}

/** `x IN (query)`, and LIKE ANY/ALL (query). */
export interface InSubqueryExpr extends ExprBase {
  readonly kind: "InSubquery";
  readonly operator: "IN" | "LIKE_ANY" | "LIKE_ALL";
  readonly operand: Expr;
  readonly scan: Scan;
  readonly output: Column;
}

export interface LambdaExpr extends ExprBase {
  readonly kind: "Lambda";
  readonly parameters: readonly Column[];
  readonly body: Expr;
}

/** A lambda's parameter or a LetExpr's variable. */
export interface LambdaVariableExpr extends ExprBase {
  readonly kind: "Variable";
  readonly column: Column;
}

/** WITH(a AS 1, a + 1): each variable is computed once. */
export interface LetExpr extends ExprBase {
  readonly kind: "Let";
  readonly variables: readonly ComputedColumn[];
  readonly body: Expr;
}

/** A date part as an argument: DAY, WEEK(MONDAY). Its `type` is UNKNOWN. */
export interface DatePartExpr extends ExprBase {
  readonly kind: "DatePart";
  /** Upper case. */
  readonly part: string;
  readonly weekday?: string | undefined;
}
