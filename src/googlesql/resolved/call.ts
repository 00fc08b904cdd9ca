import type { Expr, ExprBase } from "./expression.ts";

interface CallOverRows extends ExprBase {
  /** Upper case; `$count_star` for COUNT(*). */
  readonly function: string;
  readonly arguments: readonly Expr[];
  readonly isDistinct: boolean;
  readonly nullHandling?: "IGNORE" | "RESPECT" | undefined;
  readonly having?: { readonly kind: "MAX" | "MIN"; readonly expression: Expr } | undefined;
  readonly orderBy: readonly {
    readonly expression: Expr;
    readonly isDescending: boolean;
    readonly nullsFirst: boolean;
  }[];
  readonly isSafe: boolean;
}

/** An aggregate function, `GROUPING` too. */
export interface AggregateCall extends CallOverRows {
  readonly kind: "AggregateCall";
  readonly limit?: Expr | undefined;
  /** A further WHERE on the call's rows. */
  readonly filter?: Expr | undefined;
}

/** An aggregate, navigation, numbering or statistical function with OVER. */
export interface WindowCall extends CallOverRows {
  readonly kind: "WindowCall";
  readonly partitionBy: readonly Expr[];
  /** Absent when the function takes none; GoogleSQL's default frame is written out otherwise. */
  readonly frame?: ResolvedFrame | undefined;
}

/** An expression, or a call that only a scan of its kind holds. */
export type AnyExpr = Expr | AggregateCall | WindowCall;

export interface ResolvedFrame {
  /** GROUPS stands in no query: engines may count groups of equal keys where a RANGE has no form of theirs. */
  readonly unit: "ROWS" | "RANGE" | "GROUPS";
  readonly start: ResolvedFrameBound;
  readonly end: ResolvedFrameBound;
}

export type ResolvedFrameBound =
  | { readonly kind: "UnboundedPreceding" | "UnboundedFollowing" | "CurrentRow" }
  | { readonly kind: "Preceding" | "Following"; readonly offset: Expr };
