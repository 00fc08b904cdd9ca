import type { Column, Expr } from "../../resolved.ts";
import { ColumnSet } from "../column-set.ts";
import { columnExpr } from "../expression/expr.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { reachableColumns } from "../relation.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import type { NameList } from "../scope.ts";
import { mapExpr, type Replace } from "../transform.ts";

interface Key {
  readonly expression: Expr;
  readonly column: Column;
}

/** Items of the select list that GROUP BY names by alias or position, with the columns of their keys. */
export type NamedKeys = ReadonlyMap<Expr, Column>;

/**
 * Makes the rewriting of expressions above an aggregation (or a DISTINCT) of rows with these names: what is a key
 * reads the key's column; any other column of below is reported once for each place, unless a key is wrong. Beside
 * several grouping sets (then `named` is given), an expression is a key only if it is named as one or reads what is no
 * key: `a + 1` of the keys `a` and `a + 1` is computed from `a`, NULL or not.
 */
export function aboveKeys(
  resolution: Resolution,
  list: readonly Key[],
  names: NameList,
  message: (name: string) => string,
  named?: NamedKeys,
): Replace {
  const keys = new ExpressionIndex(list);
  const hidden = list.some((key) => isErrorExpr(key.expression)) ? new ColumnSet() : reachableColumns(names);
  const isComputed = (expression: Expr): boolean => {
    if (isPath(expression)) return false;
    let isFree = true;
    mapExpr(expression, (inner) => {
      const key = isPath(inner) ? keys.find(inner) : undefined;
      if (key !== undefined) return columnExpr(key.column, inner.span);
      isFree &&= !(inner.kind === "Column" && hidden.has(inner.column.id));
      return undefined;
    });
    return isFree;
  };
  return (expression) => {
    const column = named?.get(expression);
    if (column !== undefined) return columnExpr(column, expression.span);
    const key = keys.find(expression);
    if (key !== undefined && !(named !== undefined && isComputed(expression)))
      return columnExpr(key.column, expression.span);
    if (expression.kind !== "Column" || !hidden.has(expression.column.id)) return undefined;
    resolution.report("invalid_query", message(expression.column.name), expression.span, {
      name: expression.column.name,
    });
    return errorExpr(expression.span);
  };
}

const isPath = ({ kind }: Expr): boolean => kind === "Column" || kind === "Field" || kind === "RecordField";
