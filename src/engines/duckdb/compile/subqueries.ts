/** Printing sub-queries inside expressions. */
import type { InSubqueryExpr, SubqueryExpr } from "../../../googlesql/resolved.ts";
import { arrayOf } from "../../../googlesql/types.ts";
import { likeArray } from "../functions/operators.ts";
import { type Block, orderNaturally, selectColumn } from "./block.ts";
import type { Compilation } from "./compilation.ts";
import { type RenderedItem, renderBlock } from "./render.ts";
import type { Scope } from "./scope.ts";

function renderArray(block: Block, item: RenderedItem): string {
  orderNaturally(block);
  return `ARRAY(${renderBlock(block, [item])})`;
}

export function printSubquery(compilation: Compilation, expression: SubqueryExpr, scope: Scope): string {
  const block = compilation.buildScan(compilation, expression.scan, scope);
  if (expression.mode === "EXISTS" || expression.output === undefined) return `EXISTS (${renderBlock(block, [])})`;
  const item = selectColumn(compilation, block, expression.output);
  return expression.mode === "ARRAY" ? renderArray(block, item) : `(${renderBlock(block, [item])})`;
}

export function printInSubquery(
  compilation: Compilation,
  expression: InSubqueryExpr,
  operand: string,
  scope: Scope,
): string {
  const block = compilation.buildScan(compilation, expression.scan, scope);
  const item = selectColumn(compilation, block, expression.output);
  if (expression.operator === "IN") return `(${operand} IN (${renderBlock(block, [item])}))`;
  const type = arrayOf(expression.output.type);
  return likeArray(expression.operator === "LIKE_ANY", operand, renderArray(block, item), type);
}
