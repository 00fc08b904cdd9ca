/**
 * The resolved query: every name looked up, every expression typed, every coercion written out as a cast, stars and
 * USING expanded, pipe operators turned into the scans they mean. It is an algebra in the manner of ZetaSQL's resolved
 * AST: a scan makes rows with columns that have identities instead of names, so that an engine can print it without
 * thinking about scoping. Engines print SQL from this tree only.
 */
import type { Span } from "./diagnostic.ts";
import type { TableDefinition } from "./relation.ts";
import type { SqlType } from "./types.ts";

/** A column by identity: two columns are the same exactly when their ids are equal. Ids are unique in one resolved query. */
export interface Column {
  readonly id: number;
  /** For readable SQL only. */
  readonly name: string;
  readonly type: SqlType;
}

export interface ResolvedQuery {
  readonly scan: Scan;
  /** The result, in order. Names are final: anonymous columns are `f0_`, `f1_` (counted among the anonymous), and unique case-insensitively. */
  readonly columns: readonly { readonly name: string; readonly column: Column }[];
  /** Parameters that the query reads, with the types they were declared with or inferred to have. */
  readonly parameters: readonly { readonly key: string | number; readonly type: SqlType }[];
  /** The order that the rows have, when the outermost query orders them, or reads a single ordered CTE without ordering anew. */
  readonly order?: readonly OrderKey[];
}

export interface OrderKey {
  readonly column: Column;
  readonly isDescending: boolean;
  /** Always written out: GoogleSQL sorts NULLs first ascending and last descending. */
  readonly nullsFirst: boolean;
}

// ---------------------------------------------------------------------------------------------- scans

export type Scan =
  | SingleRowScan
  | TableScan
  | CteScan
  | UnnestScan
  | JoinScan
  | FilterScan
  | ProjectScan
  | AggregateScan
  | WindowScan
  | DistinctScan
  | SetOperationScan
  | OrderByScan
  | LimitScan
  | SampleScan
  | WithScan
  | RecursiveScan;

/** One row without columns: the input of a SELECT without FROM. */
export interface SingleRowScan {
  readonly kind: "SingleRow";
}

export interface TableScan {
  readonly kind: "Table";
  readonly table: TableDefinition;
  /** Those of the table's columns that may be read, each with its name in the table. */
  readonly columns: readonly { readonly source: string; readonly column: Column }[];
  readonly span: Span;
}

/** One common table expression. Each scan of it has columns of its own, parallel to `output`. */
export interface CteDefinition {
  /** Unique in the resolved query; for readable SQL. */
  readonly id: number;
  readonly name: string;
  readonly scan: Scan;
  readonly output: readonly Column[];
  readonly isRecursive: boolean;
}

export interface CteScan {
  readonly kind: "Cte";
  readonly cte: CteDefinition;
  /** Parallel to `cte.output`. */
  readonly columns: readonly Column[];
}

/**
 * UNNEST of one array, or of several zipped. With `input` it is correlated: the array may read the input's columns, and
 * the output has the input's columns too. `isOuter` keeps an input row whose array is empty or NULL (LEFT JOIN).
 *
 * Where the array has the type ARRAY<RECORD> with `isRepeated` false, the element is an alias for a path: engines print
 * no join but a presence test (none when `isOuter`).
 */
export interface UnnestScan {
  readonly kind: "Unnest";
  readonly input?: Scan;
  readonly arrays: readonly { readonly array: Expr; readonly element: Column }[];
  /** How arrays of different length are zipped; PAD unless told otherwise. */
  readonly mode?: "PAD" | "STRICT" | "TRUNCATE";
  readonly offset?: Column;
  readonly isOuter: boolean;
  /** The ON condition of a join with UNNEST. */
  readonly on?: Expr;
}

export interface JoinScan {
  readonly kind: "Join";
  readonly type: "CROSS" | "INNER" | "LEFT" | "RIGHT" | "FULL";
  readonly left: Scan;
  readonly right: Scan;
  readonly on?: Expr;
  /** True when the right side reads columns of the left (a lateral sub-query). */
  readonly isLateral?: boolean;
}

export interface FilterScan {
  readonly kind: "Filter";
  readonly input: Scan;
  readonly predicate: Expr;
}

/** Adds computed columns; the input's columns stay readable. */
export interface ProjectScan {
  readonly kind: "Project";
  readonly input: Scan;
  readonly computed: readonly ComputedColumn[];
}

export interface ComputedColumn {
  readonly column: Column;
  readonly expression: Expr;
}

/** The output is the grouping columns and the aggregates; nothing of the input stays readable. Without grouping columns it is one row. */
export interface AggregateScan {
  readonly kind: "Aggregate";
  readonly input: Scan;
  readonly groupBy: readonly ComputedColumn[];
  /** Each set lists grouping columns; absent for plain GROUP BY. ROLLUP and CUBE are already expanded. */
  readonly groupingSets?: readonly (readonly Column[])[];
  /** Expressions are AggregateCall (GROUPING(x) too). */
  readonly aggregates: readonly { readonly column: Column; readonly call: AggregateCall }[];
}

/** Adds window function results; the input's columns stay readable. */
export interface WindowScan {
  readonly kind: "Window";
  readonly input: Scan;
  readonly functions: readonly { readonly column: Column; readonly call: WindowCall }[];
}

/** SELECT DISTINCT: the output is `columns`, each a new column for a column of the input. */
export interface DistinctScan {
  readonly kind: "Distinct";
  readonly input: Scan;
  readonly columns: readonly { readonly column: Column; readonly input: Column }[];
}

