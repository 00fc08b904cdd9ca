/** Building SELECT blocks from scans. */

import type { Span } from "../../../../googlesql/diagnostic.ts";
import type { OrderKey, Scan } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { chainOf } from "../../../lowering/scan-chain.ts";
import { hasSortKey } from "../../functions/sort-key.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { newBlock, openBlock, orderNaturally, rowBlock, scopeOf, wrapBlock } from "../block.ts";
import { type Compilation, fail } from "../compilation.ts";
import { computedBinding, printExpression } from "../expression/expressions.ts";
import { MAX_COMPUTED_CALLS, MAX_SCAN_DEPTH } from "../limits.ts";
import type { Block } from "../render.ts";
import { type Binding, cheapBinding, makeBinding, type Scope } from "../scope.ts";
import { buildAggregate, buildDistinct, buildWindow } from "./aggregate-scans.ts";
import { buildCte } from "./ctes.ts";
import { buildFilter } from "./filters.ts";
import { buildJoin } from "./joins.ts";
import { buildSetOperation } from "./set-operations.ts";
import { printInBlock, separateShared } from "./shaping.ts";
import { buildTable } from "./tables.ts";
import { buildUnnest } from "./unnest.ts";

/** Builds the block of a scan. */
export function buildScan(compilation: Compilation, scan: Scan, outer: Scope | undefined): Block {
  const { source, steps } = chainOf(scan);
  if (++compilation.scanDepth > MAX_SCAN_DEPTH) {
    const message = `Common table expressions and sub-queries read each other over more than ${MAX_SCAN_DEPTH} levels`;
    fail(compilation, "too_complex", message, { start: 0, end: 0 });
  }
  let block = buildSource(compilation, source, outer);
  for (const step of steps) block = buildStep(compilation, step, block);
  compilation.scanDepth--;
  return block;
}

/** A scan without an input. */
function buildSource(compilation: Compilation, scan: Scan, outer: Scope | undefined): Block {
  switch (scan.kind) {
    case "SingleRow":
      return newBlock(outer);
    case "Table":
      return buildTable(compilation, scan, outer);
    case "Cte":
      return buildCte(compilation, scan, outer);
    case "SetOperation":
      return buildSetOperation(compilation, scan, outer);
    case "Unnest":
      return buildUnnest(compilation, scan, newBlock(outer));
    default:
      throw new Error(`A scan of kind ${scan.kind} cannot stand here`);
  }
}

/** A scan over the block of its input. */
function buildStep(compilation: Compilation, scan: Scan, input: Block): Block {
  switch (scan.kind) {
    case "Filter":
      return buildFilter(compilation, scan.predicate, input);
    case "Project":
      return buildProject(compilation, scan, input);
    case "Aggregate":
      limitCalls(compilation, scan.aggregates, "aggregates");
      return buildAggregate(compilation, scan, input);
    case "Window":
      limitCalls(compilation, scan.functions, "window functions");
      return buildWindow(compilation, scan, input);
    case "Distinct":
      return buildDistinct(compilation, scan, input);
    case "OrderBy":
      return buildOrderBy(compilation, scan.keys, input);
    case "Limit":
      return buildLimit(compilation, scan, input);
    case "Sample":
      return buildSample(compilation, scan, input);
    case "Unnest":
      return buildUnnest(compilation, scan, input);
    case "Join":
      return buildJoin(compilation, scan, input);
    default:
      throw new Error(`A scan of kind ${scan.kind} has no input`);
  }
}

function limitCalls(
  compilation: Compilation,
  calls: readonly { readonly call: { readonly span: Span } }[],
  what: string,
): void {
  const over = calls[MAX_COMPUTED_CALLS];
  if (over === undefined) return;
  fail(compilation, "too_complex", `A SELECT has more than ${MAX_COMPUTED_CALLS} ${what}`, over.call.span);
}

