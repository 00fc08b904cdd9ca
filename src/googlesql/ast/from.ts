import type { Expression, FunctionArgument } from "./expression.ts";
import type { Identifier, Node, Path } from "./node.ts";
import type { Query, SelectExpression } from "./query.ts";

export type TableExpression = TableReference | Unnest | TableSubquery | TableFunction | Join | ParenthesizedJoin;

export interface Relation extends Node {
  readonly alias?: Identifier | undefined;
  /** PIVOT, UNPIVOT and TABLESAMPLE in the order they stand. */
  readonly suffixes: readonly TableSuffix[];
}

/** A table, a CTE, or a correlated array path (`FROM t, t.items`): which of them, the resolver decides. */
export interface TableReference extends Relation {
  readonly kind: "TableReference";
  readonly path: Path;
  readonly withOffset?: WithOffset | undefined;
  readonly forSystemTime?: Expression | undefined;
}

export interface Unnest extends Relation {
  readonly kind: "Unnest";
  /** More than one only with the published multi-array form. */
  readonly arrays: readonly { readonly expression: Expression; readonly alias?: Identifier | undefined }[];
  /** `mode => "PAD"`. */
  readonly mode?: Expression | undefined;
  readonly withOffset?: WithOffset | undefined;
}

export interface WithOffset extends Node {
  readonly alias?: Identifier | undefined;
}

export interface TableSubquery extends Relation {
  readonly kind: "TableSubquery";
  readonly query: Query;
  readonly isLateral?: boolean | undefined;
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
      readonly arguments?: readonly TableFunctionArgument[] | undefined;
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
  readonly on?: Expression | undefined;
  readonly using?: readonly Identifier[] | undefined;
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
  readonly alias?: Identifier | undefined;
}

export interface Unpivot extends Node {
  readonly kind: "Unpivot";
  /** INCLUDE NULLS or EXCLUDE NULLS (the default). */
  readonly includesNulls: boolean;
  /** One name for single-column unpivoting, several for multi-column. */
  readonly valueColumns: readonly Identifier[];
  readonly nameColumn: Identifier;
  readonly inputs: readonly { readonly columns: readonly Path[]; readonly label?: Expression }[];
  readonly alias?: Identifier | undefined;
}

export interface TableSample extends Node {
  readonly kind: "TableSample";
  readonly method: string;
  readonly size: Expression;
  readonly unit: "PERCENT" | "ROWS";
  readonly partitionBy?: readonly Expression[] | undefined;
  readonly repeatable?: Expression | undefined;
  readonly weight?: { readonly alias?: Identifier } | undefined;
  readonly alias?: Identifier | undefined;
}
