/** Building SELECTs from scans. */

import type { Span } from "../../../../googlesql/diagnostic.ts";
import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { Expr, OrderKey, Scan } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { once } from "../../../lowering/once.ts";
import { isRandomCall } from "../../../lowering/parts.ts";
import { chainOf } from "../../../lowering/scan-chain.ts";
import { byKind } from "../../../sql/scans.ts";
import { exportAs } from "../../../sql/select.ts";
import { hasSortKey } from "../../functions/sort-key.ts";
import { bigintSql, columnOf, numberSql } from "../../sql/atoms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { fail, nextAlias, type SelectBuilder } from "../compilation.ts";
import { computedBinding, printExpression } from "../expression/expressions.ts";
import { MAX_COMPUTED_CALLS, MAX_SCAN_DEPTH } from "../limits.ts";
import { orderKeys } from "../render.ts";
import { type Binding, cheapBinding, makeBinding } from "../scope.ts";
import { openSelect, orderNaturally, rowSelect, scopeOf, wrapSelect } from "../select-builder.ts";
import { buildAggregate, buildDistinct, buildWindow } from "./aggregate-scans.ts";
import { buildCte } from "./ctes.ts";
import { buildFilter } from "./filters.ts";
import { buildJoin } from "./joins.ts";
import { buildSetOperation } from "./set-operations.ts";
import { printInSelect, separateShared } from "./shaping.ts";
import { buildTable } from "./tables.ts";
import { buildUnnest } from "./unnest.ts";

/** Builds the SELECT of a scan from one without clauses. */
export function buildScan(from: SelectBuilder, scan: Scan): SelectBuilder {
  const { compilation } = from;
  const { source, steps } = chainOf(scan);
  if (++compilation.scanDepth > MAX_SCAN_DEPTH) {
    const message = `Common table expressions and sub-queries read each other over more than ${MAX_SCAN_DEPTH} levels`;
    fail("too_complex", message, { start: 0, end: 0 });
  }
  let builder = buildStep(from, source);
  for (const step of steps) builder = buildStep(builder, step);
  compilation.scanDepth--;
  return builder;
}

/** A scan over the SELECT of its input, which has no clauses where there is none. */
const buildStep = byKind<SelectBuilder, void, SelectBuilder>({
  SingleRow: (from) => from,
  Table: buildTable,
  Cte: buildCte,
  SetOperation: buildSetOperation,
  Filter: (input, { predicate }) => buildFilter(input, predicate),
  Project: buildProject,
  Aggregate(input, scan) {
    limitCalls(scan.aggregates, "aggregates");
    return buildAggregate(input, scan);
  },
  Window(input, scan) {
    limitCalls(scan.functions, "window functions");
    return buildWindow(input, scan);
  },
  Distinct: buildDistinct,
  OrderBy: (input, { keys }) => buildOrderBy(input, keys),
  Limit: buildLimit,
  Sample: buildSample,
  Unnest: buildUnnest,
  Join: buildJoin,
});

function limitCalls(calls: readonly { readonly call: { readonly span: Span } }[], what: string): void {
  const over = calls[MAX_COMPUTED_CALLS];
  if (over === undefined) return;
  fail("too_complex", `A SELECT has more than ${MAX_COMPUTED_CALLS} ${what}`, over.call.span);
}

function buildProject(input: SelectBuilder, scan: Scan & { kind: "Project" }): SelectBuilder {
  const expressions = scan.computed.map((item) => item.expression);
  let builder = separateShared(openSelect(input), expressions);
  let texts: readonly Sql[] | undefined;
  if (builder.outer !== undefined) {
    const printed = printInSelect(builder, (scope) =>
      expressions.map((expression) => printExpression(expression, scope)),
    );
    builder = printed.builder;
    texts = printed.texts;
  }
  const scope = scopeOf(builder);
  const bindings = expressions.map((expression) => computedBinding(expression, scope));
  scan.computed.forEach(({ column, expression }, index) => {
    const binding = bindings[index];
    if (binding === undefined) return;
    const text = texts?.[index];
    builder.bindings.set(column.id, text === undefined ? binding : printedAs(binding, text));
    if (expression.kind !== "Column") builder.hasComputed = true;
    if (binding.isCheap) return;
    builder.computed.set(column.id, input.compilation.analysis.uses(column));
    builder.hasRandom ||= someExpression(expression, isRandomCall, true);
    if (text === undefined) builder.deferrable.set(column.id, expression);
  });
  return builder;
}

function printedAs({ isCheap, isNeverNaN, record, element, as }: Binding, text: Sql): Binding {
  return makeBinding(() => text, isCheap, isNeverNaN, record, element, as);
}

