/**
 * The syntax tree: what a text says, before any name is looked up. Nodes are plain readonly data; `span` is where the
 * node stands in the text. Chains that can be long (AND, OR, `||`, set operations, joins, select lists) are arrays or
 * left-deep and must be walked without recursion on the left; real nesting is bounded by the parser's depth limit.
 */
import type { Span } from "./diagnostic.ts";

interface Node {
  readonly span: Span;
}

/** A name as written; `isQuoted` when it stood in back-ticks. */
export interface Identifier extends Node {
  readonly kind: "Identifier";
  readonly name: string;
  readonly isQuoted: boolean;
}

/** `a.b.c`. In FROM a path may hold dashes (`my-project.x`), which the parser joins into one identifier. */
export interface Path extends Node {
  readonly kind: "Path";
  readonly parts: readonly Identifier[];
}

// ---------------------------------------------------------------------------------------------- queries

export interface Query extends Node {
  readonly kind: "Query";
  readonly with?: WithClause;
  readonly body: QueryBody;
  readonly orderBy?: readonly OrderItem[];
  readonly limit?: LimitClause;
  /** `|> ...`, applied in order to the result of all of the above. */
  readonly pipes: readonly PipeOperator[];
}

export interface WithClause extends Node {
  readonly isRecursive: boolean;
  readonly entries: readonly WithEntry[];
}

export interface WithEntry extends Node {
  readonly name: Identifier;
  readonly query: Query;
}

/** `FROM ...` alone is the start of a pipe query. A parenthesised query is a `Query`. */
export type QueryBody = Select | SetOperation | FromQuery | Query;

export interface FromQuery extends Node {
  readonly kind: "FromQuery";
  readonly from: TableExpression;
}

export type SetOperator = "UNION" | "INTERSECT" | "EXCEPT";

export interface SetOperationMode {
  readonly operator: SetOperator;
  readonly isAll: boolean;
  /** `BY NAME`, or its synonym CORRESPONDING; `on` lists the columns of `ON (a, b)` (CORRESPONDING BY). */
  readonly byName?: { readonly on?: readonly Identifier[] };
  /** LEFT, FULL [OUTER] or INNER before the operator; only with BY NAME. */
  readonly outer?: "LEFT" | "FULL" | "INNER";
  /** STRICT; only with CORRESPONDING. */
  readonly isStrict?: boolean;
}

/** `inputs[0] op inputs[1] op ...`: all operators of one SetOperation are the same (the grammar asks for parentheses otherwise). */
export interface SetOperation extends Node {
  readonly kind: "SetOperation";
  readonly mode: SetOperationMode;
  readonly inputs: readonly QueryBody[];
}

export interface Select extends Node {
  readonly kind: "Select";
  readonly isDistinct: boolean;
  /** SELECT AS STRUCT / AS VALUE / AS type.name. */
  readonly as?: "STRUCT" | "VALUE" | Path;
  readonly items: readonly SelectItem[];
  readonly from?: TableExpression;
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: readonly NamedWindow[];
}

export type SelectItem = SelectExpression | Star;

export interface SelectExpression extends Node {
  readonly kind: "SelectExpression";
  readonly expression: Expression;
  readonly alias?: Identifier;
}

/** `*`, `t.*`, `expression.*`, with EXCEPT and REPLACE. */
export interface Star extends Node {
  readonly kind: "Star";
  readonly of?: Expression;
  readonly except: readonly Identifier[];
  readonly replace: readonly SelectExpression[];
}

export interface GroupBy extends Node {
  readonly kind: "GroupBy";
  readonly isAll: boolean;
  /** GROUP AND ORDER BY of the pipe operator AGGREGATE. */
  readonly isAlsoOrder?: boolean;
  readonly items: readonly GroupingItem[];
}

export type GroupingItem =
  | (Node & {
      readonly kind: "GroupingExpression";
      readonly expression: Expression;
      readonly alias?: Identifier;
      readonly order?: SortOrder;
    })
  /** `ROLLUP (a, (b, c))` and `CUBE (...)`: each entry is a list of one or more expressions. */
  | (Node & { readonly kind: "Rollup" | "Cube"; readonly entries: readonly (readonly Expression[])[] })
  | (Node & { readonly kind: "GroupingSets"; readonly sets: readonly GroupingSet[] })
  /** `GROUP BY ()`. */
  | (Node & { readonly kind: "EmptyGroupingSet" });

export type GroupingSet =
  | { readonly kind: "Set"; readonly expressions: readonly Expression[] }
  | { readonly kind: "Rollup" | "Cube"; readonly entries: readonly (readonly Expression[])[] };

export interface SortOrder {
  readonly isDescending: boolean;
  readonly nulls?: "FIRST" | "LAST";
}

export interface OrderItem extends Node, SortOrder {
  readonly expression: Expression;
  readonly collation?: Expression;
}

export interface LimitClause extends Node {
  readonly count?: Expression;
  readonly offset?: Expression;
}

export interface NamedWindow extends Node {
  readonly name: Identifier;
  readonly window: WindowSpecification;
}

