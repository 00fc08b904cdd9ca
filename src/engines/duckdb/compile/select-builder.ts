/**
 * One SELECT under construction. Scans are merged into it as long as SQL's order of clauses allows; what does not fit
 * goes around it as another SELECT (`wrapSelect`). A SELECT selects only what is requested: code that needs a column of
 * a sub-select requests an export, also of columns that no scan lists, such as a leaf of a log record.
 */

import type { Column } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { columnOf, nameSql } from "../sql/atoms.ts";
import { sql } from "../sql/sql.ts";
import { type Compilation, fail, nextAlias } from "./compilation.ts";
import { exportAs, outsideBinding, sealedBinding } from "./exports.ts";
import { MAX_SELECT_DEPTH } from "./limits.ts";
import type { SelectBuilder, SelectItem } from "./render.ts";
import { renderSelect } from "./render.ts";
import { type Binding, cheapBinding, type Scope } from "./scope.ts";

export function newSelect(outer: Scope | undefined, depth = 1): SelectBuilder {
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
 * Puts the SELECT into FROM of a new one. A column is exported when the new SELECT reads it, a sealed one so that
 * DuckDB takes it for volatile: what reads it stays around the SELECT, and is computed for the rows that it leaves.
 */
export function wrapSelect(compilation: Compilation, builder: SelectBuilder, sealed = NONE): SelectBuilder {
  const outside = newSelect(builder.outer, builder.depth + 1);
  if (outside.depth > MAX_SELECT_DEPTH) {
    fail(compilation, "too_complex", `Sub-queries are nested deeper than ${MAX_SELECT_DEPTH} levels`, {
      start: 0,
      end: 0,
    });
  }
  const alias = nextAlias(compilation, "s");
  outside.from = { print: () => sql`(${renderSelect(builder)}) AS ${nameSql(alias)}` };
  outside.inner = { builder, alias };
  outside.sources = [
    (id) => {
      const inside = findColumn(builder, id);
      if (inside === undefined) return undefined;
      return outsideBinding(compilation, builder, alias, id, sealed.has(id) ? sealedBinding(inside) : inside);
    },
  ];
  outside.naturalOrder = builder.naturalOrder.map((position, index) =>
    columnOf(
      alias,
      exportAs(builder, `order/${index}`, nextAlias(compilation, "position_"), () => position),
    ),
  );
  return outside;
}

/** True while columns can be computed in the SELECT's select list and used beside others. */
export function isOpen(builder: SelectBuilder): boolean {
  return !builder.isGrouped && !builder.isDistinct && builder.limit === undefined && builder.offset === undefined;
}

/** The SELECT, or one around it, in which columns can be computed. */
export function openSelect(compilation: Compilation, builder: SelectBuilder): SelectBuilder {
  return isOpen(builder) ? builder : wrapSelect(compilation, builder);
}

/**
 * The SELECT, or one around it, of which these columns alone can be selected without another number of rows: DISTINCT
 * compares all that is selected.
 */
export function selectable(
  compilation: Compilation,
  builder: SelectBuilder,
  columns: readonly Column[],
): SelectBuilder {
  if (!builder.isDistinct) return builder;
  const selected = new Set(columns.map((column) => findColumn(builder, column.id)?.sql()));
  return selected.size === builder.exports.size ? builder : wrapSelect(compilation, builder);
}

/** The SELECT, or one around it, whose rows can still be filtered, grouped, joined or unnested. */
export function rowSelect(compilation: Compilation, builder: SelectBuilder): SelectBuilder {
  return isOpen(builder) && !builder.hasWindows ? builder : wrapSelect(compilation, builder);
}

/** Columns of the SELECT, and through it those of the queries around it. */
export function scopeOf(compilation: Compilation, builder: SelectBuilder): Scope {
  return {
    kind: "select",
    parent: builder.outer,
    find: (id) => findColumn(builder, id) ?? importOuter(compilation, builder, id),
  };
}

function importOuter(compilation: Compilation, builder: SelectBuilder, id: number): Binding | undefined {
  if (!builder.importsOuter || builder.inner === undefined) return undefined;
  for (let scope = builder.outer; scope !== undefined; scope = scope.parent) {
    const found = scope.find(id);
    if (found === undefined) continue;
    const { builder: inner, alias } = builder.inner;
    const imported = cheapBinding(
      columnOf(alias, exportAs(inner, `outer/${id}`, nextAlias(compilation, "outer_"), found.sql)),
    );
    builder.bindings.set(id, imported);
    return imported;
  }
  return undefined;
}

/** Exports a column of the scan under its own name, and answers the select item. */
export function selectColumn(compilation: Compilation, builder: SelectBuilder, column: Column): SelectItem {
  const binding = findColumn(builder, column.id);
  const alias = compilation.analysis.alias(column.id);
  if (binding === undefined) throw new Error(`Column ${alias} is not readable here`);
  return { alias, sql: binding.sql(), id: column.id };
}

/** Rows of a correlated sub-query over an array come in any order otherwise. */
export function orderNaturally(builder: SelectBuilder): void {
  if (builder.order.length > 0) return;
  builder.order = builder.naturalOrder.map((sql) => ({
    id: -1,
    binding: cheapBinding(sql),
    isDescending: false,
    nullsFirst: true,
    isFloat: false,
  }));
}
