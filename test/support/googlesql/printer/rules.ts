import type { Expression, Query } from "../../../../src/googlesql/ast.ts";

/**
 * The printers that call each other in a circle, handed over so that their files depend on each other in one direction.
 */
export interface PrintRules {
  /** A query without parentheses around it. */
  query(query: Query): string;
  /** An expression, in parentheses where it binds less tight than `minLevel`. */
  expression(expression: Expression, minLevel?: number): string;
}
