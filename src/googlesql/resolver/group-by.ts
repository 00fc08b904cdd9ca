import type { Expression, GroupBy, SortOrder } from "../ast.ts";
import type { Span } from "../diagnostic.ts";
import type { Column, Expr } from "../resolved.ts";
import { isGroupable } from "../typing/same-type.ts";
import { typeName } from "./coerce.ts";
import { inferredName } from "./constructor.ts";
import { type ExprContext, resolveExpression } from "./context.ts";
import { columnExpr } from "./expr.ts";
import { accessField } from "./field.ts";
import { errorExpr, isErrorExpr, type Resolution } from "./resolution.ts";
import type { Item } from "./select-list.ts";
import { isSameExpr, type Replace } from "./transform.ts";

/** What GROUP BY groups by, before the output columns of the aggregation exist. */
export interface GroupKey {
  readonly expression: Expr;
  readonly name?: string;
  readonly order?: SortOrder;
}

export interface Grouping {
  readonly keys: readonly GroupKey[];
  /** Positions in `keys`; absent for plain GROUP BY. */
  readonly sets?: readonly (readonly number[])[];
}

/** More sets than this are refused: CUBE doubles them with every column. */
const MAX_GROUPING_SETS = 4096;

/** Resolves GROUP BY. Positions and aliases mean items of the select list; `usesAggregates` tells of an expression that it holds one. */
export function resolveGroupBy(
  context: ExprContext,
  node: GroupBy,
  items: readonly Item[],
  usesAggregates: (expression: Expr) => boolean,
): Grouping {
  const { resolution } = context;
  const keys: GroupKey[] = [];
  if (node.isAll) {
    for (const item of items) {
      if (usesAggregates(item.expression) || isErrorExpr(item.expression) || item.expression.kind === "Literal")
        continue;
      addKey(keys, { expression: item.expression, ...(item.name === undefined ? {} : { name: item.name }) });
    }
    return { keys };
  }
  const resolve = (expression: Expression): number => {
    const key = resolveKey(context, expression, items, usesAggregates);
    return addKey(keys, key);
  };
  const parts: (readonly (readonly number[])[])[] = [];
  let hasSets = false;
  for (const item of node.items) {
    switch (item.kind) {
      case "GroupingExpression": {
        const key = resolveKey(context, item.expression, items, usesAggregates);
        const name = item.alias?.name ?? key.name;
        const full = {
          ...key,
          ...(name === undefined ? {} : { name }),
          ...(item.order === undefined ? {} : { order: item.order }),
        };
        parts.push([[addKey(keys, full)]]);
        break;
      }
      case "Rollup":
      case "Cube":
        hasSets = true;
        parts.push(
          expandEntries(
            resolution,
            item.kind,
            item.entries.map((entry) => entry.map(resolve)),
            item.span,
          ),
        );
        break;
      case "GroupingSets":
        hasSets = true;
        parts.push(
          item.sets.flatMap((set) => {
            if (set.kind === "Set") return [set.expressions.map(resolve)];
            return expandEntries(
              resolution,
              set.kind,
              set.entries.map((entry) => entry.map(resolve)),
              item.span,
            );
          }),
        );
        break;
      case "EmptyGroupingSet":
        parts.push([[]]);
        break;
    }
  }
  if (!hasSets) return { keys };
  return { keys, sets: combine(resolution, parts, node.span) };
}

/** ROLLUP (a, b): (a, b), (a), (). CUBE (a, b): every subset. */
function expandEntries(
  resolution: Resolution,
  kind: "Rollup" | "Cube",
  entries: readonly (readonly number[])[],
  span: Span,
): readonly (readonly number[])[] {
  if (kind === "Rollup") return [...entries.map((_, i) => entries.slice(0, entries.length - i).flat()), []];
  if (2 ** entries.length > MAX_GROUPING_SETS) {
    resolution.report("too_complex", `CUBE makes more than ${MAX_GROUPING_SETS} grouping sets`, span);
    return [[]];
  }
  const sets: number[][] = [];
  for (let mask = 2 ** entries.length - 1; mask >= 0; mask--) {
    sets.push(entries.flatMap((entry, i) => ((mask >> (entries.length - 1 - i)) & 1 ? entry : [])));
  }
  return sets;
}

