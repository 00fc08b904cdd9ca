import type { Expression, OrderItem } from "../../ast.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { coerceOrFail } from "../call/coerce.ts";
import { ColumnSet } from "../column-set.ts";
import {
  blockContext,
  createBlock,
  type Environment,
  type ExprContext,
  inClause,
  type QueryResult,
  type Relation,
  resolveExpression,
} from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { isRepeatable } from "../expression/same-expression.ts";
import { project, reachableColumns } from "../relation.ts";
import { isErrorExpr } from "../resolution.ts";
import { NO_NAMES, scopeOf, scopeWith } from "../scope.ts";
import { mapExpr, mapWindow, type Replace } from "../transform.ts";
import { aboveKeys } from "./above-keys.ts";
import { type Grouping, resolveGroupBy } from "./group-by.ts";
import { resolveOrderBy } from "./order-by.ts";
import { refuseRecursive } from "./recursion.ts";
import { resolveSelectList } from "./select-list.ts";
import { finishSelect } from "./select-output.ts";
import type { SelectClauses, SelectWork } from "./select-work.ts";

/** Resolves a SELECT over rows that are there already. */
export function selectFrom(
  environment: Environment,
  source: Relation,
  clauses: SelectClauses,
  orderBy?: readonly OrderItem[],
): QueryResult {
  const { resolution } = environment;
  const block = createBlock(clauses.windows);
  const fromScope = scopeOf(source.names, environment.outer);
  const below = blockContext(environment, fromScope, block, "WHERE clause", "nothing");
  const work: SelectWork = {
    environment,
    block,
    source,
    items: [],
    sortKeys: [],
    having: undefined,
    qualify: undefined,
    scan: source.scan,
  };
  if (clauses.where !== undefined) work.scan = filter(work.scan, condition(below, clauses.where));
  const list =
    clauses.isPipe === true ? inClause(below, "pipe SELECT", "windows") : inClause(below, "SELECT list", "both");
  const volatileBefore = resolution.volatileCalls;
  work.items = resolveSelectList(list, clauses.items, source.names);
  const isReadAgain = clauses.having !== undefined || clauses.qualify !== undefined || orderBy !== undefined;
  const isVolatile = resolution.volatileCalls > volatileBefore && isReadAgain;
  const listWindows = block.windows.length;
  const grouping =
    clauses.groupBy === undefined
      ? undefined
      : resolveGroupBy(
          inClause(below, "GROUP BY clause", "nothing"),
          clauses.groupBy,
          work.items,
          usesAny([...block.aggregates, ...block.windows]),
        );
  const computed = isVolatile ? computeOnce(work, grouping) : [];
  const above = inClause(below, "HAVING clause", "aggregates", scopeWith(fromScope, work.items), fromScope);
  if (clauses.having !== undefined) work.having = condition(above, clauses.having);
  if (work.having !== undefined && usesAny(block.windows)(work.having)) {
    resolution.report("invalid_query", "A window function is not allowed in the HAVING clause", work.having.span);
  }
  if (clauses.qualify !== undefined)
    work.qualify = condition(inClause(above, "QUALIFY clause", "both"), clauses.qualify);
  if (orderBy !== undefined)
    work.sortKeys = resolveOrderBy(inClause(above, "ORDER BY clause", "both"), orderBy, work.items);
  for (const { call } of block.windows.slice(listWindows)) {
    const usesWindow = usesAny(block.windows);
    const parts = [...call.arguments, ...call.partitionBy, ...call.orderBy.map((item) => item.expression)];
    if (call.having !== undefined) parts.push(call.having.expression);
    if (parts.some(usesWindow)) resolution.report("invalid_query", "Window functions cannot be nested", call.span);
  }
  if (source.names === NO_NAMES) refuseRows(work);
  const isAggregated = grouping !== undefined || block.aggregates.length > 0;
  if (clauses.having !== undefined && !isAggregated) {
    resolution.report(
      "invalid_query",
      "The HAVING clause requires GROUP BY or aggregation to be present",
      clauses.having.span,
    );
  }
  if (clauses.qualify !== undefined && block.windows.length === 0) {
    resolution.report(
      "invalid_query",
      "The QUALIFY clause requires a window function to be present",
      clauses.qualify.span,
    );
  }
  if (isAggregated || clauses.isDistinct)
    refuseRecursive(resolution, source, isAggregated ? "with aggregation" : "with SELECT DISTINCT");
  if (block.windows.length > 0) refuseRecursive(resolution, source, "with window functions");
  if (orderBy !== undefined) refuseRecursive(resolution, source, "with ORDER BY");
  if (isAggregated) aggregate(work, grouping, computed);
  else work.scan = project(work.scan, computed);
  if (work.having !== undefined) work.scan = filter(work.scan, work.having);
  if (block.windows.length > 0) work.scan = { kind: "Window", input: work.scan, functions: block.windows };
  if (work.qualify !== undefined) work.scan = filter(work.scan, work.qualify);
  const inherited = isAggregated || clauses.isDistinct ? undefined : source.order;
  return finishSelect(work, clauses, orderBy === undefined ? inherited : "own");
}

