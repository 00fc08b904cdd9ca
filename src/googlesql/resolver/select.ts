import type { Expression, GroupBy, NamedWindow, OrderItem, Path, Select, SelectItem } from "../ast.ts";
import type { Span } from "../diagnostic.ts";
import type { Column, ComputedColumn, Expr, OrderKey, Scan } from "../resolved.ts";
import { BOOL } from "../types.ts";
import { isGroupable } from "../typing/same-type.ts";
import { aboveKeys } from "./above-keys.ts";
import { coerceOrFail, typeName } from "./coerce.ts";
import type { Block, Environment, ExprContext, QueryResult, Relation } from "./context.ts";
import { createBlock, resolveExpression } from "./context.ts";
import { columnExpr, makeStruct } from "./expr.ts";
import { type Grouping, resolveGroupBy } from "./group-by.ts";
import { resolveOrderBy, type SortKey } from "./order-by.ts";
import { recursiveOf, refuseRecursive } from "./recursion.ts";
import { materialize, project, reachableColumns } from "./relation.ts";
import { isErrorExpr } from "./resolution.ts";
import { isSameExpr } from "./same-expression.ts";
import { type NamedColumn, scopeOf, scopeWith } from "./scope.ts";
import { type Item, resolveSelectList } from "./select-list.ts";
import { mapExpr, mapWindow, type Replace } from "./transform.ts";

/** The clauses of a SELECT after FROM; the pipe operator SELECT has a part of them. */
export interface SelectClauses {
  readonly isDistinct: boolean;
  readonly as?: Select["as"] | Path;
  readonly items: readonly SelectItem[];
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: readonly NamedWindow[];
  readonly orderBy?: readonly OrderItem[];
  readonly span: Span;
  /** The pipe operator SELECT, which does not aggregate. */
  readonly isPipe?: boolean;
}

/** What stands between the parts of one SELECT. */
interface Work {
  readonly environment: Environment;
  readonly block: Block;
  readonly source: Relation;
  items: readonly Item[];
  sortKeys: readonly SortKey[];
  having: Expr | undefined;
  qualify: Expr | undefined;
  scan: Scan;
  /** The columns that the scan gives. */
  local: Set<number>;
}

