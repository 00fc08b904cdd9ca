/**
 * One SELECT under construction. Scans are merged into it as long as SQL's order of clauses allows; what does not fit
 * goes around it as another SELECT (`wrapBlock`). A block selects only what is requested: code that needs a column of
 * a sub-select requests an export, also of columns that no scan lists, such as a leaf of a log record.
 */

import type { Column } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { columnOf, nameSql } from "../sql/atoms.ts";
import { sql } from "../sql/sql.ts";
import { type Compilation, fail, nextAlias } from "./compilation.ts";
import { exportAs, outsideBinding, sealedBinding } from "./exports.ts";
import { MAX_SELECT_DEPTH } from "./limits.ts";
import type { Block, SelectItem } from "./render.ts";
import { renderBlock } from "./render.ts";
import { type Binding, cheapBinding, type Scope } from "./scope.ts";

export function newBlock(outer: Scope | undefined, depth = 1): Block {
  return {
    from: undefined,
    inner: undefined,
    where: [],
    lastWhere: [],
    groupKeys: [],
    groupingSets: undefined,
    isGrouped: false,
    isDistinct: false,
    hasWindows: false,
    order: [],
    limit: undefined,
    offset: undefined,
    exports: new Map(),
    bindings: new Map(),
    sources: [],
    computed: new Map(),
    deferrable: new Map(),
    hasComputed: false,
    copies: new Set(),
    isJoin: false,
    outer,
    importsOuter: false,
    naturalOrder: [],
    depth,
  };
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Puts the block into FROM of a new one. A column is exported when the new block reads it, a sealed one so that DuckDB
 * takes it for volatile: what reads it stays around the block, and is computed for the rows that the block leaves.
 */
export function wrapBlock(compilation: Compilation, block: Block, sealed = NONE): Block {
  const outside = newBlock(block.outer, block.depth + 1);
  if (outside.depth > MAX_SELECT_DEPTH) {
    fail(compilation, "too_complex", `Sub-queries are nested deeper than ${MAX_SELECT_DEPTH} levels`, {
      start: 0,
      end: 0,
    });
  }
  const alias = nextAlias(compilation, "s");
  outside.from = { print: () => sql`(${renderBlock(block)}) AS ${nameSql(alias)}` };
  outside.inner = { block, alias };
  outside.sources = [
    (id) => {
      const inside = findColumn(block, id);
      if (inside === undefined) return undefined;
      return outsideBinding(compilation, block, alias, id, sealed.has(id) ? sealedBinding(inside) : inside);
    },
  ];
  outside.naturalOrder = block.naturalOrder.map((position, index) =>
    columnOf(
      alias,
      exportAs(block, `order/${index}`, nextAlias(compilation, "position_"), () => position),
    ),
  );
  return outside;
}

/** True while columns can be computed in the block's select list and used beside others. */
export function isOpen(block: Block): boolean {
  return !block.isGrouped && !block.isDistinct && block.limit === undefined && block.offset === undefined;
}

/** The block, or one around it, in which columns can be computed. */
export function openBlock(compilation: Compilation, block: Block): Block {
  return isOpen(block) ? block : wrapBlock(compilation, block);
}

/**
 * The block, or one around it, of which these columns alone can be selected without another number of rows: DISTINCT
 * compares all that is selected.
 */
export function selectable(compilation: Compilation, block: Block, columns: readonly Column[]): Block {
  if (!block.isDistinct) return block;
  const selected = new Set(columns.map((column) => findColumn(block, column.id)?.sql()));
  return selected.size === block.exports.size ? block : wrapBlock(compilation, block);
}

/** The block, or one around it, whose rows can still be filtered, grouped, joined or unnested. */
export function rowBlock(compilation: Compilation, block: Block): Block {
  return isOpen(block) && !block.hasWindows ? block : wrapBlock(compilation, block);
}

/** Columns of the block, and through it those of the queries around it. */
export function scopeOf(compilation: Compilation, block: Block): Scope {
  return {
    kind: "block",
    parent: block.outer,
    find: (id) => findColumn(block, id) ?? importOuter(compilation, block, id),
  };
}

function importOuter(compilation: Compilation, block: Block, id: number): Binding | undefined {
  if (!block.importsOuter || block.inner === undefined) return undefined;
  for (let scope = block.outer; scope !== undefined; scope = scope.parent) {
    const found = scope.find(id);
    if (found === undefined) continue;
    const { block: inner, alias } = block.inner;
    const imported = cheapBinding(
      columnOf(alias, exportAs(inner, `outer/${id}`, nextAlias(compilation, "outer_"), found.sql)),
    );
    block.bindings.set(id, imported);
    return imported;
  }
  return undefined;
}

/** Exports a column of the scan under its own name, and answers the select item. */
export function selectColumn(compilation: Compilation, block: Block, column: Column): SelectItem {
  const binding = findColumn(block, column.id);
  const alias = compilation.analysis.alias(column.id);
  if (binding === undefined) throw new Error(`Column ${alias} is not readable here`);
  return { alias, sql: binding.sql(), id: column.id };
}

/** Rows of a correlated sub-query over an array come in any order otherwise. */
export function orderNaturally(block: Block): void {
  if (block.order.length > 0) return;
  block.order = block.naturalOrder.map((sql) => ({
    id: -1,
    binding: cheapBinding(sql),
    isDescending: false,
    nullsFirst: true,
    isFloat: false,
  }));
}