export interface SetOperationScan {
  readonly kind: "SetOperation";
  readonly operator: "UNION" | "INTERSECT" | "EXCEPT";
  readonly isAll: boolean;
  /** Each input's columns in the order of `columns`, already coerced to their types. */
  readonly inputs: readonly { readonly scan: Scan; readonly columns: readonly Column[] }[];
  readonly columns: readonly Column[];
}

export interface OrderByScan {
  readonly kind: "OrderBy";
  readonly input: Scan;
  readonly keys: readonly OrderKey[];
}

export interface LimitScan {
  readonly kind: "Limit";
  readonly input: Scan;
  /** INT64 literals, parameters or casts of them. */
  readonly count?: Expr;
  readonly offset?: Expr;
}

export interface SampleScan {
  readonly kind: "Sample";
  readonly input: Scan;
  readonly method: "BERNOULLI" | "SYSTEM" | "RESERVOIR";
  readonly size: Expr;
  readonly unit: "PERCENT" | "ROWS";
}

/** Definitions in an order in which each refers to earlier ones only (itself, when recursive). */
export interface WithScan {
  readonly kind: "With";
  readonly ctes: readonly CteDefinition[];
  readonly input: Scan;
}

/** The body of a recursive CTE: `anchor UNION [ALL] step`, where the step scans `cte`. */
export interface RecursiveScan {
  readonly kind: "Recursive";
  readonly isAll: boolean;
  readonly anchor: { readonly scan: Scan; readonly columns: readonly Column[] };
  readonly step: { readonly scan: Scan; readonly columns: readonly Column[] };
  readonly columns: readonly Column[];
}

// ---------------------------------------------------------------------------------------------- expressions

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

interface ExprBase {
  readonly type: SqlType;
  readonly span: Span;
}

/**
 * A value of a scalar type, as canonical text: INT64 decimal, FLOAT64 as JavaScript prints it (or NaN, Infinity, -Infinity), NUMERIC and BIGNUMERIC
 * decimal, BOOL `true`/`false`, STRING itself, BYTES base64, DATE `YYYY-MM-DD`, TIME `HH:MM:SS.ffffff`, DATETIME `YYYY-MM-DDTHH:MM:SS.ffffff`, TIMESTAMP
 * integer microseconds, INTERVAL `Y-M D H:M:S.ffffff`, JSON its text; null is NULL of the type.
 */
export interface LiteralExpr extends ExprBase {
  readonly kind: "Literal";
  readonly value: string | null;
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
 * Fields below a log record, `base` being a RECORD or (leniently, its first element) an ARRAY<RECORD>. Consecutive field accesses and
 * subscripts of element 0 are joined into one path, in the exact case of the record type. `type` is the field's type; UNKNOWN when no event has carried it, which is NULL.
 */
export interface RecordFieldExpr extends ExprBase {
  readonly kind: "RecordField";
  readonly base: Expr;
  readonly path: readonly string[];
}

/**
 * A call of a scalar function of the catalogue. Operators are functions whose names begin with `$`:
 * `$add $subtract $multiply $divide $negate $concat_op $bit_and $bit_or $bit_xor $bit_not $shift_left $shift_right
 * $equal $not_equal $less $less_or_equal $greater $greater_or_equal $and $or (both of 2 or more arguments) $not
 * $is_null $is_true $is_false $is_distinct $between $in (needle, values...) $in_array (needle, array) $like
 * $like_any $like_all (operand, patterns...) $like_any_array $like_all_array (operand, array) $array_at_offset
 * $array_at_ordinal $safe_array_at_offset $safe_array_at_ordinal $json_subscript $extract (value, part, [zone])`.
 * Negated forms are `$not` around them. Coalescing functions (IF, COALESCE, IFNULL, NULLIF) are ordinary calls.
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
  readonly else?: Expr;
}

export interface CastExpr extends ExprBase {
  readonly kind: "Cast";
  readonly operand: Expr;
  readonly isSafe: boolean;
  readonly isImplicit: boolean;
  readonly format?: Expr;
  readonly timeZone?: Expr;
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
  readonly weekday?: string;
}

// ---------------------------------------------------------------------------------------------- aggregates and windows

export interface AggregateCall extends ExprBase {
  readonly kind: "AggregateCall";
  /** Upper case; `$count_star` for COUNT(*), `GROUPING`. */
  readonly function: string;
  readonly arguments: readonly Expr[];
  readonly isDistinct: boolean;
  readonly nullHandling?: "IGNORE" | "RESPECT";
  readonly having?: { readonly kind: "MAX" | "MIN"; readonly expression: Expr };
  readonly orderBy: readonly { readonly expression: Expr; readonly isDescending: boolean; readonly nullsFirst: boolean }[];
  readonly limit?: Expr;
  readonly isSafe: boolean;
  /** A further WHERE on the call's rows. */
  readonly filter?: Expr;
}

export interface WindowCall extends ExprBase {
  readonly kind: "WindowCall";
  /** Aggregate, navigation, numbering or statistical function, upper case; `$count_star`. */
  readonly function: string;
  readonly arguments: readonly Expr[];
  readonly isDistinct: boolean;
  readonly nullHandling?: "IGNORE" | "RESPECT";
  readonly isSafe: boolean;
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly { readonly expression: Expr; readonly isDescending: boolean; readonly nullsFirst: boolean }[];
  /** Absent when the function takes none; GoogleSQL's default frame is written out otherwise. */
  readonly frame?: ResolvedFrame;
}

export interface ResolvedFrame {
  readonly unit: "ROWS" | "RANGE";
  readonly start: ResolvedFrameBound;
  readonly end: ResolvedFrameBound;
}

export type ResolvedFrameBound =
  | { readonly kind: "UnboundedPreceding" | "UnboundedFollowing" | "CurrentRow" }
  | { readonly kind: "Preceding" | "Following"; readonly offset: Expr };
