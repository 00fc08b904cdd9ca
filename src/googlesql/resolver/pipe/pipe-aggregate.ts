import type { PipeOperator, SortOrder } from "../../ast.ts";
import type { Column, ComputedColumn, OrderKey, Scan } from "../../resolved.ts";
import { nullsFirst } from "../call/aggregate.ts";
import { ColumnSet } from "../column-set.ts";
import { blockContext, createBlock, type Environment, inClause, plainRelation, type Relation } from "../context.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { materialize, project, reachableColumns } from "../relation.ts";
import { type NamedColumn, namedColumn, scopeOf } from "../scope.ts";
import { aboveKeys } from "../select/above-keys.ts";
import { type Grouping, resolveGroupBy } from "../select/group-by.ts";
import { type Item, resolveSelectList } from "../select/select-list.ts";
import { mapExpr } from "../transform.ts";

/** AGGREGATE: the output is the grouping columns, then the aggregates. */
export function resolvePipeAggregate(
  environment: Environment,
  relation: Relation,
  pipe: PipeOperator & { readonly kind: "PipeAggregate" },
): Relation {
  const { resolution } = environment;
  const block = createBlock([]);
  const scope = scopeOf(relation.names, environment.outer);
  const context = blockContext(environment, scope, block, "pipe AGGREGATE", "aggregates");
  const items: (Item & { readonly order?: SortOrder })[] = pipe.items.flatMap((item) => {
    const resolved = resolveSelectList(context, [item], relation.names);
    return resolved.map((one) => (item.order === undefined ? one : { ...one, order: item.order }));
  });
  const below = inClause(context, "GROUP BY clause", "nothing");
  const grouping: Grouping =
    pipe.groupBy === undefined ? { keys: [] } : resolveGroupBy(below, pipe.groupBy, [], () => false);
  const keys = grouping.keys.map((key) => {
    const column = resolution.newColumn(key.name ?? "key", key.expression.type);
    if (key.expression.kind === "RecordField") resolution.lenientColumns.add(column.id);
    return { column, expression: key.expression, key };
  });
  let scan: Scan = {
    kind: "Aggregate",
    input: relation.scan,
    groupBy: keys.map(({ column, expression }) => ({ column, expression })),
    aggregates: block.aggregates,
    ...(grouping.sets === undefined
      ? {}
      : { groupingSets: grouping.sets.map((set) => set.flatMap((i) => keys[i]?.column ?? [])) }),
  };
  const replace = aboveKeys(
    resolution,
    new ExpressionIndex(keys),
    reachableColumns(relation.names),
    (name) => `Pipe AGGREGATE expression references column ${name} which is neither grouped nor aggregated`,
  );
  const local = new Set(block.aggregates.map((item) => item.column.id));
  const isLocal = (column: Column): boolean => local.has(column.id);
  const computed: ComputedColumn[] = [];
  const taken = new ColumnSet();
  const order: { readonly column: Column; readonly order: SortOrder | undefined }[] = [];
  const columns: NamedColumn[] = keys.map(({ column, key }) => {
    order.push({
      column,
      order: key.order ?? (pipe.groupBy?.isAlsoOrder === true ? { isDescending: false } : undefined),
    });
    return namedColumn(key.name, column);
  });
  for (const [i, item] of items.entries()) {
    const column = materialize(
      resolution,
      mapExpr(item.expression, replace),
      item.name ?? `f${i}`,
      computed,
      isLocal,
      taken,
    );
    columns.push(namedColumn(item.name, column));
    order.push({ column, order: item.order });
  }
  scan = project(scan, computed);
  const ordered = order.flatMap(({ column, order: sort }): OrderKey[] =>
    sort === undefined ? [] : [{ column, isDescending: sort.isDescending, nullsFirst: nullsFirst(sort) }],
  );
  const result = plainRelation(scan, { columns, ranges: [] });
  return ordered.length === 0 ? result : { ...result, order: { keys: ordered, isInherited: false } };
}
