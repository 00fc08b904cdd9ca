import type { Expression } from "./expression.ts";
import type { TableExpression } from "./from.ts";
import type { Identifier, Node, Path } from "./node.ts";
import type { PipeOperator } from "./pipe.ts";

export interface Query extends Node {
  readonly kind: "Query";
  readonly with?: WithClause | undefined;
  readonly body: QueryBody;
  readonly orderBy?: readonly OrderItem[] | undefined;
  readonly limit?: LimitClause | undefined;
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
  readonly byName?: { readonly on?: readonly Identifier[] } | undefined;
  /** LEFT, FULL [OUTER] or INNER before the operator; only with BY NAME. */
  readonly outer?: "LEFT" | "FULL" | "INNER" | undefined;
  /** STRICT; only with CORRESPONDING. */
  readonly isStrict?: boolean | undefined;
}

/**
 * `inputs[0] op inputs[1] op ...`: all operators of one SetOperation are the same (the grammar asks for parentheses
 * otherwise).
 */
export interface SetOperation extends Node {
  readonly kind: "SetOperation";
  readonly mode: SetOperationMode;
  readonly inputs: readonly QueryBody[];
}

export interface Select extends Node {
  readonly kind: "Select";
  readonly isDistinct: boolean;
  /** SELECT AS STRUCT / AS VALUE / AS type.name. */
  readonly as?: "STRUCT" | "VALUE" | Path | undefined;
  readonly items: readonly SelectItem[];
  readonly from?: TableExpression | undefined;
  readonly where?: Expression | undefined;
  readonly groupBy?: GroupBy | undefined;
  readonly having?: Expression | undefined;
  readonly qualify?: Expression | undefined;
  readonly windows: readonly NamedWindow[];
}

export type SelectItem = SelectExpression | Star;

export interface SelectExpression extends Node {
  readonly kind: "SelectExpression";
  readonly expression: Expression;
  readonly alias?: Identifier | undefined;
}

/** `*`, `t.*`, `expression.*`, with EXCEPT and REPLACE. */
export interface Star extends Node {
  readonly kind: "Star";
  readonly of?: Expression | undefined;
  readonly except: readonly Identifier[];
  readonly replace: readonly SelectExpression[];
}

export interface GroupBy extends Node {
  readonly kind: "GroupBy";
  readonly isAll: boolean;
  /** GROUP AND ORDER BY of the pipe operator AGGREGATE. */
  readonly isAlsoOrder?: boolean | undefined;
  readonly items: readonly GroupingItem[];
}

export type GroupingItem =
  | (Node & {
      readonly kind: "GroupingExpression";
      readonly expression: Expression;
      readonly alias?: Identifier | undefined;
      readonly order?: SortOrder | undefined;
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
  readonly nulls?: "FIRST" | "LAST" | undefined;
}

export interface OrderItem extends Node, SortOrder {
  readonly expression: Expression;
  readonly collation?: Expression | undefined;
}

export interface LimitClause extends Node {
  readonly count?: Expression | undefined;
  readonly offset?: Expression | undefined;
}

export interface NamedWindow extends Node {
  readonly name: Identifier;
  readonly window: WindowSpecification;
}

export interface WindowSpecification extends Node {
  readonly kind: "WindowSpecification";
  /** `OVER name`, or the name a specification extends: `(name ORDER BY ...)`. */
  readonly base?: Identifier | undefined;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame | undefined;
}

export interface WindowFrame extends Node {
  readonly unit: "ROWS" | "RANGE";
  readonly start: FrameBound;
  readonly end?: FrameBound | undefined;
}

export type FrameBound =
  | { readonly kind: "UnboundedPreceding" | "UnboundedFollowing" | "CurrentRow" }
  | { readonly kind: "Preceding" | "Following"; readonly offset: Expression };