/** Sorts the SELECT's rows by the keys. */
export function buildOrderBy(input: SelectBuilder, keys: readonly OrderKey[]): SelectBuilder {
  const isFloat = keys.some(({ column }) => column.type.kind === "FLOAT64");
  const isKeyed = keys.some(({ column }) => hasSortKey(column.type));
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  // DISTINCT sorts by names of what it selects, and a sub-query in an expression has none.
  const needsSelect = input.isDistinct ? isFloat || isKeyed || input.outer !== undefined : input.isGrouped && isKeyed;
  const builder = isSealed || needsSelect ? wrapSelect(input) : input;
  const order: SelectBuilder["order"][number][] = [];
  for (const { column, isDescending, nullsFirst } of keys) {
    const binding = findColumn(builder, column.id);
    // A column of a query around this one is the same for all rows.
    if (binding === undefined && builder.outer !== undefined) continue;
    if (binding === undefined) throw new Error(`Column ${column.name} cannot be read by ORDER BY`);
    order.push({
      id: column.id,
      binding,
      isDescending,
      nullsFirst,
      type: column.type,
    });
  }
  builder.order = order;
  return builder;
}

/** Beyond it, the sum of LIMIT and OFFSET may be no BIGINT. No table has so many rows. */
const MOST_ROWS = 2n ** 61n;

function printRowCount(count: Expr, builder: SelectBuilder): Sql {
  const printed = printExpression(count, scopeOf(builder));
  const { integer } = printed;
  if (integer !== undefined && integer <= MOST_ROWS) return printed;
  const most = bigintSql(MOST_ROWS);
  return integer === undefined ? sql`least(${printed}, ${most})` : most;
}

function buildLimit(input: SelectBuilder, { count, offset }: Scan & { kind: "Limit" }): SelectBuilder {
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  const builder = isSealed ? wrapSelect(input) : input;
  const print = (bound: Expr | undefined) => (bound === undefined ? undefined : printRowCount(bound, builder));
  return deferComputed(limitRows(builder, print(count), print(offset)));
}

function limitRows(builder: SelectBuilder, limit: Sql | undefined, offset: Sql | undefined): SelectBuilder {
  const isKnown = [limit, offset].every((bound) => bound === undefined || bound.integer !== undefined);
  if (builder.outer !== undefined && !isKnown) return takeNumbered(builder, limit, offset);
  builder.limit = limit;
  builder.offset = offset;
  orderNaturally(builder);
  return builder;
}

/** The LIMIT of a correlated sub-query by a parameter, which DuckDB does not take: rows are numbered in their order. */
function takeNumbered(builder: SelectBuilder, limit: Sql | undefined, offset: Sql | undefined): SelectBuilder {
  const sorted = wrapSelect(builder);
  sorted.order = builder.order.map((key) => ({ ...key, binding: findColumn(sorted, key.id) ?? key.binding }));
  builder.order = [];
  orderNaturally(sorted);
  const alias = nextAlias(builder.compilation, "number_");
  const over = joinSql(orderKeys(sorted, [{ alias, sql: EMPTY }]), ", ");
  exportAs(sorted, "number", alias, () => sql`row_number() OVER (${over === EMPTY ? EMPTY : sql`ORDER BY ${over}`})`);
  sorted.order = [];
  const outside = wrapSelect(sorted);
  const number = columnOf(outside.inner?.alias ?? "", alias);
  if (offset !== undefined) outside.where.push(sql`${number} > ${offset}`);
  if (limit !== undefined) outside.where.push(sql`${number} - ${offset ?? numberSql(0)} <= ${limit}`);
  outside.order = [keyOf(number)];
  return outside;
}

/** A key of ORDER BY that is no column of the query. */
function keyOf(value: Sql): SelectBuilder["order"][number] {
  return { id: -1, binding: cheapBinding(value), type: undefined, isDescending: false, nullsFirst: true };
}

/** Computes columns that only the result needs for the rows that are left, not for all that are sorted. */
function deferComputed(builder: SelectBuilder): SelectBuilder {
  if (builder.order.length === 0 || builder.limit === undefined) return builder;
  const keys = new Set(builder.order.map((item) => item.id));
  const deferred = [...builder.deferrable].filter(([id]) => !keys.has(id));
  if (deferred.length === 0) return builder;
  const outside = wrapSelect(builder);
  const scope = scopeOf(outside);
  for (const [id, expression] of deferred) {
    // Bound late: one deferred column may read another.
    const bound = once(() => computedBinding(expression, scope));
    outside.bindings.set(
      id,
      makeBinding(() => bound().sql(), false),
    );
    outside.computed.set(id, builder.computed.get(id) ?? 1);
    outside.deferrable.set(id, expression);
  }
  outside.hasComputed = true;
  return outside;
}

/** Sizes may be parameters, which DuckDB's own TABLESAMPLE does not take. */
function buildSample(input: SelectBuilder, scan: Scan & { kind: "Sample" }): SelectBuilder {
  const builder = rowSelect(input);
  if (scan.unit === "PERCENT") {
    builder.where.push(sql`(random() * 100 < ${printExpression(scan.size, scopeOf(builder))})`);
    return builder;
  }
  builder.order = [keyOf(sql`random()`)];
  return limitRows(builder, printRowCount(scan.size, builder), undefined);
}
