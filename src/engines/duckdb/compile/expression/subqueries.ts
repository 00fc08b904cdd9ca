/** Printing sub-queries inside expressions. */

import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { Expr, InSubqueryExpr, SubqueryExpr } from "../../../../googlesql/resolved.ts";
import { arrayOf } from "../../../../googlesql/types.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { isRandomCall } from "../../../lowering/parts.ts";
import { type SelectItem, selectColumn } from "../../../sql/select.ts";
import { isComposite, isInArray } from "../../functions/comparisons.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { likeArray } from "../../functions/operators.ts";
import { sortKey } from "../../functions/sort-key.ts";
import { FALSE, TRUE } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import type { Compilation } from "../compilation.ts";
import { renderSelect, type SelectBuilder } from "../render.ts";
import type { Scope } from "../scope.ts";
import { orderNaturally, selectable, wrapSelect } from "../select-builder.ts";
import { isNeverNaN } from "./traits.ts";

function renderArray(builder: SelectBuilder, item: SelectItem): Sql {
  orderNaturally(builder);
  return sql`ARRAY(${renderSelect(builder, [item])})`;
}

/** ARRAY(...) sorts by its item only if that is a column: a computed item gets a SELECT of its own first. */
function sortedByColumns(compilation: Compilation, builder: SelectBuilder): SelectBuilder {
  const isPlain = !builder.isDistinct && !builder.order.some(({ id }) => builder.computed.has(id));
  if (isPlain || builder.order.length === 0) return builder;
  const outside = wrapSelect(compilation, builder);
  outside.order = builder.order.map((key) => ({ ...key, binding: findColumn(outside, key.id) ?? key.binding }));
  if (builder.limit === undefined) builder.order = [];
  return outside;
}

/** A scope that a sub-query reads nothing of is ignored: it is then printed like a query of its own. */
function outerScope(compilation: Compilation, expression: object, scope: Scope): Scope | undefined {
  return compilation.analysis.isCorrelated(expression) ? scope : undefined;
}

/** Prints the content of a sub-query, as part of a correlated one if it is one. */
function within(compilation: Compilation, outer: Scope | undefined, print: () => Sql): Sql {
  if (outer === undefined) return print();
  compilation.correlationDepth++;
  const printed = print();
  compilation.correlationDepth--;
  return printed;
}

export function printSubquery(compilation: Compilation, expression: SubqueryExpr, scope: Scope): Sql {
  const outer = outerScope(compilation, expression, scope);
  return within(compilation, outer, () => printSelect(compilation, expression, outer));
}

function printSelect(compilation: Compilation, expression: SubqueryExpr, outer: Scope | undefined): Sql {
  const built = compilation.buildScan(compilation, expression.scan, outer);
  const { mode, output } = expression;
  if (output === undefined) return sql`EXISTS (${renderSelect(selectable(compilation, built, []), [])})`;
  const builder = selectable(compilation, built, [output]);
  if (mode === "SCALAR") return sql`(${renderSelect(builder, [selectColumn(compilation, builder, output)])})`;
  const sorted = sortedByColumns(compilation, builder);
  return renderArray(sorted, selectColumn(compilation, sorted, output));
}

/**
 * The value of a sub-query without FROM: as an expression it is computed where it stands, and not in a branch that is
 * not taken. What is random stays a query, which is computed once.
 */
export function loneValue({ mode, scan, output }: SubqueryExpr): Expr | undefined {
  if (mode !== "SCALAR" || scan.kind !== "Project" || scan.input.kind !== "SingleRow") return undefined;
  const value = scan.computed.find(({ column }) => column.id === output?.id)?.expression;
  return value !== undefined && someExpression(value, isRandomCall, true) ? undefined : value;
}

/** A DOUBLE as a value for which NaN of one side equals none of the other; DuckDB takes two NaNs for equal. */
function markNaN(value: Sql, mark: Sql): Sql {
  return computeOnce([value], "number", (x) => {
    return sql`CASE WHEN ${x} IS NOT NULL THEN struct_pack(x := ${x}, nan := isnan(${x}) AND ${mark}) END`;
  });
}

export function printInSubquery(compilation: Compilation, expression: InSubqueryExpr, operand: Sql, scope: Scope): Sql {
  const outer = outerScope(compilation, expression, scope);
  return within(compilation, outer, () => printMembership(compilation, expression, operand, scope, outer));
}

function printMembership(
  compilation: Compilation,
  expression: InSubqueryExpr,
  operand: Sql,
  scope: Scope,
  outer: Scope | undefined,
): Sql {
  const builder = compilation.buildScan(compilation, expression.scan, outer);
  const item = selectColumn(compilation, builder, expression.output);
  if (expression.operator === "IN") {
    const { type } = expression.output;
    if (isComposite(type)) return isInArray(operand, renderArray(builder, item), type);
    if (type.kind === "INTERVAL") {
      const lengths = renderSelect(builder, [{ ...item, sql: sortKey(type, item.sql) }]);
      return sql`(${sortKey(type, operand)} IN (${lengths}))`;
    }
    if (isNeverNaN(compilation, expression.operand, scope))
      return sql`(${operand} IN (${renderSelect(builder, [item])}))`;
    const marked = { ...item, sql: markNaN(item.sql, TRUE) };
    return sql`(${markNaN(operand, FALSE)} IN (${renderSelect(builder, [marked])}))`;
  }
  const type = arrayOf(expression.output.type);
  return likeArray(expression.operator === "LIKE_ANY", operand, renderArray(builder, item), type);
}
