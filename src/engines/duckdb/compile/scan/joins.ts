/** Building SELECTs for joins. */

import { createMapping } from "../../../../googlesql/resolved/map.ts";
import {
  type AnySubquery,
  isSubquery,
  outerSubqueries,
  reaches,
  readColumns,
  someExpression,
  someScanned,
} from "../../../../googlesql/resolved/walk.ts";
import type { AnyExpr, CallExpr, Expr, Scan } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { partsOf } from "../../../lowering/parts.ts";
import { nameSql, TRUE } from "../../sql/atoms.ts";
import { EMPTY, sql } from "../../sql/sql.ts";
import { bindConstants, type Scope, type SelectBuilder } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { conditionsOf } from "../render.ts";
import { newSelect, rowSelect, scopeOf, sealLimited, wrapSelect } from "../select-builder.ts";
import { leavesRowsOut, orderConjuncts } from "./filters.ts";
import { joinByNumbers } from "./numbered-joins.ts";
import { selectFirst } from "./shaping.ts";

type Join = Scan & { kind: "Join" };

interface SideRules {
  /** A missing row may stand in its place. */
  readonly isNullable: boolean;
  /** Its conditions may be those of the join. */
  readonly mayFilter: boolean;
  /** Columns that are read by what may fail: for no rows that the side leaves out. */
  readonly sealed: ReadonlySet<number>;
}

/** The side as something that FROM can hold. */
function joinSide(builder: SelectBuilder, { isNullable, mayFilter, sealed }: SideRules): SelectBuilder {
  const rows = sealLimited(rowSelect(builder));
  // Without LIMIT an order of a join's side has no meaning.
  rows.order = [];
  if (leavesRowsOut(rows) && [...sealed].some((id) => findColumn(rows, id) !== undefined)) {
    return wrapSelect(rows, sealed);
  }
  rows.where = [...conditionsOf(rows)];
  rows.lastWhere = [];
  const isFiltered = rows.where.length > 0 && !mayFilter;
  const isBare = rows.from !== undefined && !isFiltered && !rows.hasRandom && !(isNullable && rows.hasComputed);
  return isBare ? rows : wrapSelect(rows);
}

/** Is a column of the scopes around read by the scan? */
function readsAround(scan: Scan, around: Scope): boolean {
  const isAround = (id: number) => {
    for (let at: Scope | undefined = around; at !== undefined; at = at.parent)
      if (at.find(id) !== undefined) return true;
    return false;
  };
  return someScanned(scan, (at) => (at.kind === "Column" || at.kind === "Variable") && isAround(at.column.id));
}

/** DuckDB makes a correlated sub-query a join of its own, and knows of no way to do so through a FULL JOIN. */
function isCorrelatedFullJoin({ compilation, outer: around }: SelectBuilder, scan: Join): boolean {
  if (scan.type !== "FULL") return false;
  if (around !== undefined && readsAround(scan, around)) return true;
  return compilation.correlationDepth > 0 && reaches(scan, ({ kind }) => kind === "Recursive");
}

export function buildJoin(input: SelectBuilder, scan: Join): SelectBuilder {
  const { compilation } = input;
  const { type } = scan;
  const isInner = type === "CROSS" || type === "INNER";
  const isLateral = scan.isLateral === true;
  const { failing } = compilation;
  const bound = scan.on === undefined ? undefined : bindConstants(compilation, scan.on);
  const sealed = readColumns(conjuncts(bound).filter((each) => failing.mayFail(each)));
  const on = isAnd(bound) ? { ...bound, arguments: orderConjuncts(failing, conjuncts(bound)) } : bound;
  const left = joinSide(input, {
    isNullable: type === "RIGHT" || type === "FULL",
    mayFilter: isInner || type === "LEFT",
    sealed: isLateral && failing.computesFailing(scan.right) ? readColumns([], [scan.right]) : sealed,
  });
  const right = compilation.buildScan(newSelect(compilation, isLateral ? scopeOf(left) : left.outer), scan.right);
  const built = isLateral ? right : apartFrom(left, right);
  // A lateral side reads the left one unchanged.
  if (isLateral) return mergeSides(scan, on, { left, right: lateralSide(built) });
  const isNullable = type === "LEFT" || type === "FULL";
  const sides: Sides = { left, right: joinSide(built, { isNullable, mayFilter: isInner, sealed }) };
  if (isInner || !(asksOfBoth(on, sides) || isCorrelatedFullJoin(input, scan))) {
    return mergeSides(scan, prepareCondition(on, sides, isInner), sides);
  }
  return joinByNumbers(type, sides, conjuncts(on));
}

/** The right side, by itself where both sides hold a copy of one definition: a column's id would mean two columns. */
function apartFrom(left: SelectBuilder, right: SelectBuilder): SelectBuilder {
  const isMixed = [...right.copies].some((id) => left.copies.has(id));
  return isMixed ? wrapSelect(right) : right;
}

