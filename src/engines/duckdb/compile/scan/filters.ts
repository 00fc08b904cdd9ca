/**
 * WHERE. DuckDB moves a condition through joins, sub-selects and other conditions to where its columns come from, and
 * then computes it for rows that those leave out. One that may fail must not be: over one table it holds the other
 * conditions too; else it stands around all that leaves rows out and reads sealed columns, on which none is moved.
 */

import { isSubquery, readColumns, someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { Expr } from "../../../../googlesql/resolved.ts";
import { type Failing, inOrder } from "../../../lowering/failing.ts";
import { partsOf } from "../../../lowering/parts.ts";
import { canStandTwice } from "../../functions/compute-once.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { bindConstants, type Scope, type SelectBuilder } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { rowSelect, sealLimited, wrapSelect } from "../select-builder.ts";
import { printInSelect, separateShared } from "./shaping.ts";

/** The rows of the SELECT for which the condition holds. */
export function buildFilter(input: SelectBuilder, predicate: Expr): SelectBuilder {
  const { compilation } = input;
  const { failing } = compilation;
  const conditions = partsOf(predicate, "$and").map((each) => bindConstants(compilation, each));
  const last = conditions.filter((each) => failing.mayFail(each));
  const others = last.length === 0 ? conditions : conditions.filter((each) => !last.includes(each));
  const single = rowSelect(input);
  const rows = single.isLimited && conditions.some(holdsQuery) ? sealLimited(single) : single;
  const left = others.length === 0 ? rows : addConditions(rows, others);
  return last.reduce((builder, condition) => addFailing(builder, condition), left);
}

function addFailing(rows: SelectBuilder, condition: Expr): SelectBuilder {
  const isShared = separateShared(rows, [condition]) !== rows;
  const isHolding = !isShared && canHold(rows) && !holdsQuery(condition);
  const around = isHolding || !leavesRowsOut(rows) ? rows : wrapSelect(rows, readColumns([condition]));
  const { builder, texts } = printInSelect(around, (scope) => [printCondition(condition, scope)]);
  builder.lastWhere.push(...texts);
  return builder;
}

/** The conjuncts of a join's condition, those that may fail only where the others hold. */
export function orderConjuncts(failing: Failing, conjuncts: readonly Expr[]): readonly Expr[] {
  const last = conjuncts.filter((each) => failing.mayFail(each));
  if (last.length === 0 || conjuncts.length === 1 || conjuncts.some(holdsQuery)) return conjuncts;
  const first = last.length < conjuncts.length ? conjuncts.filter((each) => !last.includes(each)) : last.slice(0, 1);
  const guarded = inOrder([...first, ...last.filter((each) => !first.includes(each))]);
  return guarded === undefined ? first : [...first, guarded];
}

const holdsQuery = (expression: Expr) => someExpression(expression, isSubquery, false);

/**
 * Can a condition that may fail be added which holds those of the SELECT? They leave out all rows that are left out, or
 * keep it where they are, if they read sealed columns.
 */
function canHold({ from, outer, where, lastWhere }: SelectBuilder): boolean {
  if (outer !== undefined || (from?.table === undefined && lastWhere.length === 0)) return false;
  return [where, lastWhere].every((conditions) => {
    const isHeld = conditions.slice(heldOf.get(conditions)).every(canStandTwice);
    if (isHeld) heldOf.set(conditions, conditions.length);
    return isHeld;
  });
}

/** How many of a SELECT's conditions, to which more are only added, can be held: of many, each is looked at once. */
const heldOf = new WeakMap<readonly Sql[], number>();

/** Are rows of its tables missing in the SELECT? */
export const leavesRowsOut = (builder: SelectBuilder): boolean =>
  builder.from?.table === undefined || builder.where.length > 0 || builder.lastWhere.length > 0;

function addConditions(rows: SelectBuilder, conditions: readonly Expr[]): SelectBuilder {
  const { builder, texts } = printInSelect(separateShared(rows, conditions), (scope) =>
    conditions.map((each) => printCondition(each, scope)),
  );
  builder.where.push(...(texts.length > MAX_CONDITIONS ? [shield(joinSql(texts, " AND "))] : texts));
  return builder;
}

/** DuckDB takes time quadratic in the number of conditions that its optimizer may move. */
const MAX_CONDITIONS = 500;

/** The same rows, in a form that the optimizer leaves alone. */
function shield(condition: Sql): Sql {
  return sql`CASE WHEN ${condition} THEN true ELSE false END`;
}

function printCondition(condition: Expr, scope: Scope): Sql {
  const parts = partsOf(condition, "$or");
  if (parts.length <= MAX_CONDITIONS) return printExpression(condition, scope);
  const texts = parts.map((part) => printExpression(part, scope));
  const groups: Sql[] = [];
  for (let from = 0; from < texts.length; from += MAX_CONDITIONS) {
    groups.push(shield(joinSql(texts.slice(from, from + MAX_CONDITIONS), " OR ")));
  }
  return shield(joinSql(groups, " OR "));
}
