/** Printing sub-queries inside expressions. */

import type { AnySubquery } from "../../../../googlesql/resolved/walk.ts";
import type { InSubqueryExpr, SubqueryExpr } from "../../../../googlesql/resolved.ts";
import { arrayOf } from "../../../../googlesql/types.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { type SelectItem, selectColumn } from "../../../sql/select.ts";
import { isComposite, isInArray } from "../../functions/comparisons.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { likeArray } from "../../functions/operators.ts";
import { sortKey } from "../../functions/sort-key.ts";
import { FALSE, TRUE } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import type { Scope, SelectBuilder } from "../compilation.ts";
import { renderSelect } from "../render.ts";
import { newSelect, orderNaturally, selectable, wrapSelect } from "../select-builder.ts";
import { isNeverNaN } from "./traits.ts";

function renderArray(builder: SelectBuilder, item: SelectItem): Sql {
  orderNaturally(builder);
  return sql`ARRAY(${renderSelect(builder, [item])})`;
}

/** ARRAY(...) sorts by its item only if that is a column: a computed item gets a SELECT of its own first. */
function sortedByColumns(builder: SelectBuilder): SelectBuilder {
  const isPlain = !builder.isDistinct && !builder.order.some(({ id }) => builder.computed.has(id));
  if (isPlain || builder.order.length === 0) return builder;
  const outside = wrapSelect(builder);
  outside.order = builder.order.map((key) => ({ ...key, binding: findColumn(outside, key.id) ?? key.binding }));
  if (builder.limit === undefined) builder.order = [];
  return outside;
}

/** Prints a sub-query by its SELECT. A scope that it reads nothing of is ignored: it is then a query of its own. */
function printWithin(expression: AnySubquery, scope: Scope, print: (builder: SelectBuilder) => Sql): Sql {
  const { compilation } = scope;
  const outer = compilation.analysis.isCorrelated(expression) ? scope : undefined;
  if (outer !== undefined) compilation.correlationDepth++;
  const printed = print(compilation.buildScan(newSelect(compilation, outer), expression.scan));
  if (outer !== undefined) compilation.correlationDepth--;
  return printed;
}

export function printSubquery(expression: SubqueryExpr, scope: Scope): Sql {
  return printWithin(expression, scope, (built) => {
    const { mode, output } = expression;
    if (output === undefined) return sql`EXISTS (${renderSelect(selectable(built, []), [])})`;
    const builder = selectable(built, [output]);
    if (mode === "SCALAR") return sql`(${renderSelect(builder, [selectColumn(scope.compilation, builder, output)])})`;
    const sorted = sortedByColumns(builder);
    return renderArray(sorted, selectColumn(scope.compilation, sorted, output));
  });
}

/** A DOUBLE as a value for which NaN of one side equals none of the other; DuckDB takes two NaNs for equal. */
function markNaN(value: Sql, mark: Sql): Sql {
  return computeOnce([value], "number", (x) => {
    return sql`CASE WHEN ${x} IS NOT NULL THEN struct_pack(x := ${x}, nan := isnan(${x}) AND ${mark}) END`;
  });
}

export function printInSubquery(expression: InSubqueryExpr, operand: Sql, scope: Scope): Sql {
  return printWithin(expression, scope, (builder) => printMembership(builder, expression, operand, scope));
}

function printMembership(builder: SelectBuilder, expression: InSubqueryExpr, operand: Sql, scope: Scope): Sql {
  const item = selectColumn(scope.compilation, builder, expression.output);
  if (expression.operator === "IN") {
    const { type } = expression.output;
    if (isComposite(type)) return isInArray(operand, renderArray(builder, item), type);
    if (type.kind === "INTERVAL") {
      const lengths = renderSelect(builder, [{ ...item, sql: sortKey(type, item.sql) }]);
      return sql`(${sortKey(type, operand)} IN (${lengths}))`;
    }
    if (isNeverNaN(expression.operand, scope)) return sql`(${operand} IN (${renderSelect(builder, [item])}))`;
    const marked = { ...item, sql: markNaN(item.sql, TRUE) };
    return sql`(${markNaN(operand, FALSE)} IN (${renderSelect(builder, [marked])}))`;
  }
  const type = arrayOf(expression.output.type);
  return likeArray(expression.operator === "LIKE_ANY", operand, renderArray(builder, item), type);
}
