import type { PipeOperator, SortOrder } from "../../ast.ts";
import type { Column, ComputedColumn, OrderKey, Scan } from "../../resolved.ts";
import { nullsFirst } from "../call/aggregate.ts";
import { columnOf } from "../call/coerce.ts";
import { groupCollated } from "../call/collation.ts";
import { ColumnSet } from "../column-set.ts";
import {
  blockContext,
  createQueryBlock,
  type Environment,
  type ExprContext,
  inClause,
  plainRelation,
  type Relation,
} from "../context.ts";
import { materialize, project } from "../relation.ts";
import { namedColumn, scopeOf } from "../scope.ts";
import { aboveKeys } from "../select/above-keys.ts";
import { type Grouping, resolveGroupBy } from "../select/group-by.ts";
import { type Item, resolveSelectList } from "../select/select-list.ts";
import { computeStars } from "../select/star-values.ts";
import { mapExpr } from "../transform.ts";

type PipeAggregate = PipeOperator & { readonly kind: "PipeAggregate" };
type SortedItem = Item & { readonly order?: SortOrder };

/** A column of the output, and how the rows are sorted by it. */
interface OutputColumn {
  readonly name: string | undefined;
  readonly column: Column;
  readonly order: SortOrder | undefined;
}

/** AGGREGATE: the output is the grouping columns, then the aggregates. */
export function resolvePipeAggregate(environment: Environment, relation: Relation, pipe: PipeAggregate): Relation {
  const { resolution } = environment;
  const block = createQueryBlock(resolution);
  const scope = scopeOf(relation.names, environment.outer);
  const context = blockContext(environment, scope, block, "pipe AGGREGATE", "aggregates");
  const { items, computed: stars } = computeStars(resolution, resolveItems(context, relation, pipe));
  const below = inClause(context, "GROUP BY clause", "nothing");
  const grouping: Grouping =
    pipe.groupBy === undefined ? { keys: [] } : resolveGroupBy(below, pipe.groupBy, [], () => false);
  const keys = grouping.keys.map((key) => {
    return { column: columnOf(resolution, key.name ?? "key", key.expression), expression: key.expression, key };
  });
  const { groupBy, spellings } = groupCollated(resolution, keys, grouping.sets);
  const grouped: Scan = {
    kind: "Aggregate",
    input: relation.scan,
    groupBy: groupBy.map(({ column, expression }) => ({ column, expression })),
    aggregates: [...block.aggregates, ...spellings],
    ...(grouping.sets === undefined
      ? {}
      : { groupingSets: grouping.sets.map((set) => set.flatMap((i) => groupBy[i]?.column ?? [])) }),
  };
  const replace = aboveKeys(
    resolution,
    keys,
    relation.names,
    (name) => `Pipe AGGREGATE expression references column ${name} which is neither grouped nor aggregated`,
    grouping.sets === undefined ? undefined : new Map(),
  );
  const ofAggregates = new Set(block.aggregates.map((item) => item.column.id));
  const computed: ComputedColumn[] = [];
  const taken = new ColumnSet();
  const keyOrder = pipe.groupBy?.isAlsoOrder === true ? { isDescending: false } : undefined;
  const outputs: readonly OutputColumn[] = [
    ...keys.map(({ column, key }) => ({ name: key.name, column, order: key.order ?? keyOrder })),
    ...items.map(({ name, expression, order }, i) => {
      const isLocal = ({ id }: Column) => ofAggregates.has(id);
      const value = mapExpr(expression, replace);
      return { name, column: materialize(resolution, value, name ?? `f${i}`, computed, isLocal, taken), order };
    }),
  ];
  const ofGroups = stars.map(({ column, expression }) => ({ column, expression: mapExpr(expression, replace) }));
  return sortedBy(project(project(grouped, ofGroups), computed), outputs);
}

function resolveItems(context: ExprContext, { names }: Relation, { items }: PipeAggregate): readonly SortedItem[] {
  return items.flatMap((item) => {
    const resolved = resolveSelectList(context, [item], names);
    return resolved.map((one) => (item.order === undefined ? one : { ...one, order: item.order }));
  });
}

/** Rows of these columns, in the order that the columns say, where one does. */
function sortedBy(scan: Scan, outputs: readonly OutputColumn[]): Relation {
  const columns = outputs.map(({ name, column }) => namedColumn(name, column));
  const keys = outputs.flatMap(({ column, order }): OrderKey[] =>
    order === undefined ? [] : [{ column, isDescending: order.isDescending, nullsFirst: nullsFirst(order) }],
  );
  const result = plainRelation(scan, { columns, ranges: [] });
  return keys.length === 0 ? result : { ...result, order: { keys, isInherited: false } };
}