function buildProject(compilation: Compilation, scan: Scan & { kind: "Project" }, input: Block): Block {
  const expressions = scan.computed.map((item) => item.expression);
  let block = separateShared(compilation, openBlock(compilation, input), expressions);
  let texts: readonly Sql[] | undefined;
  if (block.outer !== undefined) {
    const printed = printInBlock(compilation, block, (scope) =>
      expressions.map((expression) => printExpression(compilation, expression, scope)),
    );
    block = printed.block;
    texts = printed.texts;
  }
  const scope = scopeOf(compilation, block);
  const bindings = expressions.map((expression) => computedBinding(compilation, expression, scope));
  scan.computed.forEach(({ column, expression }, index) => {
    const binding = bindings[index];
    if (binding === undefined) return;
    const text = texts?.[index];
    block.bindings.set(column.id, text === undefined ? binding : printedAs(binding, text));
    if (expression.kind !== "Column") block.hasComputed = true;
    if (binding.isCheap) return;
    block.computed.set(column.id, compilation.analysis.uses(column));
    if (text === undefined) block.deferrable.set(column.id, expression);
  });
  return block;
}

function printedAs({ isCheap, isNeverNaN, record, element, as }: Binding, text: Sql): Binding {
  return makeBinding(() => text, isCheap, isNeverNaN, record, element, as);
}

/** Sorts the block's rows by the keys. */
export function buildOrderBy(compilation: Compilation, keys: readonly OrderKey[], input: Block): Block {
  const isFloat = keys.some(({ column }) => column.type.kind === "FLOAT64");
  const isKeyed = keys.some(({ column }) => hasSortKey(column.type));
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  // DISTINCT sorts by names of what it selects, and a sub-query in an expression has none.
  const needsSelect = input.isDistinct ? isFloat || isKeyed || input.outer !== undefined : input.isGrouped && isKeyed;
  const block = isSealed || needsSelect ? wrapBlock(compilation, input) : input;
  const order: Block["order"][number][] = [];
  for (const { column, isDescending, nullsFirst } of keys) {
    const binding = findColumn(block, column.id);
    // A column of a query around this one is the same for all rows.
    if (binding === undefined && block.outer !== undefined) continue;
    if (binding === undefined) throw new Error(`Column ${column.name} cannot be read by ORDER BY`);
    order.push({
      id: column.id,
      binding,
      isDescending,
      nullsFirst,
      isFloat: column.type.kind === "FLOAT64",
      keyed: hasSortKey(column.type) ? column.type : undefined,
    });
  }
  block.order = order;
  return block;
}

function buildLimit(compilation: Compilation, scan: Scan & { kind: "Limit" }, input: Block): Block {
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  const block = isSealed ? wrapBlock(compilation, input) : input;
  const scope = scopeOf(compilation, block);
  if (scan.count !== undefined) block.limit = printExpression(compilation, scan.count, scope);
  if (scan.offset !== undefined) block.offset = printExpression(compilation, scan.offset, scope);
  orderNaturally(block);
  return deferComputed(compilation, block);
}

/** Computes columns that only the result needs for the rows that are left, not for all that are sorted. */
function deferComputed(compilation: Compilation, block: Block): Block {
  if (block.order.length === 0 || block.limit === undefined) return block;
  const keys = new Set(block.order.map((item) => item.id));
  const deferred = [...block.deferrable].filter(([id]) => !keys.has(id));
  if (deferred.length === 0) return block;
  const outside = wrapBlock(compilation, block);
  const scope = scopeOf(compilation, outside);
  for (const [id, expression] of deferred) {
    // Bound late: one deferred column may read another.
    let binding: Binding | undefined;
    const bound = () => {
      binding ??= computedBinding(compilation, expression, scope);
      return binding;
    };
    outside.bindings.set(
      id,
      makeBinding(() => bound().sql(), false),
    );
    outside.computed.set(id, block.computed.get(id) ?? 1);
    outside.deferrable.set(id, expression);
  }
  outside.hasComputed = true;
  return outside;
}

/** Sizes may be parameters, which DuckDB's own TABLESAMPLE does not take. */
function buildSample(compilation: Compilation, scan: Scan & { kind: "Sample" }, input: Block): Block {
  const block = rowBlock(compilation, input);
  const size = printExpression(compilation, scan.size, scopeOf(compilation, block));
  if (scan.unit === "PERCENT") {
    block.where.push(sql`(random() * 100 < ${size})`);
    return block;
  }
  block.order = [
    { id: -1, binding: cheapBinding(sql`random()`), isDescending: false, nullsFirst: true, isFloat: false },
  ];
  block.limit = size;
  return block;
}
