/** The syntax tree of the part of ClickHouse's SELECT that is read: plain data, `span` is where a node is in the text. */
import type { Span } from "../googlesql/diagnostic.ts";

interface Node {
  readonly span: Span;
}

export type ChExpression =
  | (Node & { readonly kind: "null" })
  | (Node & { readonly kind: "bool"; readonly value: boolean })
  | (Node & { readonly kind: "number"; readonly text: string })
  | (Node & { readonly kind: "string"; readonly value: string })
  | ChName
  | ChCall
  | (Node & { readonly kind: "subscript"; readonly base: ChExpression; readonly index: ChExpression })
  | (Node & { readonly kind: "array"; readonly items: readonly ChExpression[] })
  | (Node & { readonly kind: "not"; readonly operand: ChExpression })
  | (Node & { readonly kind: "negate"; readonly operand: ChExpression })
  | (Node & {
      readonly kind: "binary";
      readonly operator: ChOperator;
      readonly left: ChExpression;
      readonly right: ChExpression;
    })
  /** Flat, so that long chains are no deep trees. */
  | (Node & { readonly kind: "and"; readonly operands: readonly ChExpression[] })
  | (Node & { readonly kind: "or"; readonly operands: readonly ChExpression[] })
  | (Node & { readonly kind: "concat"; readonly operands: readonly ChExpression[] })
  | (Node & {
      readonly kind: "between";
      readonly isNegated: boolean;
      readonly operand: ChExpression;
      readonly low: ChExpression;
      readonly high: ChExpression;
    })
  | ChIn
  | (Node & {
      readonly kind: "like";
      readonly isNegated: boolean;
      readonly isCaseless: boolean;
      readonly operand: ChExpression;
      readonly pattern: ChExpression;
    })
  | (Node & { readonly kind: "isNull"; readonly isNegated: boolean; readonly operand: ChExpression })
  | (Node & {
      readonly kind: "case";
      readonly operand: ChExpression | undefined;
      readonly branches: readonly { readonly when: ChExpression; readonly result: ChExpression }[];
      readonly otherwise: ChExpression | undefined;
    })
  | (Node & { readonly kind: "cast"; readonly operand: ChExpression; readonly type: string })
  | (Node & { readonly kind: "interval"; readonly count: ChExpression; readonly unit: string });

export type ChOperator = "+" | "-" | "*" | "/" | "%" | "=" | "!=" | "<" | "<=" | ">" | ">=";

/** A column or an alias; with a qualifier a column. */
export interface ChName extends Node {
  readonly kind: "name";
  readonly qualifier: string | undefined;
  readonly name: string;
}

/** `f(a, b)`, and `f(0.5)(a)` with `parameters`. */
export interface ChCall extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly parameters: readonly ChExpression[] | undefined;
  readonly args: readonly ChExpression[];
  readonly isDistinct: boolean;
  /** `count(*)`. */
  readonly isStar: boolean;
}

export interface ChIn extends Node {
  readonly kind: "in";
  readonly isNegated: boolean;
  readonly operand: ChExpression;
  readonly items: readonly ChExpression[];
}

export interface ChSelectItem extends Node {
  readonly expression: ChExpression;
  readonly alias: string | undefined;
}

export interface ChOrderItem extends Node {
  readonly expression: ChExpression;
  readonly isDescending: boolean;
  readonly nulls: "FIRST" | "LAST" | undefined;
}

export interface ChTable extends Node {
  readonly name: string;
  readonly alias: string | undefined;
}

export interface ChSelect extends Node {
  readonly isDistinct: boolean;
  readonly items: readonly ChSelectItem[];
  readonly from: ChTable | undefined;
  readonly where: ChExpression | undefined;
  readonly groupBy: readonly ChExpression[];
  readonly having: ChExpression | undefined;
  readonly orderBy: readonly ChOrderItem[];
  readonly limit: { readonly count: string; readonly offset: string | undefined; readonly span: Span } | undefined;
}

/** Selects joined by UNION ALL, at least one. */
export interface ChQuery extends Node {
  readonly selects: readonly ChSelect[];
}