/** Both sides in one FROM. */
function mergeSides(scan: Join, on: Expr | undefined, { left, right }: Sides): SelectBuilder {
  const { type, isLateral } = scan;
  const leftFrom = left.from;
  const rightFrom = right.from;
  const isRightJoin = right.isJoin;

  left.where.push(...right.where);
  left.sources = [...left.sources, ...right.sources];
  for (const [id, binding] of right.bindings) left.bindings.set(id, binding);
  for (const id of right.copies) left.copies.add(id);
  left.isLimited ||= right.isLimited;
  for (const [id, uses] of right.computed) left.computed.set(id, uses);
  for (const [id, expression] of right.deferrable) left.deferrable.set(id, expression);
  left.hasComputed ||= right.hasComputed;
  left.naturalOrder = [...left.naturalOrder, ...right.naturalOrder];
  if (!left.importsOuter) left.inner = undefined;
  left.isJoin = true;
  const onText = on === undefined ? undefined : printExpression(on, scopeOf(left));
  left.from = {
    print: () => {
      const printed = rightFrom?.print() ?? EMPTY;
      const rightText = isRightJoin ? sql`(${printed})` : printed;
      const leftText = leftFrom?.print() ?? EMPTY;
      // A CROSS JOIN has no condition, and a lateral side may have none.
      if (onText === undefined && isLateral !== true) return sql`${leftText} CROSS JOIN ${rightText}`;
      return sql`${leftText} ${nameSql(type === "CROSS" ? "INNER" : type)} JOIN ${rightText} ON ${onText ?? TRUE}`;
    },
  };
  return left;
}

const isAnd = (on: Expr | undefined): on is CallExpr => on?.kind === "Call" && on.function === "$and";

const conjuncts = (on: Expr | undefined) => (on === undefined ? [] : partsOf(on, "$and"));

/** Does a sub-query of the condition read columns of both sides? */
function asksOfBoth(on: Expr | undefined, sides: Sides): boolean {
  return conjuncts(on).some(
    (part) => readsBoth(part, sides) && outerSubqueries(part).some((each) => !isMovable(each, sides)),
  );
}

const readsBoth = (part: Expr, { left, right }: Sides) => reads(part, left) && reads(part, right);

/** Can the sub-query be computed on one side, in whose rows it is a column then? */
const isMovable = (query: AnySubquery, sides: Sides) =>
  !readsBoth(query, sides) && !someExpression(query, ({ kind }) => kind === "Variable", true);

function lateralSide(builder: SelectBuilder): SelectBuilder {
  const side = wrapSelect(builder);
  const { from } = side;
  side.from = { print: () => sql`LATERAL ${from?.print() ?? EMPTY}` };
  return side;
}

type Sides = { left: SelectBuilder; right: SelectBuilder };

const reads = (expression: Expr, builder: SelectBuilder) =>
  someExpression(expression, (at) => at.kind === "Column" && findColumn(builder, at.column.id) !== undefined, true);

const holdsQuery = (expression: Expr) => someExpression(expression, isSubquery, false);

/**
 * ON as DuckDB can take it. Sub-queries in the condition of an outer join are computed on the side whose columns they
 * read; columns of the queries around are carried in by the left side, because a lambda cannot mix them with others.
 */
function prepareCondition(on: Expr | undefined, sides: Sides, isInner: boolean): Expr | undefined {
  if (on === undefined) return on;
  // What is computed on a side, perhaps by a sub-query, is computed there and not in the condition.
  for (const side of ["left", "right"] as const) {
    const { computed } = sides[side];
    const isComputed = (at: AnyExpr) => at.kind === "Column" && computed.has(at.column.id);
    if (computed.size > 0 && someExpression(on, isComputed, true)) sides[side] = wrapSelect(sides[side]);
  }
  const prepared = isInner || !holdsQuery(on) ? on : computeQueries(on, sides);
  // Last: what has been put around a side since would not carry them.
  const isOuter = (at: AnyExpr) =>
    at.kind === "Column" &&
    findColumn(sides.left, at.column.id) === undefined &&
    findColumn(sides.right, at.column.id) === undefined;
  if (someExpression(prepared, isOuter, false)) {
    sides.left = wrapSelect(sides.left);
    sides.left.importsOuter = true;
  }
  return prepared;
}

/** The condition with columns of the sides in place of its sub-queries. */
function computeQueries(on: Expr, sides: Sides): Expr {
  const prepared = conjuncts(on).map((part) => {
    if (!holdsQuery(part)) return part;
    if (!readsBoth(part, sides)) return computeOnSide(part, sides);
    const expression = (at: Expr) => (isSubquery(at) ? computeOnSide(at, sides) : undefined);
    return createMapping({ expression }).expression(part);
  });
  return isAnd(on) ? { ...on, arguments: prepared } : (prepared[0] ?? on);
}

function computeOnSide(part: Expr, sides: Sides): Expr {
  const side = reads(part, sides.right) ? "right" : "left";
  const { builder, own } = selectFirst(sides[side], [part]);
  sides[side] = builder;
  return own(part);
}
