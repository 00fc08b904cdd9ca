/** Deciding when a block can hold another clause, and printing a clause's expressions in it. */
import type { Span } from "../../../../googlesql/diagnostic.ts";
import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { AnyExpr, ColumnExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { EMPTY, type Sql } from "../../sql/sql.ts";
import { scopeOf, wrapBlock } from "../block.ts";
import type { Compilation } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import type { Block } from "../render.ts";
import { cheapBinding, type Scope } from "../scope.ts";

/** True when the expression reads a column that the block computes and that is read elsewhere too. */
function readsShared(compilation: Compilation, expression: AnyExpr, shared: ReadonlySet<number>): boolean {
  const isShared = (at: AnyExpr) =>
    (at.kind === "Column" && shared.has(at.column.id)) ||
    ((at.kind === "Subquery" || at.kind === "InSubquery") && compilation.analysis.isCorrelated(at));
  return someExpression(expression, isShared, false);
}

/** The conditions that this word joins; the condition itself where it joins none. */
export function partsOf(condition: Expr, word: "$and" | "$or"): readonly Expr[] {
  const isJoined = condition.kind === "Call" && condition.function === word;
  return isJoined ? condition.arguments.filter((argument) => argument !== undefined) : [condition];
}

/** A column that no query names. */
export function newHiddenColumn({ analysis }: Compilation, type: SqlType, span: Span): ColumnExpr {
  return { kind: "Column", column: analysis.newColumn("hidden", type), type, span };
}

/** Selects the expressions in a sub-select, and answers the columns that stand for them around it. */
export function selectFirst(
  compilation: Compilation,
  block: Block,
  expressions: readonly Expr[],
): { readonly block: Block; readonly columns: readonly ColumnExpr[] } {
  const { block: rows, texts } = printInBlock(compilation, block, (scope) =>
    expressions.map((expression) => printExpression(compilation, expression, scope)),
  );
  const columns = expressions.map(({ type, span }, index): ColumnExpr => {
    const column = newHiddenColumn(compilation, type, span);
    rows.bindings.set(column.column.id, cheapBinding(texts[index] ?? EMPTY));
    return column;
  });
  return { block: wrapBlock(compilation, rows), columns };
}

/**
 * The block, or one around it, in which the expressions can be printed without computing anything twice: a column
 * that is computed in the block and read several times is selected first.
 */
export function separateShared(compilation: Compilation, block: Block, expressions: readonly AnyExpr[]): Block {
  const shared = new Set<number>();
  for (const [id, uses] of block.computed) if (uses > 1) shared.add(id);
  if (shared.size === 0) return block;
  const reads = expressions.some((expression) => readsShared(compilation, expression, shared));
  return reads ? wrapBlock(compilation, block) : block;
}

/**
 * Are columns of so many queries read that a lambda, or TRY, cannot be bound? In a block without FROM one outer query
 * is as good as its own.
 */
function readsTooMany(block: Block, levels: number): boolean {
  const outerLevels = levels & ~1;
  return block.from === undefined ? (levels & (levels - 1)) !== 0 : outerLevels !== 0;
}

/**
 * Prints expressions in the block. DuckDB binds a lambda to one query only, its own where it reads none: where one
 * reads columns of an outer query, these are selected in a sub-select first.
 */
export function printInBlock(
  compilation: Compilation,
  block: Block,
  print: (scope: Scope, block: Block) => readonly Sql[],
): { readonly block: Block; readonly texts: readonly Sql[] } {
  if (block.outer === undefined) return { block, texts: print(scopeOf(compilation, block), block) };
  const before = compilation.levelsRead;
  compilation.levelsRead = 0;
  const texts = print(scopeOf(compilation, block), block);
  const levels = compilation.levelsRead;
  compilation.levelsRead = before;
  if (!readsTooMany(block, levels) || !texts.some((text) => text.readsOneQuery)) return { block, texts };
  const outside = wrapBlock(compilation, block);
  outside.importsOuter = true;
  return { block: outside, texts: print(scopeOf(compilation, outside), outside) };
}