/** Resolves a SELECT over rows that are there already. */
export function selectFrom(environment: Environment, source: Relation, clauses: SelectClauses): QueryResult {
  const { resolution, ctes } = environment;
  const block = createBlock(clauses.windows);
  const fromScope = scopeOf(source.names, environment.outer);
  const base = { resolution, ctes, scope: fromScope, block };
  const below: ExprContext = { ...base, clause: "WHERE clause", allowsAggregates: false, allowsWindows: false };
  const work: Work = {
    environment,
    block,
    source,
    items: [],
    sortKeys: [],
    having: undefined,
    qualify: undefined,
    scan: source.scan,
    local: reachableColumns(source.names),
  };
  if (clauses.where !== undefined) work.scan = filter(work.scan, condition(below, clauses.where));
  work.items = resolveSelectList(
    {
      ...base,
      clause: clauses.isPipe === true ? "pipe SELECT" : "SELECT list",
      allowsAggregates: clauses.isPipe !== true,
      allowsWindows: true,
    },
    clauses.items,
    source.names,
  );
  const usesComputed = usesAny(block);
  const grouping =
    clauses.groupBy === undefined
      ? undefined
      : resolveGroupBy({ ...below, clause: "GROUP BY clause" }, clauses.groupBy, work.items, usesComputed);
  const named = work.items.flatMap((item) =>
    item.name === undefined ? [] : [{ name: item.name, expression: item.expression }],
  );
  const above: ExprContext = {
    ...base,
    scope: scopeWith(fromScope, named),
    aggregateScope: fromScope,
    clause: "HAVING clause",
    allowsAggregates: true,
    allowsWindows: false,
  };
  if (clauses.having !== undefined) work.having = condition(above, clauses.having);
  if (clauses.qualify !== undefined)
    work.qualify = condition({ ...above, clause: "QUALIFY clause", allowsWindows: true }, clauses.qualify);
  if (clauses.orderBy !== undefined)
    work.sortKeys = resolveOrderBy(
      { ...above, clause: "ORDER BY clause", allowsWindows: true },
      clauses.orderBy,
      work.items,
    );
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
  if (clauses.orderBy !== undefined) refuseRecursive(resolution, source, "with ORDER BY");
  if (isAggregated) aggregate(work, grouping);
  if (work.having !== undefined) work.scan = filter(work.scan, work.having);
  if (block.windows.length > 0) {
    work.scan = { kind: "Window", input: work.scan, functions: block.windows };
    for (const { column } of block.windows) work.local.add(column.id);
  }
  if (work.qualify !== undefined) work.scan = filter(work.scan, work.qualify);
  return finish(work, clauses, isAggregated);
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

/** Does an expression read an aggregate's or a window function's column of the block? */
function usesAny(block: Block): (expression: Expr) => boolean {
  const ids = new Set([...block.aggregates, ...block.windows].map((item) => item.column.id));
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

/** Puts the aggregation on the scan and makes everything above it read its output. */
function aggregate(work: Work, grouping: Grouping | undefined): void {
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
  const hidden = keys.some((key) => isErrorExpr(key.expression)) ? new Set<number>() : work.local;
  const rewriting = (clause: string): Replace =>
    aboveKeys(
      resolution,
      keys,
      hidden,
      (name) => `${clause} expression references column ${name} which is neither grouped nor aggregated`,
    );
  const forItems = rewriting("SELECT list");
  work.items = work.items.map((item) => ({ ...item, expression: mapExpr(item.expression, forItems) }));
  work.sortKeys = work.sortKeys.map((key) => {
    if (key.item !== undefined) return { ...key, expression: work.items[key.item]?.expression ?? key.expression };
    return { ...key, expression: mapExpr(key.expression, rewriting("ORDER BY clause")) };
  });
  if (work.having !== undefined) work.having = mapExpr(work.having, rewriting("HAVING clause"));
  if (work.qualify !== undefined) work.qualify = mapExpr(work.qualify, rewriting("QUALIFY clause"));
  for (const [i, item] of work.block.windows.entries()) {
    work.block.windows[i] = { ...item, call: mapWindow(item.call, rewriting("Window function")) };
  }
  for (const { call } of work.block.aggregates) {
    if (call.function !== "GROUPING") continue;
    const isKey = call.arguments.every((argument) => keys.some((key) => isSameExpr(argument, key.expression)));
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
    aggregates: work.block.aggregates,
    ...(grouping?.sets === undefined
      ? {}
      : { groupingSets: grouping.sets.map((set) => set.flatMap((i) => keys[i]?.column ?? [])) }),
  };
  work.local = new Set([...keys, ...work.block.aggregates].map((item) => item.column.id));
}

function finish(work: Work, clauses: SelectClauses, isAggregated: boolean): QueryResult {
  const { resolution } = work.environment;
  const computed: ComputedColumn[] = [];
  const taken = new Set<number>();
  const isLocal = (column: Column): boolean => work.local.has(column.id);
  const columns = work.items.map((item, i) =>
    materialize(resolution, item.expression, item.name ?? `f${i}`, computed, isLocal, taken),
  );
  let outputs = columns.map((column, i): NamedColumn => {
    const name = work.items[i]?.name;
    return name === undefined ? { column } : { name, column };
  });
  const extra: ComputedColumn[] = [];
  let keys = work.sortKeys.map((key): OrderKey => {
    const order = { isDescending: key.isDescending, nullsFirst: key.nullsFirst };
    const column = key.item === undefined ? undefined : columns[key.item];
    if (column !== undefined) return { column, ...order };
    if (!clauses.isDistinct)
      return { column: materialize(resolution, key.expression, "sort_key", extra, isLocal, new Set()), ...order };
    const pairs = work.items.map((item, i) => ({
      expression: item.expression,
      column: columns[i] ?? resolution.newColumn("", item.expression.type),
    }));
    const expression = mapExpr(
      key.expression,
      aboveKeys(
        resolution,
        pairs,
        work.local,
        (name) => `ORDER BY clause expression references column ${name} which is not visible after SELECT DISTINCT`,
      ),
    );
    return { column: materialize(resolution, expression, "sort_key", extra, () => false, new Set()), ...order };
  });
  let scan = project(work.scan, computed);
  const value = clauses.as === undefined ? undefined : valueColumn(work, clauses, outputs);
  if (value !== undefined) {
    scan = project(scan, value.computed);
    outputs = [{ column: value.column, isValue: true }];
  }
  if (clauses.isDistinct) {
    const before = outputs;
    for (const { column } of before) {
      if (!isGroupable(column.type))
        resolution.report(
          "type_mismatch",
          `Column ${column.name} of type ${typeName(column.type)} cannot be used in SELECT DISTINCT`,
          clauses.span,
        );
    }
    const pairs = before.map(({ column }) => ({
      column: resolution.newColumn(column.name, column.type),
      input: column,
    }));
    for (const { column, input } of pairs)
      if (resolution.lenientColumns.has(input.id)) resolution.lenientColumns.add(column.id);
    scan = { kind: "Distinct", input: scan, columns: pairs };
    outputs = before.map((output, i) => ({ ...output, column: pairs[i]?.column ?? output.column }));
    const renamed = new Map(pairs.map((pair) => [pair.input.id, pair.column]));
    const replace: Replace = (expression) => {
      const target = expression.kind === "Column" ? renamed.get(expression.column.id) : undefined;
      return target === undefined ? undefined : columnExpr(target, expression.span);
    };
    keys = keys.map((key) => ({ ...key, column: renamed.get(key.column.id) ?? key.column }));
    scan = project(
      scan,
      extra.map((item) => ({ ...item, expression: mapExpr(item.expression, replace) })),
    );
  } else scan = project(scan, extra);
  const inherits =
    !isAggregated && !clauses.isDistinct && clauses.orderBy === undefined && work.source.order !== undefined;
  const order = clauses.orderBy !== undefined ? { keys, isInherited: false } : inherits ? work.source.order : undefined;
  return {
    scan,
    columns: outputs,
    ...recursiveOf(work.source),
    ...(order === undefined ? {} : { order }),
  };
}

/** SELECT AS STRUCT and AS VALUE make one value of the list. */
function valueColumn(
  work: Work,
  clauses: SelectClauses,
  outputs: readonly NamedColumn[],
): { readonly column: Column; readonly computed: readonly ComputedColumn[] } | undefined {
  const { resolution } = work.environment;
  if (clauses.as === "VALUE") {
    const [only] = outputs;
    if (only !== undefined && outputs.length === 1) return { column: only.column, computed: [] };
    resolution.report("invalid_query", "SELECT AS VALUE query must have exactly one column", clauses.span);
    return undefined;
  }
  if (clauses.as !== "STRUCT") {
    resolution.report("unsupported", "SELECT AS with a named type is not supported", clauses.span);
    return undefined;
  }
  const expression = makeStruct(
    outputs.map(({ name, column }) => ({ name, value: columnExpr(column, clauses.span) })),
    clauses.span,
  );
  const column = resolution.newColumn("value", expression.type);
  return { column, computed: [{ column, expression }] };
}
