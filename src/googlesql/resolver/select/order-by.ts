import type { LimitClause, OrderItem } from "../../ast.ts";
import type { ComputedColumn, Expr, OrderKey, Scan } from "../../resolved.ts";
import { INT64 } from "../../types.ts";
import { isOrderable } from "../../typing/same-type.ts";
import { isLiteralNode, nullsFirst } from "../call/aggregate.ts";
import { coerceOrFail, sortable, typeName } from "../call/coerce.ts";
import { collatedKey } from "../call/collation.ts";
import { ColumnSet } from "../column-set.ts";
import { type Environment, type ExprContext, plainContext, type QueryResult, resolveExpression } from "../context.ts";
import { bounded } from "../expression/bounded.ts";
import { isConstant } from "../expression/expr.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { materialize, project, reachableColumns } from "../relation.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { type NameList, scopeOf } from "../scope.ts";
import { refuseRecursive } from "./recursion.ts";
import type { Item } from "./select-list.ts";

/** One key of ORDER BY: an item of the select list by its position, or an expression of its own. */
export interface SortKey {
  readonly item: number | undefined;
  readonly expression: Expr;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

/** Resolves ORDER BY over a select list's items; the context's scope lets aliases come before columns. */
export function resolveOrderBy(context: ExprContext, orderBy: readonly OrderItem[], items: readonly Item[]): SortKey[] {
  const { resolution } = context;
  const keys: SortKey[] = [];
  const index = new ExpressionIndex(items.map(({ expression }, position) => ({ expression, position })));
  for (const node of orderBy) {
    if (node.expression.kind === "IntLiteral") {
      const item = Number(node.expression.text) - 1;
      const found = items[item];
      if (found !== undefined) {
        const key = keyFor(context, found.expression, node);
        const own = key === found.expression ? item : undefined;
        keys.push({ item: own, expression: key, isDescending: node.isDescending, nullsFirst: nullsFirst(node) });
      } else
        resolution.report(
          "invalid_query",
          `ORDER BY is out of SELECT column number range: ${node.expression.text}`,
          node.expression.span,
        );
      continue;
    }
    const expression = keyFor(context, resolveExpression(context, node.expression), node);
    if (isErrorExpr(expression) || refuseLiteral(resolution, node)) continue;
    if (!isOrderable(expression.type)) {
      resolution.report(
        "type_mismatch",
        `ORDER BY does not support expressions of type ${typeName(expression.type)}`,
        node.expression.span,
      );
      continue;
    }
    const item = index.find(expression)?.position;
    keys.push({ item, expression, isDescending: node.isDescending, nullsFirst: nullsFirst(node) });
  }
  return keys;
}

/** A literal sorts nothing; reports it. */
function refuseLiteral(resolution: Resolution, { expression }: OrderItem): boolean {
  if (!isLiteralNode(expression)) return false;
  const message = "ORDER BY cannot sort by a literal value; write the column's name, without quotes, or its position";
  resolution.report("invalid_query", message, expression.span);
  return true;
}

/** Returns the sort key: the expression, or its key in a collation. */
function keyFor(context: ExprContext, unsorted: Expr, node: OrderItem): Expr {
  const expression = sortable(context.resolution, unsorted);
  if (node.collation === undefined && !context.resolution.hasCollation) return expression;
  const collation = node.collation && resolveExpression(context, node.collation);
  return collatedKey(context.resolution, expression, node.collation, collation);
}

/**
 * Orders rows, or those that resolving the keys leads to, whose only names are those of `names`: a set operation's
 * result, a parenthesised query, a pipe's input.
 */
export function orderRelation(
  environment: Environment,
  scan: Scan | (() => Scan),
  names: NameList,
  orderBy: readonly OrderItem[],
  context?: ExprContext,
): { readonly scan: Scan; readonly keys: OrderKey[] } {
  const { resolution } = environment;
  const own = context ?? plainContext(environment, scopeOf(names, environment.outer), "ORDER BY clause");
  const items: Item[] = names.columns.map((named) => ({
    name: named.name,
    expression: { kind: "Column", column: named.column, type: named.column.type, span: { start: 0, end: 0 } },
    span: { start: 0, end: 0 },
  }));
  const keys = resolveOrderBy(own, orderBy, items);
  const computed: ComputedColumn[] = [];
  const local = reachableColumns(names);
  const taken = new ColumnSet();
  const ordered = keys.map((key): OrderKey => {
    const column =
      key.expression.kind === "Column" && local.has(key.expression.column.id)
        ? key.expression.column
        : materialize(resolution, key.expression, "sort_key", computed, () => false, taken);
    return { column, isDescending: key.isDescending, nullsFirst: key.nullsFirst };
  });
  return { scan: project(typeof scan === "function" ? scan() : scan, computed), keys: ordered };
}

/** LIMIT and OFFSET. Rows that have an order, also an inherited one, are sorted before. */
export function limitRows(environment: Environment, rows: QueryResult, limit: LimitClause): QueryResult {
  const { resolution } = environment;
  refuseRecursive(resolution, rows, "with LIMIT");
  const bound = (node: LimitClause["count"], what: string): Expr | undefined => {
    if (node === undefined) return undefined;
    const value = resolveExpression(plainContext(environment, undefined, what), node);
    const typed = coerceOrFail(resolution, value, INT64, what);
    if (isErrorExpr(typed)) return undefined;
    if (!isConstant(typed))
      resolution.report("invalid_query", `${what} expects an integer literal or parameter`, node.span);
    return bounded(resolution, typed, `${what} expects a non-negative integer literal or parameter`);
  };
  const count = bound(limit.count, "LIMIT");
  const offset = bound(limit.offset, "OFFSET");
  const scan = rows.order !== undefined && !rows.isSorted ? sortScan(rows.scan, rows.order.keys) : rows.scan;
  const limited: Scan = { kind: "Limit", input: scan, count, offset };
  return { ...rows, scan: limited, isSorted: rows.order !== undefined };
}

export function sortScan(input: Scan, keys: readonly OrderKey[]): Scan {
  return keys.length === 0 ? input : { kind: "OrderBy", input, keys };
}
