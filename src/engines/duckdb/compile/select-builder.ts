/** DuckDB's SELECTs, to which columns of a sub-select are exported on request (see `src/engines/sql/select.ts`). */
import type { Column } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { createOpeners, emptySelect, exportAs } from "../../sql/select.ts";
import { columnOf, nameSql } from "../sql/atoms.ts";
import { sql } from "../sql/sql.ts";
import { type Compilation, fail, nextAlias } from "./compilation.ts";
import { outsideBinding, sealedBinding } from "./exports.ts";
import { MAX_SELECT_DEPTH } from "./limits.ts";
import { renderSelect, type SelectBuilder } from "./render.ts";
import { type Binding, cheapBinding, type Scope } from "./scope.ts";

export function newSelect(outer: Scope | undefined, depth = 1): SelectBuilder {
  // Last: V8 takes half a microsecond for each property that follows a spread.
  return {
    inner: undefined,
    lastWhere: [],
    computed: new Map(),
    deferrable: new Map(),
    hasComputed: false,
    hasRandom: false,
    isLimited: false,
    copies: new Set(),
    isJoin: false,
    outer,
    importsOuter: false,
    naturalOrder: [],
    ...emptySelect<Binding>(depth),
    where: [],
  };
}

/** Ids of columns. */
type Columns = Pick<ReadonlySet<number>, "has">;

const NONE: Columns = new Set();
const ALL: Columns = { has: () => true };

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
  outside.isLimited = sealed !== ALL && (builder.isLimited || builder.limit !== undefined);
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
    columnOf(alias, exportAs(builder, `order/${index}`, nextAlias(compilation, "position_"), () => position).alias),
  );
  return outside;
}

/**
 * The rows of the SELECT for a join, or for a condition with a sub-query, which DuckDB makes one. DuckDB 1.5.5 passes
 * what a join looks for down to the tables, through LIMIT too, which then takes other rows.
 */
export function sealLimited(compilation: Compilation, builder: SelectBuilder): SelectBuilder {
  return builder.isLimited ? wrapSelect(compilation, builder, ALL) : builder;
}

export const { openSelect, rowSelect } = createOpeners<Compilation, SelectBuilder>(wrapSelect);

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
      columnOf(alias, exportAs(inner, `outer/${id}`, nextAlias(compilation, "outer_"), found.sql).alias),
    );
    builder.bindings.set(id, imported);
    return imported;
  }
  return undefined;
}

/** Rows of a correlated sub-query over an array come in any order otherwise. */
export function orderNaturally(builder: SelectBuilder): void {
  if (builder.order.length > 0) return;
  builder.order = builder.naturalOrder.map((sql) => ({
    id: -1,
    type: undefined,
    binding: cheapBinding(sql),
    isDescending: false,
    nullsFirst: true,
  }));
}