/**
 * Columns for RAND() and its like before aliases of them are read a second time: they are computed over the rows of
 * FROM, or over its groups.
 */
function computeOnce(work: SelectWork, grouping: Grouping | undefined): ComputedColumn[] {
  const { block, environment } = work;
  const usesWindow = usesAny(block.windows);
  const keys = new Set(grouping?.keys.map((key) => key.expression));
  const computed: ComputedColumn[] = [];
  work.items = work.items.map((item) => {
    const { expression } = item;
    if (keys.has(expression) || isRepeatable(expression) || usesWindow(expression)) return item;
    const column = environment.resolution.newColumn(item.name ?? "volatile", expression.type);
    computed.push({ column, expression });
    return { ...item, expression: columnExpr(column, expression.span) };
  });
  return computed;
}

function condition(context: ExprContext, node: Expression): Expr | undefined {
  const value = coerceOrFail(
    context.resolution,
    resolveExpression(context, node),
    BOOL,
    `The condition of the ${context.clause}`,
  );
  return isErrorExpr(value) ? undefined : value;
}

function filter(input: Scan, predicate: Expr | undefined): Scan {
  return predicate === undefined ? input : { kind: "Filter", input, predicate };
}

/** Makes the test whether an expression reads one of the columns: those of aggregates or window functions. */
function usesAny(computed: readonly { readonly column: Column }[]): (expression: Expr) => boolean {
  const ids = new Set(computed.map((item) => item.column.id));
  return (expression) => {
    if (ids.size === 0) return false;
    let isFound = false;
    mapExpr(expression, (inner) => {
      if (inner.kind === "Column" && ids.has(inner.column.id)) isFound = true;
      return isFound ? inner : undefined;
    });
    return isFound;
  };
}

/** Puts the aggregation on the scan, and what is computed of its groups; makes everything above it read its output. */
function aggregate(work: SelectWork, grouping: Grouping | undefined, computed: readonly ComputedColumn[]): void {
  const { resolution } = work.environment;
  const keys = (grouping?.keys ?? []).map((key) => {
    const column = resolution.newColumn(key.name ?? "key", key.expression.type);
    if (
      key.expression.kind === "RecordField" ||
      (key.expression.kind === "Column" && resolution.lenientColumns.has(key.expression.column.id))
    ) {
      resolution.lenientColumns.add(column.id);
    }
    return { column, expression: key.expression };
  });
  // Where a key is wrong, columns are not to blame for being ungrouped.
  const hidden = keys.some((key) => isErrorExpr(key.expression))
    ? new ColumnSet()
    : reachableColumns(work.source.names);
  const index = new ExpressionIndex(keys);
  const rewriting = (clause: string): Replace =>
    aboveKeys(
      resolution,
      index,
      hidden,
      (name) => `${clause} expression references column ${name} which is neither grouped nor aggregated`,
    );
  const forItems = rewriting("SELECT list");
  work.items = work.items.map(({ name, expression, span }) => ({
    name,
    expression: mapExpr(expression, forItems),
    span,
  }));
  const forOrder = rewriting("ORDER BY clause");
  work.sortKeys = work.sortKeys.map((key) => {
    if (key.item !== undefined) return { ...key, expression: work.items[key.item]?.expression ?? key.expression };
    return { ...key, expression: mapExpr(key.expression, forOrder) };
  });
  if (work.having !== undefined) work.having = mapExpr(work.having, rewriting("HAVING clause"));
  if (work.qualify !== undefined) work.qualify = mapExpr(work.qualify, rewriting("QUALIFY clause"));
  const forWindows = rewriting("Window function");
  for (const [i, item] of work.block.windows.entries()) {
    work.block.windows[i] = { column: item.column, call: mapWindow(item.call, forWindows) };
  }
  for (const { call } of work.block.aggregates) {
    if (call.function !== "GROUPING") continue;
    const isKey = call.arguments.every((argument) => index.find(argument) !== undefined);
    if (!isKey)
      resolution.report(
        "invalid_query",
        "GROUPING must have an argument that exists within the GROUP BY clause",
        call.span,
      );
  }
  work.scan = {
    kind: "Aggregate",
    input: work.scan,
    groupBy: keys,
    groupingSets: grouping?.sets?.map((set) => set.flatMap((i) => keys[i]?.column ?? [])),
    aggregates: work.block.aggregates,
  };
  work.scan = project(
    work.scan,
    computed.map(({ column, expression }) => ({ column, expression: mapExpr(expression, forItems) })),
  );
}

/** Without FROM there is one row, and nothing to compute over rows. */
function refuseRows({ environment, block }: SelectWork): void {
  const [aggregateCall] = block.aggregates;
  const [window] = block.windows;
  const found = aggregateCall ?? window;
  if (found === undefined) return;
  const what = aggregateCall === undefined ? "window functions" : "aggregation";
  const message = `SELECT without FROM clause cannot use ${what}`;
  environment.resolution.report("invalid_query", message, found.call.span);
}
