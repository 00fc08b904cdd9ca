import type { Expression, GroupBy, SortOrder } from "../../ast.ts";
import type { Expr } from "../../resolved.ts";
import { keyTypeName } from "../call/coerce.ts";
import { isKeyType } from "../call/collation.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { inferredName } from "../expression/constructor.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { accessField } from "../expression/field.ts";
import { isSameExpr } from "../expression/same-expression.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { combineSets, expandEntries, type PositionSet } from "./grouping-sets.ts";
import type { Item } from "./select-list.ts";

/** An expression of GROUP BY, before the output columns of the aggregation exist. */
export interface GroupKey {
  readonly expression: Expr;
  readonly name: string | undefined;
  readonly order: SortOrder | undefined;
}

export interface Grouping {
  readonly keys: readonly GroupKey[];
  /** Positions in `keys`; absent for plain GROUP BY. */
  readonly sets?: readonly PositionSet[];
  /** Beside sets: the positions of keys that are items of the select list, by the items' expressions. */
  readonly items?: ReadonlyMap<Expr, number>;
}

/**
 * Resolves GROUP BY. Positions and aliases mean items of the select list; `usesAggregates` reports an expression
 * that it holds one.
 */
export function resolveGroupBy(
  context: ExprContext,
  node: GroupBy,
  items: readonly Item[],
  usesAggregates: (expression: Expr) => boolean,
): Grouping {
  if (node.isAll) return { keys: groupByAll(items, usesAggregates) };
  const keys = new KeyList();
  const names = itemsByName(items);
  const resolve = (expression: Expression) => resolveKey(context, expression, items, names, usesAggregates);
  const parts = node.items.map((item) => positionsOf(context.resolution, item, keys, resolve));
  const hasSets = node.items.some(({ kind }) => kind === "Rollup" || kind === "Cube" || kind === "GroupingSets");
  if (!hasSets) return { keys: keys.all };
  const chosen = items.flatMap(({ expression }) => {
    const position = keys.positions.get(expression);
    return position === undefined ? [] : [[expression, position] as const];
  });
  return { keys: keys.all, sets: combineSets(context.resolution, parts, node.span), items: new Map(chosen) };
}

/** GROUP BY ALL: by every item that is neither an aggregate nor a literal. */
function groupByAll(items: readonly Item[], usesAggregates: (expression: Expr) => boolean): readonly GroupKey[] {
  const keys = new KeyList();
  for (const { name, expression } of items) {
    if (usesAggregates(expression) || (expression.kind === "Literal" && !isErrorExpr(expression))) continue;
    keys.add({ name, expression, order: undefined });
  }
  return keys.all;
}

/** The sets of keys that an item of GROUP BY groups by; its keys are put among the others. */
function positionsOf(
  resolution: Resolution,
  item: GroupBy["items"][number],
  keys: KeyList,
  resolve: (expression: Expression) => GroupKey,
): readonly PositionSet[] {
  const add = (expression: Expression) => keys.add(resolve(expression));
  const addAll = (entries: readonly (readonly Expression[])[]) => entries.map((entry) => entry.map(add));
  switch (item.kind) {
    case "GroupingExpression": {
      const key = resolve(item.expression);
      const name = item.alias?.name ?? key.name;
      return [[keys.add({ name, expression: key.expression, order: item.order })]];
    }
    case "Rollup":
    case "Cube":
      return expandEntries(resolution, item.kind, addAll(item.entries), item.span);
    case "GroupingSets":
      return item.sets.flatMap((set) => {
        if (set.kind === "Set") return [set.expressions.map(add)];
        return expandEntries(resolution, set.kind, addAll(set.entries), item.span);
      });
    case "EmptyGroupingSet":
      return [[]];
  }
}

/** Grouping keys, each expression once. */
class KeyList {
  readonly all: GroupKey[] = [];
  /** Where each expression that was added stands, be it as an equal one. */
  readonly positions = new Map<Expr, number>();
  private readonly index = new ExpressionIndex<{ readonly expression: Expr; readonly position: number }>();

