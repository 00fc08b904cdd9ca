/** Rewriting what a query holds while it is resolved. */

import { createMapping, type Mapping } from "../resolved/map.ts";
import type { Expr, WindowCall } from "../resolved.ts";

/**
 * Returns the replacement of an expression, or undefined to continue inside it. Asked from the outside in, sub-queries
 * included.
 */
export type Replace = (expression: Expr) => Expr | undefined;

/**
 * Common table expressions hold no columns of queries around them, and what must be a constant stays one, also where a
 * key of GROUP BY is the same constant.
 */
function mappingOf(replace: Replace): Mapping {
  return createMapping({ expression: replace, bound: (expression) => expression, definition: (cte) => cte });
}

/** The expression with replacements made; unchanged parts are shared. */
export function mapExpr(expression: Expr, replace: Replace): Expr {
  return mappingOf(replace).expression(expression);
}

/** The call with replacements made in all of its expressions. */
export function mapWindow(call: WindowCall, replace: Replace): WindowCall {
  return mappingOf(replace).call(call);
}
