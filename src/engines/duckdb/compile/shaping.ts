/** Deciding when a block can hold another clause, and printing a clause's expressions in it. */
import type { AggregateCall, Expr, WindowCall } from "../../../googlesql/resolved.ts";
import { type Block, scopeOf, wrapBlock } from "./block.ts";
import { expressionChildren } from "./children.ts";
import type { Compilation } from "./compilation.ts";
import type { Scope } from "./scope.ts";

type AnyExpr = Expr | AggregateCall | WindowCall;

/** True when the expression reads a column that the block computes and that is read elsewhere too. */
function readsShared(compilation: Compilation, expression: AnyExpr, shared: ReadonlySet<number>): boolean {
  const pending: AnyExpr[] = [expression];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.kind === "Column" && shared.has(at.column.id)) return true;
    if ((at.kind === "Subquery" || at.kind === "InSubquery") && compilation.analysis.isCorrelated(at)) return true;
    pending.push(...expressionChildren(at));
  }
  return false;
}

/**
 * The block, or one around it, in which the expressions can be printed without computing anything twice: a column
 * that is computed in the block and read several times is selected first.
 */
export function separateShared(compilation: Compilation, block: Block, expressions: readonly AnyExpr[]): Block {
  if (block.computed.size === 0) return block;
  const shared = new Set<number>();
  for (const [id, uses] of block.computed) if (uses > 1) shared.add(id);
  if (shared.size === 0) return block;
  const reads = expressions.some((expression) => readsShared(compilation, expression, shared));
  return reads ? wrapBlock(compilation, block) : block;
}

/**
 * Prints expressions in the block. DuckDB cannot bind a lambda that reads columns of several queries at once: where one
 * would, the columns of the outer queries are selected in a sub-select first.
 */
export function printInBlock(
  compilation: Compilation,
  block: Block,
  print: (scope: Scope) => readonly string[],
): { readonly block: Block; readonly texts: readonly string[] } {
  if (block.outer === undefined) return { block, texts: print(scopeOf(compilation, block)) };
  const before = compilation.levelsRead;
  compilation.levelsRead = 0;
  const texts = print(scopeOf(compilation, block));
  const levels = compilation.levelsRead;
  compilation.levelsRead = before;
  const isMixed = (levels & (levels - 1)) !== 0;
  if (!isMixed || block.from === undefined || !texts.some((text) => text.includes("lambda "))) return { block, texts };
  const outside = wrapBlock(compilation, block);
  outside.importsOuter = true;
  return { block: outside, texts: print(scopeOf(compilation, outside)) };
}
