/** DuckDB's SELECTs, to which columns of a sub-select are exported on request (see `src/engines/sql/select.ts`). */
import type { Column } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { emptySelect, exportAs, isOpen, takesRows } from "../../sql/select.ts";
import { columnOf, nameSql } from "../sql/atoms.ts";
import { sql } from "../sql/sql.ts";
import { type Compilation, fail, nextAlias, type Scope, type SelectBuilder } from "./compilation.ts";
import { outsideBinding, sealedBinding } from "./exports.ts";
import { MAX_SELECT_DEPTH } from "./limits.ts";
import { renderSelect } from "./render.ts";
import { type Binding, cheapBinding } from "./scope.ts";

export function newSelect(compilation: Compilation, outer?: Scope, depth = 1): SelectBuilder {
  // Last: V8 takes half a microsecond for each property that follows a spread.
  return {
    compilation,
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
export function wrapSelect(builder: SelectBuilder, sealed = NONE): SelectBuilder {
  const outside = newSelect(builder.compilation, builder.outer, builder.depth + 1);
  if (outside.depth > MAX_SELECT_DEPTH) {
    const message = `Sub-queries are nested deeper than ${MAX_SELECT_DEPTH} levels`;
    fail("too_complex", message, { start: 0, end: 0 });
  }
  outside.isLimited = sealed !== ALL && (builder.isLimited || builder.limit !== undefined);
  const alias = nextAlias(builder.compilation, "s");
  outside.from = { print: () => sql`(${renderSelect(builder)}) AS ${nameSql(alias)}` };
  outside.inner = { builder, alias };
  outside.sources = [
    (id) => {
      const inside = findColumn(builder, id);
      if (inside === undefined) return undefined;
      return outsideBinding(builder, alias, id, sealed.has(id) ? sealedBinding(inside) : inside);
    },
  ];
  outside.naturalOrder = builder.naturalOrder.map((position, index) =>
    columnOf(
      alias,
      exportAs(builder, `order/${index}`, nextAlias(builder.compilation, "position_"), () => position).alias,
    ),
  );
  return outside;
}

/**
 * The rows of the SELECT for a join, or for a condition with a sub-query, which DuckDB makes one. DuckDB 1.5.5 passes
 * what a join looks for down to the tables, through LIMIT too, which then takes other rows.
 */
export function sealLimited(builder: SelectBuilder): SelectBuilder {
  return builder.isLimited ? wrapSelect(builder, ALL) : builder;
}

/** The SELECT, or one around it, in which columns can be computed. */
export const openSelect = (select: SelectBuilder): SelectBuilder => (isOpen(select) ? select : wrapSelect(select));

/** The SELECT, or one around it, whose rows can still be filtered, grouped, joined or unnested. */
export const rowSelect = (select: SelectBuilder): SelectBuilder => (takesRows(select) ? select : wrapSelect(select));

/** The SELECT, or one around it, that does not sort. */
export const unordered = (select: SelectBuilder): SelectBuilder =>
  select.order.length > 0 ? wrapSelect(select) : select;

/**
 * The SELECT, or one around it, of which these columns alone can be selected without another number of rows: DISTINCT
 * compares all that is selected.
 */
export function selectable(builder: SelectBuilder, columns: readonly Column[]): SelectBuilder {
  if (!builder.isDistinct) return builder;
  const selected = new Set(columns.map((column) => findColumn(builder, column.id)?.sql()));
  return selected.size === builder.exports.size ? builder : wrapSelect(builder);
}

/** Columns of the SELECT, and through it those of the queries around it. */
export function scopeOf(builder: SelectBuilder): Scope {
  return {
    kind: "select",
    compilation: builder.compilation,
    parent: builder.outer,
    find: (id) => findColumn(builder, id) ?? importOuter(builder, id),
  };
}

function importOuter(builder: SelectBuilder, id: number): Binding | undefined {
  if (!builder.importsOuter || builder.inner === undefined) return undefined;
  for (let scope = builder.outer; scope !== undefined; scope = scope.parent) {
    const found = scope.find(id);
    if (found === undefined) continue;
    const { builder: inner, alias } = builder.inner;
    const imported = cheapBinding(
      columnOf(alias, exportAs(inner, `outer/${id}`, nextAlias(builder.compilation, "outer_"), found.sql).alias),
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
