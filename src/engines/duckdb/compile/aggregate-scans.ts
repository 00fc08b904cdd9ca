/** Building blocks for GROUP BY, window functions and DISTINCT. */
import type { Scan } from "../../../googlesql/resolved.ts";
import { printAggregateCall, printWindowCall } from "./aggregates.ts";
import { type Block, exportAs, findColumn, openBlock, rowBlock, scopeOf, wrapBlock } from "./block.ts";
import type { Compilation } from "./compilation.ts";
import { printExpression } from "./expressions.ts";
import { cheapBinding, variableScope } from "./scope.ts";
import { printInBlock, separateShared } from "./shaping.ts";

/** Nothing of what could be read in the block stays readable. */
function replaceColumns(block: Block): void {
  block.bindings = new Map();
  block.sources = [];
  block.computed = new Map();
  block.deferrable = new Map();
  block.naturalOrder = [];
}

export function buildAggregate(compilation: Compilation, scan: Scan & { kind: "Aggregate" }, input: Block): Block {
  const rows = rowBlock(compilation, input);
  const separated = separateShared(compilation, rows.order.length > 0 ? wrapBlock(compilation, rows) : rows, [
    ...scan.groupBy.map((item) => item.expression),
    ...scan.aggregates.map((item) => item.call),
  ]);
  const { block, texts } = printInBlock(compilation, separated, (scope) => {
    const keys = scan.groupBy.map((item) => printExpression(compilation, item.expression, scope));
    // GROUPING(x) reads grouping columns.
    const keyBindings = new Map(scan.groupBy.map(({ column }, index) => [column.id, cheapBinding(keys[index] ?? "")]));
    const inner = variableScope(scope, keyBindings);
    const calls = scan.aggregates.map(({ call }) =>
      printAggregateCall(compilation, call, inner, separated.naturalOrder),
    );
    return [...keys, ...calls];
  });
  replaceColumns(block);
  block.isGrouped = true;
  block.groupKeys = scan.groupBy.map(({ column }, index) => ({ id: column.id, sql: texts[index] ?? "" }));
  block.groupingSets = scan.groupingSets?.map((set) => set.map((column) => column.id));
  [...scan.groupBy, ...scan.aggregates].forEach(({ column }, index) => {
    block.bindings.set(column.id, cheapBinding(texts[index] ?? ""));
  });
  return block;
}

export function buildWindow(compilation: Compilation, scan: Scan & { kind: "Window" }, input: Block): Block {
  const rows = rowBlock(compilation, input);
  const separated = separateShared(
    compilation,
    rows.order.length > 0 ? wrapBlock(compilation, rows) : rows,
    scan.functions.map((item) => item.call),
  );
  const { block, texts } = printInBlock(compilation, separated, (scope) =>
    scan.functions.map(({ call }) => printWindowCall(compilation, call, scope)),
  );
  block.hasWindows = true;
  block.hasComputed = true;
  scan.functions.forEach(({ column }, index) => {
    const text = texts[index] ?? "";
    block.bindings.set(column.id, { sql: () => text, isCheap: false, isWindow: true });
    block.computed.set(column.id, compilation.analysis.uses(column));
  });
  return block;
}

export function buildDistinct(compilation: Compilation, scan: Scan & { kind: "Distinct" }, input: Block): Block {
  const open = openBlock(compilation, input);
  const block = open.order.length > 0 ? wrapBlock(compilation, open) : open;
  const columns = scan.columns.map(({ column, input: source }) => {
    const binding = findColumn(block, source.id) ?? scopeOf(compilation, block).find(source.id);
    if (binding === undefined) throw new Error(`Column ${source.name} cannot be read by DISTINCT`);
    return { column, binding, sql: binding.sql() };
  });
  replaceColumns(block);
  block.isDistinct = true;
  for (const { column, binding, sql } of columns) {
    exportAs(block, String(column.id), compilation.analysis.alias(column.id), () => sql);
    block.bindings.set(column.id, { ...cheapBinding(sql), isNeverNaN: binding.isNeverNaN ?? false });
  }
  return block;
}
