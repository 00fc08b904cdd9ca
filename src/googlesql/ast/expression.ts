import type { Identifier, Node, Path } from "./node.ts";
import type { GroupBy, LimitClause, OrderItem, Query, SelectExpression, WindowSpecification } from "./query.ts";
import type { TypeSyntax } from "./type.ts";

export type Expression =
  | Literal
  | Parameter
  | SystemVariable
  /** One identifier; `a.b` is a FieldAccess of it. The resolver distinguishes columns, aliases and fields. */
  | Identifier
  | FieldAccess
  | Subscript
  | UnaryOperation
  | BinaryOperation
  | LogicalOperation
  | Between
  | In
  | Like
  | IsTest
  | IsDistinctFrom
  | Case
  | CastExpression
  | Extract
  | FunctionCall
  | QueryExpression
  | ArrayConstructor
  | StructConstructor
  | TypedLiteral
  | RangeLiteral
  | IntervalExpression
  | Lambda
  | WithExpression
  | AnyElement;

export type Literal =
  | (Node & { readonly kind: "NullLiteral" })
  | (Node & { readonly kind: "BoolLiteral"; readonly value: boolean })
  /** Decimal or 0x; range is checked by the resolver, since -9223372036854775808 is one literal with its sign. */
  | (Node & { readonly kind: "IntLiteral"; readonly text: string })
  | (Node & { readonly kind: "FloatLiteral"; readonly text: string })
  /** Escapes are already applied, adjacent literals joined. */
  | (Node & { readonly kind: "StringLiteral"; readonly value: string })
  | (Node & { readonly kind: "BytesLiteral"; readonly value: Uint8Array })
  /** `MAX` in type parameters such as STRING(MAX). */
  | (Node & { readonly kind: "MaxLiteral" });

/** `@name` or `?` (then `position` counts from 1). */
export interface Parameter extends Node {
  readonly kind: "Parameter";
  readonly name?: string | undefined;
  readonly position?: number | undefined;
}

/** `@@name.more`. */
export interface SystemVariable extends Node {
  readonly kind: "SystemVariable";
  readonly path: Path;
}

export interface FieldAccess extends Node {
  readonly kind: "FieldAccess";
  readonly base: Expression;
  readonly field: Identifier;
}

/** `base[index]`; PLAIN without OFFSET(...), SAFE_OFFSET, ORDINAL, SAFE_ORDINAL, KEY or SAFE_KEY. */
export interface Subscript extends Node {
  readonly kind: "Subscript";
  readonly base: Expression;
  readonly mode: "PLAIN" | "OFFSET" | "SAFE_OFFSET" | "ORDINAL" | "SAFE_ORDINAL" | "KEY" | "SAFE_KEY";
  readonly index: Expression;
}

export interface UnaryOperation extends Node {
  readonly kind: "UnaryOperation";
  readonly operator: "+" | "-" | "~" | "NOT";
  readonly operand: Expression;
}

export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "||"
  | "<<"
  | ">>"
  | "&"
  | "|"
  | "^"
  | "="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">=";

