import type { Expression, OrderItem } from "../../ast.ts";
import { someExpression } from "../../resolved/walk.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { coerceOrFail, columnOf } from "../call/coerce.ts";
import { groupCollated } from "../call/collation.ts";
import { checkNamedWindows } from "../call/window.ts";
import {
  blockContext,
  createQueryBlock,
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
import { project } from "../relation.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { NO_NAMES, scopeOf, scopeWith } from "../scope.ts";
import { mapExpr, mapWindow, type Replace } from "../transform.ts";
import { aboveKeys, type NamedKeys } from "./above-keys.ts";
import { type Grouping, type GroupKey, resolveGroupBy } from "./group-by.ts";
import { resolveOrderBy } from "./order-by.ts";
import { refuseRecursive } from "./recursion.ts";
import { resolveSelectList } from "./select-list.ts";
import { finishSelect } from "./select-output.ts";
import type { SelectClauses, SelectWork } from "./select-work.ts";
import { computeStars } from "./star-values.ts";

/** Resolves a SELECT over rows that are there already. */
export function selectFrom(
  environment: Environment,
  source: Relation,
  clauses: SelectClauses,
  orderBy?: readonly OrderItem[],
): QueryResult {
  const { resolution } = environment;
  const block = createQueryBlock(resolution, clauses.windows);
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
  const randomBefore = resolution.randomCalls;
  work.items = resolveSelectList(list, clauses.items, source.names);
  const isReadAgain = clauses.having !== undefined || clauses.qualify !== undefined || orderBy !== undefined;
  const isRandom = resolution.randomCalls > randomBefore && isReadAgain;
  const [listAggregates, listWindows] = [block.aggregates.length, block.windows.length];
  const grouping = resolveGrouping(work, below, clauses);
  const computed = [...computeListStars(work, grouping), ...(isRandom ? computeOnce(work, grouping) : [])];
  const above = inClause(below, "HAVING clause", "aggregates", scopeWith(fromScope, work.items), fromScope);
  resolveAbove(work, above, clauses, orderBy);
  checkNamedWindows(list);
  refuseNestedWindows(work, listWindows);
  if (source.names === NO_NAMES) refuseRows(work);
  const isAggregated = grouping !== undefined || block.aggregates.length > 0;
  refuseWithout(work, clauses, grouping !== undefined || listAggregates > 0);
  refuseOverRecursion(work, clauses, isAggregated, orderBy !== undefined);
  if (isAggregated) aggregate(work, grouping, computed);
  else work.scan = project(work.scan, computed);
  if (work.having !== undefined) work.scan = filter(work.scan, work.having);
  if (block.windows.length > 0) work.scan = { kind: "Window", input: work.scan, functions: block.windows };
  if (work.qualify !== undefined) work.scan = filter(work.scan, work.qualify);
  const inherited = isAggregated || clauses.isDistinct ? undefined : source.order;
  return finishSelect(work, clauses, orderBy === undefined ? inherited : "own");
}

function resolveGrouping(work: SelectWork, below: ExprContext, { groupBy }: SelectClauses): Grouping | undefined {
  if (groupBy === undefined) return undefined;
  const { aggregates, windows } = work.block;
  const context = inClause(below, "GROUP BY clause", "nothing");
  return resolveGroupBy(context, groupBy, work.items, usesAny([...aggregates, ...windows]));
}

/** Resolves the clauses that read the select list's aliases: HAVING, QUALIFY and ORDER BY. */
function resolveAbove(
  work: SelectWork,
  above: ExprContext,
  clauses: SelectClauses,
  orderBy: readonly OrderItem[] | undefined,
): void {
  const { resolution } = work.environment;
  if (clauses.having !== undefined) work.having = condition(above, clauses.having);
  if (work.having !== undefined && usesAny(work.block.windows)(work.having)) {
    resolution.report("invalid_query", "A window function is not allowed in the HAVING clause", work.having.span);
  }
  if (clauses.qualify !== undefined)
    work.qualify = condition(inClause(above, "QUALIFY clause", "both"), clauses.qualify);
  if (orderBy !== undefined)
    work.sortKeys = resolveOrderBy(inClause(above, "ORDER BY clause", "both"), orderBy, work.items);
}

/** Window functions of QUALIFY and ORDER BY may read aliases, but none of another window function. */
function refuseNestedWindows({ environment, block }: SelectWork, listWindows: number): void {
  const usesWindow = usesAny(block.windows);
  for (const { call } of block.windows.slice(listWindows)) {
    const parts = [...call.arguments, ...call.partitionBy, ...call.orderBy.map((item) => item.expression)];
    if (call.having !== undefined) parts.push(call.having.expression);
    if (parts.some(usesWindow))
      environment.resolution.report("invalid_query", "Window functions cannot be nested", call.span);
  }
}

/** HAVING without an aggregation beside it, and QUALIFY without a window function; not where they are reported. */
function refuseWithout(
  { environment, block, having, qualify }: SelectWork,
  clauses: SelectClauses,
  isAggregated: boolean,
): void {
  const { resolution } = environment;
  if (clauses.having !== undefined && having !== undefined && !isAggregated) {
    const message = "The HAVING clause requires GROUP BY or aggregation in the select list to be present";
    resolution.report("invalid_query", message, clauses.having.span);
  }
  if (clauses.qualify !== undefined && qualify !== undefined && block.windows.length === 0) {
    const message = "The QUALIFY clause requires a window function to be present";
    resolution.report("invalid_query", message, clauses.qualify.span);
  }
}

/** Refuses clauses that rows of a recursion cannot go through, since each round sees only those of the last. */
function refuseOverRecursion(
  { environment, source, block }: SelectWork,
  { isDistinct }: SelectClauses,
  isAggregated: boolean,
  isSorted: boolean,
): void {
  const { resolution } = environment;
  if (isAggregated || isDistinct)
    refuseRecursive(resolution, source, isAggregated ? "with aggregation" : "with SELECT DISTINCT");
  if (block.windows.length > 0) refuseRecursive(resolution, source, "with window functions");
  if (isSorted) refuseRecursive(resolution, source, "with ORDER BY");
}

/** Columns for stars of expressions. Those of groups are computed over these, which keys of the list are not. */
function computeListStars(work: SelectWork, grouping: Grouping | undefined): readonly ComputedColumn[] {
  const { block, environment } = work;
  const [usesWindow, usesAggregate] = [usesAny(block.windows), usesAny(block.aggregates)];
  const mayCompute = (base: Expr) => !usesWindow(base) && (grouping === undefined || usesAggregate(base));
  const { items, computed } = computeStars(environment.resolution, work.items, mayCompute);
  work.items = items;
  return computed;
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
    const column = environment.resolution.newColumn(item.name ?? "random", expression.type);
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
    return someExpression(expression, (inner) => inner.kind === "Column" && ids.has(inner.column.id), true);
  };
}