export interface WindowSpecification extends Node {
  readonly kind: "WindowSpecification";
  /** `OVER name`, or the name a specification extends: `(name ORDER BY ...)`. */
  readonly base?: Identifier;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame;
}

export interface WindowFrame extends Node {
  readonly unit: "ROWS" | "RANGE";
  readonly start: FrameBound;
  readonly end?: FrameBound;
}

export type FrameBound =
  | { readonly kind: "UnboundedPreceding" | "UnboundedFollowing" | "CurrentRow" }
  | { readonly kind: "Preceding" | "Following"; readonly offset: Expression };

// ---------------------------------------------------------------------------------------------- FROM

export type TableExpression = TableReference | Unnest | TableSubquery | TableFunction | Join | ParenthesizedJoin;

interface Relation extends Node {
  readonly alias?: Identifier;
  /** PIVOT, UNPIVOT and TABLESAMPLE in the order they stand. */
  readonly suffixes: readonly TableSuffix[];
}

/** A table, a CTE, or a correlated array path (`FROM t, t.items`): which of them, the resolver tells. */
export interface TableReference extends Relation {
  readonly kind: "TableReference";
  readonly path: Path;
  readonly withOffset?: WithOffset;
  readonly forSystemTime?: Expression;
}

export interface Unnest extends Relation {
  readonly kind: "Unnest";
  /** More than one only with the published multi-array form. */
  readonly arrays: readonly { readonly expression: Expression; readonly alias?: Identifier }[];
  /** `mode => "PAD"`. */
  readonly mode?: Expression;
  readonly withOffset?: WithOffset;
}

export interface WithOffset extends Node {
  readonly alias?: Identifier;
}

export interface TableSubquery extends Relation {
  readonly kind: "TableSubquery";
  readonly query: Query;
  readonly isLateral?: boolean;
}

export interface TableFunction extends Relation {
  readonly kind: "TableFunction";
  readonly name: Path;
  readonly arguments: readonly TableFunctionArgument[];
}

export type TableFunctionArgument =
  | FunctionArgument
  /** `TABLE a.b`; with `arguments` the table is the call of a table function: `TABLE f(1)`. */
  | (Node & {
      readonly kind: "TableArgument";
      readonly path: Path;
      readonly arguments?: readonly TableFunctionArgument[];
    })
  /** `INPUT TABLE`: the input of the pipe operator CALL. */
  | (Node & { readonly kind: "InputTableArgument" })
  | (Node & {
      readonly kind: "ModelArgument" | "ConnectionArgument" | "DescriptorArgument";
      readonly names: readonly Path[];
    });

export type JoinType = "COMMA" | "CROSS" | "INNER" | "LEFT" | "RIGHT" | "FULL";

export interface Join extends Node {
  readonly kind: "Join";
  readonly type: JoinType;
  readonly left: TableExpression;
  readonly right: TableExpression;
  readonly on?: Expression;
  readonly using?: readonly Identifier[];
}

/** `(a JOIN b ...)`. */
export interface ParenthesizedJoin extends Node {
  readonly kind: "ParenthesizedJoin";
  readonly join: TableExpression;
  readonly suffixes: readonly TableSuffix[];
}

export type TableSuffix = Pivot | Unpivot | TableSample;

export interface Pivot extends Node {
  readonly kind: "Pivot";
  readonly aggregates: readonly SelectExpression[];
  readonly input: Expression;
  readonly values: readonly SelectExpression[];
  readonly alias?: Identifier;
}

export interface Unpivot extends Node {
  readonly kind: "Unpivot";
  /** INCLUDE NULLS or EXCLUDE NULLS (the default). */
  readonly includesNulls: boolean;
  /** One name for single-column unpivoting, several for multi-column. */
  readonly valueColumns: readonly Identifier[];
  readonly nameColumn: Identifier;
  readonly inputs: readonly { readonly columns: readonly Path[]; readonly label?: Expression }[];
  readonly alias?: Identifier;
}

export interface TableSample extends Node {
  readonly kind: "TableSample";
  readonly method: string;
  readonly size: Expression;
  readonly unit: "PERCENT" | "ROWS";
  readonly partitionBy?: readonly Expression[];
  readonly repeatable?: Expression;
  readonly weight?: { readonly alias?: Identifier };
  readonly alias?: Identifier;
}

// ---------------------------------------------------------------------------------------------- pipe operators