/** `<>` is read as `!=`. */
export interface BinaryOperation extends Node {
  readonly kind: "BinaryOperation";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a AND b AND c`, flattened. */
export interface LogicalOperation extends Node {
  readonly kind: "LogicalOperation";
  readonly operator: "AND" | "OR";
  readonly operands: readonly Expression[];
}

export interface Between extends Node {
  readonly kind: "Between";
  readonly isNegated: boolean;
  readonly operand: Expression;
  readonly low: Expression;
  readonly high: Expression;
}

/** The right side of IN and of LIKE ANY/ALL. */
export type RightHandSet =
  | { readonly kind: "List"; readonly items: readonly Expression[] }
  | { readonly kind: "UnnestSet"; readonly array: Expression }
  | { readonly kind: "QuerySet"; readonly query: Query };

export interface In extends Node {
  readonly kind: "In";
  readonly isNegated: boolean;
  readonly operand: Expression;
  readonly set: RightHandSet;
}

export interface Like extends Node {
  readonly kind: "Like";
  readonly isNegated: boolean;
  readonly operand: Expression;
  readonly pattern:
    | { readonly kind: "Single"; readonly expression: Expression }
    | { readonly kind: "Quantified"; readonly quantifier: "ANY" | "SOME" | "ALL"; readonly set: RightHandSet };
}

export interface IsTest extends Node {
  readonly kind: "IsTest";
  readonly isNegated: boolean;
  readonly operand: Expression;
  readonly test: "NULL" | "TRUE" | "FALSE" | "UNKNOWN";
}

export interface IsDistinctFrom extends Node {
  readonly kind: "IsDistinctFrom";
  readonly isNegated: boolean;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Case extends Node {
  readonly kind: "Case";
  readonly operand?: Expression | undefined;
  readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
  readonly else?: Expression | undefined;
}

/** CAST, SAFE_CAST, and `expression::type`. */
export interface CastExpression extends Node {
  readonly kind: "Cast";
  readonly isSafe: boolean;
  readonly operand: Expression;
  readonly type: TypeSyntax;
  readonly format?: Expression | undefined;
  readonly timeZone?: Expression | undefined;
}

/** `EXTRACT(part FROM x [AT TIME ZONE z])`; a part may have an argument: WEEK(MONDAY). */
export interface Extract extends Node {
  readonly kind: "Extract";
  readonly part: DatePart;
  readonly operand: Expression;
  readonly timeZone?: Expression | undefined;
}

export interface DatePart extends Node {
  readonly kind: "DatePart";
  /** Upper case. */
  readonly name: string;
  /** The week's first day, upper case: MONDAY ... SUNDAY. */
  readonly weekday?: string | undefined;
}

/**
 * A call of any function, aggregate or window function. `SAFE.f(x)` is `isSafe` with the path without SAFE.
 * `IF`, `COALESCE`, `DATE_ADD`, `ARRAY_CONCAT` and all others are plain calls; date parts and `WEEK(MONDAY)` stand
 * among the arguments as identifiers and calls, and the resolver reads them by the function's signature.
 * A chained call `(x).f(y)` is a call of f with x as first argument and `isChained`.
 */
export interface FunctionCall extends Node {
  readonly kind: "FunctionCall";
  readonly name: Path;
  readonly isSafe: boolean;
  readonly isChained?: boolean | undefined;
  /** `COUNT(*)`. */
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly arguments: readonly FunctionArgument[];
  readonly nullHandling?: "IGNORE" | "RESPECT" | undefined;
  readonly where?: Expression | undefined;
  readonly having?: { readonly kind: "MAX" | "MIN"; readonly expression: Expression } | undefined;
  readonly groupBy?: GroupBy | undefined;
  readonly clamped?: readonly [Expression, Expression] | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly limit?: LimitClause | undefined;
  readonly over?: WindowSpecification | undefined;
}

export interface FunctionArgument extends Node {
  readonly kind: "Argument";
  /** `name => value`. */
  readonly name?: Identifier | undefined;
  readonly value: Expression;
  /** `expression AS alias`, which only STRUCT-like calls take. */
  readonly alias?: Identifier | undefined;
}

/** `(query)`, `ARRAY(query)`, `EXISTS(query)`. */
export interface QueryExpression extends Node {
  readonly kind: "QueryExpression";
  readonly mode: "SCALAR" | "ARRAY" | "EXISTS";
  readonly query: Query;
}

/** `[1, 2]`, `ARRAY[1, 2]`, `ARRAY<INT64>[1, 2]`. */
export interface ArrayConstructor extends Node {
  readonly kind: "ArrayConstructor";
  readonly elementType?: TypeSyntax | undefined;
  readonly elements: readonly Expression[];
}

/** `STRUCT(1 AS a)`, `STRUCT<a INT64>(1)`, and the tuple `(1, 2)`. */
export interface StructConstructor extends Node {
  readonly kind: "StructConstructor";
  readonly type?: TypeSyntax | undefined;
  /** `(1, 2)`, whose fields are anonymous, while STRUCT(a, b) names them after its columns. */
  readonly isTuple?: boolean | undefined;
  readonly fields: readonly SelectExpression[];
}

/** `DATE '2024-01-01'`, also DATETIME, TIME, TIMESTAMP, NUMERIC, BIGNUMERIC, JSON. */
export interface TypedLiteral extends Node {
  readonly kind: "TypedLiteral";
  readonly type: "DATE" | "DATETIME" | "TIME" | "TIMESTAMP" | "NUMERIC" | "BIGNUMERIC" | "JSON";
  readonly value: string;
}

/** `RANGE<DATE> '[2024-01-01, UNBOUNDED)'`. */
export interface RangeLiteral extends Node {
  readonly kind: "RangeLiteral";
  readonly type: TypeSyntax;
  readonly value: string;
}

/** `INTERVAL 5 DAY`, `INTERVAL '1-2' YEAR TO MONTH`. */
export interface IntervalExpression extends Node {
  readonly kind: "Interval";
  readonly value: Expression;
  readonly from: DatePart;
  readonly to?: DatePart | undefined;
}

/** `x -> x + 1`, `(x, y) -> x + y`. */
export interface Lambda extends Node {
  readonly kind: "Lambda";
  readonly parameters: readonly Identifier[];
  readonly body: Expression;
}

/** `WITH(a AS 1, b AS a + 1, a * b)`. */
export interface WithExpression extends Node {
  readonly kind: "WithExpression";
  readonly variables: readonly { readonly name: Identifier; readonly value: Expression }[];
  readonly body: Expression;
}

/**
 * A condition on what `path` reads, which holds where it does for any element of the lists of objects that the path
 * goes through. No text of GoogleSQL makes it; it is printed as the condition, which is the same where there are no
 * such lists.
 */
export interface AnyElement extends Node {
  readonly kind: "AnyElement";
  readonly path: Expression;
  /** Reads `path`. */
  readonly condition: Expression;
  /**
   * It tests the path for NULL: then it holds where no element has a value, and for a path that ends at an object
   * too.
   */
  readonly isNullTest: boolean;
}
