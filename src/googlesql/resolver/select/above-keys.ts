import type { Column, Expr } from "../../resolved.ts";
import type { ColumnSet } from "../column-set.ts";
import { columnExpr } from "../expression/expr.ts";
import type { ExpressionIndex } from "../expression/expression-index.ts";
import { errorExpr, type Resolution } from "../resolution.ts";
import type { Replace } from "../transform.ts";

/**
 * Makes the rewriting of expressions above an aggregation (or a DISTINCT): what is a key reads the key's column; any
 * other column of below is reported once for each place.
 */
export function aboveKeys(
  resolution: Resolution,
  keys: ExpressionIndex<{ readonly expression: Expr; readonly column: Column }>,
  hidden: ColumnSet,
  message: (name: string) => string,
): Replace {
  return (expression) => {
    const key = keys.find(expression);
    if (key !== undefined) return columnExpr(key.column, expression.span);
    if (expression.kind !== "Column" || !hidden.has(expression.column.id)) return undefined;
    resolution.report("invalid_query", message(expression.column.name), expression.span, {
      name: expression.column.name,
    });
    return errorExpr(expression.span);
  };
}
