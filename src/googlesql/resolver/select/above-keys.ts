import type { Column, Expr } from "../../resolved.ts";
import { ColumnSet } from "../column-set.ts";
import { columnExpr } from "../expression/expr.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { reachableColumns } from "../relation.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import type { NameList } from "../scope.ts";
import type { Replace } from "../transform.ts";

interface Key {
  readonly expression: Expr;
  readonly column: Column;
}

/**
 * Makes the rewriting of expressions above an aggregation (or a DISTINCT) of rows with these names: what is a key
 * reads the key's column; any other column of below is reported once for each place, unless a key is wrong.
 */
export function aboveKeys(
  resolution: Resolution,
  list: readonly Key[],
  names: NameList,
  message: (name: string) => string,
): Replace {
  const keys = new ExpressionIndex(list);
  const hidden = list.some((key) => isErrorExpr(key.expression)) ? new ColumnSet() : reachableColumns(names);
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