export type PipeOperator =
  | (Node & {
      readonly kind: "PipeSelect";
      readonly isDistinct: boolean;
      readonly as?: "STRUCT" | "VALUE" | Path;
      readonly items: readonly SelectItem[];
      readonly windows: readonly NamedWindow[];
    })
  | (Node & {
      readonly kind: "PipeExtend" | "PipeWindow";
      readonly items: readonly SelectItem[];
      readonly windows: readonly NamedWindow[];
    })
  | (Node & {
      readonly kind: "PipeSet";
      readonly items: readonly { readonly column: Identifier; readonly value: Expression; readonly span: Span }[];
    })
  | (Node & { readonly kind: "PipeDrop"; readonly columns: readonly Identifier[] })
  | (Node & {
      readonly kind: "PipeRename";
      readonly items: readonly { readonly from: Path; readonly to: Identifier; readonly span: Span }[];
    })
  | (Node & { readonly kind: "PipeAs"; readonly alias: Identifier })
  | (Node & { readonly kind: "PipeWhere"; readonly predicate: Expression })
  | (Node & { readonly kind: "PipeLimit"; readonly limit: LimitClause })
  | (Node & {
      readonly kind: "PipeAggregate";
      readonly items: readonly (SelectItem & { readonly order?: SortOrder })[];
      readonly groupBy?: GroupBy;
    })
  | (Node & { readonly kind: "PipeDistinct" })
  | (Node & { readonly kind: "PipeOrderBy"; readonly orderBy: readonly OrderItem[] })
  | (Node & { readonly kind: "PipeSetOperation"; readonly mode: SetOperationMode; readonly queries: readonly Query[] })
  /** `left` is the pipe's input: the node holds the right side only. */
  | (Node & {
      readonly kind: "PipeJoin";
      readonly type: JoinType;
      readonly right: TableExpression;
      readonly on?: Expression;
      readonly using?: readonly Identifier[];
    })
  | (Node & { readonly kind: "PipeCall"; readonly function: TableFunction })
  | (Node & { readonly kind: "PipePivot"; readonly pivot: Pivot })
  | (Node & { readonly kind: "PipeUnpivot"; readonly unpivot: Unpivot })
  | (Node & { readonly kind: "PipeTableSample"; readonly sample: TableSample })
  | (Node & { readonly kind: "PipeWith"; readonly with: WithClause })
  | (Node & {
      readonly kind: "PipeRecursiveUnion";
      readonly mode: SetOperationMode;
      readonly query: Query | readonly PipeOperator[];
      readonly alias?: Identifier;
    });

// ---------------------------------------------------------------------------------------------- types

/** A type as written in CAST, typed literals and constructors. */
export type TypeSyntax =
  | (Node & {
      readonly kind: "NamedType";
      readonly name: Path;
      readonly parameters: readonly Literal[];
      readonly collation?: Expression;
    })
  | (Node & {
      readonly kind: "ArrayTypeSyntax" | "RangeTypeSyntax";
      readonly element: TypeSyntax;
      readonly collation?: Expression;
    })
  | (Node & {
      readonly kind: "StructTypeSyntax";
      readonly fields: readonly { readonly name?: Identifier; readonly type: TypeSyntax }[];
      readonly collation?: Expression;
    });

// ---------------------------------------------------------------------------------------------- expressions

export type Expression =
  | Literal
  | Parameter
  | SystemVariable
  /** One identifier; `a.b` is a FieldAccess of it. The resolver tells columns, aliases and fields apart. */
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
  | WithExpression;

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
  readonly name?: string;
  readonly position?: number;
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

/** What stands on the right of IN and of LIKE ANY/ALL. */
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
  readonly operand?: Expression;
  readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
  readonly else?: Expression;
}

/** CAST, SAFE_CAST, and `expression::type`. */
export interface CastExpression extends Node {
  readonly kind: "Cast";
  readonly isSafe: boolean;
  readonly operand: Expression;
  readonly type: TypeSyntax;
  readonly format?: Expression;
  readonly timeZone?: Expression;
}

/** `EXTRACT(part FROM x [AT TIME ZONE z])`; a part may have an argument: WEEK(MONDAY). */
export interface Extract extends Node {
  readonly kind: "Extract";
  readonly part: DatePart;
  readonly operand: Expression;
  readonly timeZone?: Expression;
}

export interface DatePart extends Node {
  readonly kind: "DatePart";
  /** Upper case. */
  readonly name: string;
  /** The week's first day, upper case: MONDAY ... SUNDAY. */
  readonly weekday?: string;
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
  readonly isChained?: boolean;
  /** `COUNT(*)`. */
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly arguments: readonly FunctionArgument[];
  readonly nullHandling?: "IGNORE" | "RESPECT";
  readonly where?: Expression;
  readonly having?: { readonly kind: "MAX" | "MIN"; readonly expression: Expression };
  readonly groupBy?: GroupBy;
  readonly clamped?: readonly [Expression, Expression];
  readonly orderBy: readonly OrderItem[];
  readonly limit?: LimitClause;
  readonly over?: WindowSpecification;
}

export interface FunctionArgument extends Node {
  readonly kind: "Argument";
  /** `name => value`. */
  readonly name?: Identifier;
  readonly value: Expression;
  /** `expression AS alias`, which only STRUCT-like calls take. */
  readonly alias?: Identifier;
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
  readonly elementType?: TypeSyntax;
  readonly elements: readonly Expression[];
}

/** `STRUCT(1 AS a)`, `STRUCT<a INT64>(1)`, and the tuple `(1, 2)`. */
export interface StructConstructor extends Node {
  readonly kind: "StructConstructor";
  readonly type?: TypeSyntax;
  /** `(1, 2)`, whose fields are anonymous, while STRUCT(a, b) names them after its columns. */
  readonly isTuple?: boolean;
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
  readonly to?: DatePart;
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