/** Puts the aggregation on the scan, and what is computed of its groups; makes everything above it read its output. */
function aggregate(work: SelectWork, grouping: Grouping | undefined, computed: readonly ComputedColumn[]): void {
  const { resolution } = work.environment;
  const keys = (grouping?.keys ?? []).map((key) => keyColumn(resolution, key));
  const { groupBy, spellings } = groupCollated(resolution, keys, grouping?.sets);
  const index = new ExpressionIndex(groupBy);
  const named = namedKeys(grouping, keys);
  const rewriting = (clause: string): Replace =>
    aboveKeys(
      resolution,
      keys,
      work.source.names,
      (name) => `${clause} expression references column ${name} which is neither grouped nor aggregated`,
      named,
    );
  const forItems = rewriting("SELECT list");
  rewriteAbove(work, forItems, rewriting);
  refuseGroupingOfOthers(work, (argument) => index.find(argument) !== undefined);
  work.scan = {
    kind: "Aggregate",
    input: work.scan,
    groupBy,
    groupingSets: grouping?.sets?.map((set) => set.flatMap((i) => groupBy[i]?.column ?? [])),
    aggregates: [...work.block.aggregates, ...spellings],
  };
  work.scan = project(
    work.scan,
    computed.map(({ column, expression }) => ({ column, expression: mapExpr(expression, forItems) })),
  );
}

/** The columns of keys that are items of the select list; undefined without grouping sets. */
function namedKeys(grouping: Grouping | undefined, keys: readonly ComputedColumn[]): NamedKeys | undefined {
  if (grouping?.items === undefined) return undefined;
  const named = new Map<Expr, Column>();
  for (const [item, at] of grouping.items) {
    const column = keys[at]?.column;
    if (column !== undefined) named.set(item, column);
  }
  return named;
}

function keyColumn(resolution: Resolution, { name, expression }: GroupKey): ComputedColumn {
  return { column: columnOf(resolution, name ?? "key", expression), expression };
}

/** Makes what stands above the aggregation read its output, clause by clause. */
function rewriteAbove(work: SelectWork, forItems: Replace, rewriting: (clause: string) => Replace): void {
  work.items = work.items.map((item) => ({ ...item, expression: mapExpr(item.expression, forItems) }));
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
}

function refuseGroupingOfOthers({ environment, block }: SelectWork, isKey: (expression: Expr) => boolean): void {
  for (const { call } of block.aggregates) {
    if (call.function !== "GROUPING" || call.arguments.every(isKey)) continue;
    const message = "GROUPING must have an argument that exists within the GROUP BY clause";
    environment.resolution.report("invalid_query", message, call.span);
  }
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
