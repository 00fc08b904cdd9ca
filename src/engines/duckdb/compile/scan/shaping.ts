/** Deciding when a SELECT can hold another clause, and printing a clause's expressions in it. */
import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr } from "../../../../googlesql/resolved.ts";
import { columnExpr } from "../../../../googlesql/resolver/expression/expr.ts";
import { EMPTY, type Sql } from "../../sql/sql.ts";
import type { Compilation, Scope, SelectBuilder } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { cheapBinding } from "../scope.ts";
import { scopeOf, wrapSelect } from "../select-builder.ts";

/** True when the expression reads a column that the SELECT computes and that is read elsewhere too. */
function readsShared(compilation: Compilation, expression: AnyExpr, shared: ReadonlySet<number>): boolean {
  const isShared = (at: AnyExpr) =>
    (at.kind === "Column" && shared.has(at.column.id)) ||
    ((at.kind === "Subquery" || at.kind === "InSubquery") && compilation.analysis.isCorrelated(at));
  return someExpression(expression, isShared, false);
}

type Typed = Pick<Expr, "type" | "span">;

/** Selects what is printed in a sub-select, and answers the columns that stand for it around it. */
export function selectTexts<const T extends readonly Typed[]>(
  from: SelectBuilder,
  types: T,
  print: (scope: Scope) => readonly Sql[],
): { readonly builder: SelectBuilder; readonly columns: { readonly [Index in keyof T]: Expr } } {
  const { builder, texts } = printInSelect(from, print);
  const columns = types.map(({ type, span }, index) => {
    const column = from.compilation.analysis.newColumn("hidden", type);
    builder.bindings.set(column.id, cheapBinding(texts[index] ?? EMPTY));
    return columnExpr(column, span);
  });
  return { builder: wrapSelect(builder), columns: columns as { readonly [Index in keyof T]: Expr } };
}

/** Selects the expressions in a sub-select, if there are any. `own` answers what stands for one of them around it. */
export function selectFirst(
  from: SelectBuilder,
  expressions: readonly Expr[],
): { readonly builder: SelectBuilder; readonly own: (expression: Expr) => Expr } {
  if (expressions.length === 0) return { builder: from, own: (expression) => expression };
  const { builder, columns } = selectTexts(from, expressions, (scope) =>
    expressions.map((expression) => printExpression(expression, scope)),
  );
  const byExpression = new Map(expressions.map((expression, index) => [expression, columns[index] ?? expression]));
  return { builder, own: (expression) => byExpression.get(expression) ?? expression };
}

/**
 * The SELECT, or one around it, in which the expressions can be printed without computing anything twice: a column
 * that is computed in the SELECT and read several times is selected first.
 */
export function separateShared(builder: SelectBuilder, expressions: readonly AnyExpr[]): SelectBuilder {
  const shared = new Set<number>();
  for (const [id, uses] of builder.computed) if (uses > 1) shared.add(id);
  if (shared.size === 0) return builder;
  const reads = expressions.some((expression) => readsShared(builder.compilation, expression, shared));
  return reads ? wrapSelect(builder) : builder;
}

/**
 * Are columns of so many queries read that a lambda, or TRY, cannot be bound? In a SELECT without FROM one outer query
 * is as good as its own.
 */
function readsTooMany(builder: SelectBuilder, levels: number): boolean {
  const outerLevels = levels & ~1;
  return builder.from === undefined ? (levels & (levels - 1)) !== 0 : outerLevels !== 0;
}

/**
 * Prints expressions in the SELECT. DuckDB binds a lambda to one query only, its own where it reads none: where one
 * reads columns of an outer query, these are selected in a sub-select first.
 */
export function printInSelect(
  builder: SelectBuilder,
  print: (scope: Scope, builder: SelectBuilder) => readonly Sql[],
): { readonly builder: SelectBuilder; readonly texts: readonly Sql[] } {
  const { compilation } = builder;
  if (builder.outer === undefined) return { builder, texts: print(scopeOf(builder), builder) };
  const before = compilation.levelsRead;
  compilation.levelsRead = 0;
  const texts = print(scopeOf(builder), builder);
  const levels = compilation.levelsRead;
  compilation.levelsRead = before;
  if (!readsTooMany(builder, levels) || !texts.some((text) => text.readsOneQuery)) return { builder, texts };
  const outside = wrapSelect(builder);
  outside.importsOuter = true;
  return { builder: outside, texts: print(scopeOf(outside), outside) };
}