/** Several items of one GROUP BY: every set of one with every set of the others. */
function combine(
  resolution: Resolution,
  parts: readonly (readonly (readonly number[])[])[],
  span: Span,
): readonly (readonly number[])[] {
  let sets: (readonly number[])[] = [[]];
  for (const part of parts) {
    if (sets.length * part.length > MAX_GROUPING_SETS) {
      resolution.report("too_complex", `GROUP BY makes more than ${MAX_GROUPING_SETS} grouping sets`, span);
      return sets;
    }
    sets = sets.flatMap((left) => part.map((right) => [...new Set([...left, ...right])]));
  }
  return sets;
}

function addKey(keys: GroupKey[], key: GroupKey): number {
  const known = keys.findIndex((other) => isSameExpr(other.expression, key.expression) && !isErrorExpr(key.expression));
  if (known !== -1 && (key.order === undefined || keys[known]?.order !== undefined)) return known;
  return keys.push(key) - 1;
}

function resolveKey(
  context: ExprContext,
  node: Expression,
  items: readonly Item[],
  usesAggregates: (expression: Expr) => boolean,
): GroupKey {
  const { resolution } = context;
  const key = findKey(context, node, items);
  const { expression } = key;
  if (isErrorExpr(expression)) return key;
  if (usesAggregates(expression)) {
    return {
      expression: resolution.fail(
        "invalid_query",
        "GROUP BY cannot use a column of the SELECT list that contains an aggregate or window function",
        node.span,
      ),
    };
  }
  if (!isGroupable(expression.type)) {
    return {
      expression: resolution.fail(
        "type_mismatch",
        `Grouping by expressions of type ${typeName(expression.type)} is not allowed`,
        node.span,
      ),
    };
  }
  return key;
}

function findKey(context: ExprContext, node: Expression, items: readonly Item[]): GroupKey {
  const { resolution } = context;
  if (node.kind === "IntLiteral") {
    const item = items[Number(node.text) - 1];
    if (item !== undefined)
      return { expression: item.expression, ...(item.name === undefined ? {} : { name: item.name }) };
    return {
      expression: resolution.fail(
        "invalid_query",
        `GROUP BY is out of SELECT column number range: ${node.text}`,
        node.span,
      ),
    };
  }
  if (["StringLiteral", "BytesLiteral", "FloatLiteral", "BoolLiteral", "NullLiteral"].includes(node.kind)) {
    return { expression: resolution.fail("invalid_query", "Cannot GROUP BY literal values", node.span) };
  }
  const name = inferredName(node);
  const named = name === undefined ? {} : { name };
  const path = asPath(node);
  const [first, ...rest] = path ?? [];
  if (first !== undefined) {
    const wanted = first.name.toLowerCase();
    const found = items.filter((item) => item.name?.toLowerCase() === wanted);
    const [item] = found;
    if (item !== undefined) {
      if (found.some((other) => !isSameExpr(other.expression, item.expression))) {
        return {
          expression: resolution.fail(
            "ambiguous_name",
            `Name ${first.name} in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list`,
            first.span,
            { name: first.name },
          ),
        };
      }
      if (rest.length === 0) return { expression: item.expression, ...named };
      if (item.expression.type.kind === "STRUCT") {
        return {
          expression: rest.reduce<Expr>((base, field) => accessField(resolution, base, field), item.expression),
          ...named,
        };
      }
    }
  }
  return { expression: resolveExpression(context, node), ...named };
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

/**
 * Makes the rewriting of expressions above an aggregation (or a DISTINCT): what is a key reads the key's column; any other
 * column of below is reported once for each place.
 */
export function aboveKeys(
  resolution: Resolution,
  keys: readonly { readonly expression: Expr; readonly column: Column }[],
  hidden: ReadonlySet<number>,
  message: (name: string) => string,
): Replace {
  return (expression) => {
    for (const key of keys) if (isSameExpr(key.expression, expression)) return columnExpr(key.column, expression.span);
    if (expression.kind !== "Column" || !hidden.has(expression.column.id)) return undefined;
    resolution.report("invalid_query", message(expression.column.name), expression.span, {
      name: expression.column.name,
    });
    return errorExpr(expression.span);
  };
}