  /** The position of the key; a key that is sorted in another way than a known one stands for itself. */
  add(key: GroupKey): number {
    const known = isErrorExpr(key.expression) ? undefined : this.index.find(key.expression);
    const isKnown = known !== undefined && (key.order === undefined || this.all[known.position]?.order !== undefined);
    const position = isKnown ? known.position : this.all.push(key) - 1;
    this.positions.set(key.expression, position);
    if (!isKnown) this.index.add({ expression: key.expression, position });
    return position;
  }
}

function itemsByName(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const names = new Map<string, Item[]>();
  for (const item of items) {
    const key = item.name?.toLowerCase();
    if (key === undefined) continue;
    const list = names.get(key);
    if (list === undefined) names.set(key, [item]);
    else list.push(item);
  }
  return names;
}

function resolveKey(
  context: ExprContext,
  node: Expression,
  items: readonly Item[],
  names: ReadonlyMap<string, readonly Item[]>,
  usesAggregates: (expression: Expr) => boolean,
): GroupKey {
  const { resolution } = context;
  const key = findKey(context, node, items, names);
  const { expression } = key;
  if (isErrorExpr(expression)) return key;
  if (usesAggregates(expression)) {
    return failedKey(
      resolution.fail(
        "invalid_query",
        "GROUP BY cannot use a column of the SELECT list that contains an aggregate or window function",
        node.span,
      ),
    );
  }
  if (!isKeyType(expression.type)) {
    return failedKey(
      resolution.fail(
        "type_mismatch",
        `Grouping by expressions of type ${keyTypeName(expression.type)} is not allowed`,
        node.span,
      ),
    );
  }
  return key;
}

function failedKey(expression: Expr): GroupKey {
  return { name: undefined, expression, order: undefined };
}

function findKey(
  context: ExprContext,
  node: Expression,
  items: readonly Item[],
  names: ReadonlyMap<string, readonly Item[]>,
): GroupKey {
  const { resolution } = context;
  if (node.kind === "IntLiteral") {
    const item = items[Number(node.text) - 1];
    if (item !== undefined) return { name: item.name, expression: item.expression, order: undefined };
    return failedKey(
      resolution.fail("invalid_query", `GROUP BY is out of SELECT column number range: ${node.text}`, node.span),
    );
  }
  if (["StringLiteral", "BytesLiteral", "FloatLiteral", "BoolLiteral", "NullLiteral"].includes(node.kind)) {
    return failedKey(resolution.fail("invalid_query", "Cannot GROUP BY literal values", node.span));
  }
  const name = inferredName(node);
  const path = asPath(node);
  const [first, ...rest] = path ?? [];
  if (first !== undefined) {
    const found = names.get(first.name.toLowerCase()) ?? [];
    const [item] = found;
    if (item !== undefined) {
      if (found.some((other) => !isSameExpr(other.expression, item.expression))) {
        return failedKey(
          resolution.fail(
            "ambiguous_name",
            `Name ${first.name} in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list`,
            first.span,
            { name: first.name },
          ),
        );
      }
      if (rest.length === 0) return { name, expression: item.expression, order: undefined };
      if (item.expression.type.kind === "STRUCT") {
        return {
          expression: rest.reduce<Expr>((base, field) => accessField(resolution, base, field), item.expression),
          name,
          order: undefined,
        };
      }
    }
  }
  return { name, expression: resolveExpression(context, node), order: undefined };
}

function asPath(node: Expression): readonly (Expression & { readonly kind: "Identifier" })[] | undefined {
  const parts: (Expression & { readonly kind: "Identifier" })[] = [];
  let current: Expression = node;
  while (current.kind === "FieldAccess") {
    parts.unshift(current.field);
    current = current.base;
  }
  return current.kind === "Identifier" ? [current, ...parts] : undefined;
}
