/** ClickHouse's SELECTs (see `src/engines/sql/select.ts`). None is changed: a step may turn out to be refused. */
import { findColumn } from "../../lowering/find-column.ts";
import { pathKey } from "../../lowering/names.ts";
import { emptySelect, exportAs, isOpen, type SelectItem, takesRows } from "../../sql/select.ts";
import { columnOf, nameSql } from "../sql/atoms.ts";
import { fallible } from "../sql/forms.ts";
import { Refusal } from "../sql/refusal.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { type Compilation, nextAlias, unguarded } from "./compilation.ts";
import { renderSelect, type SelectBuilder } from "./render.ts";
import type { Binding, RecordSource, Scope } from "./scope.ts";

/** Sub-selects that a statement may nest. */
const MAX_DEPTH = 60;

export function newSelect(depth = 1): SelectBuilder {
  return {
    refused: depth > MAX_DEPTH ? new Refusal(`sub-queries over more than ${MAX_DEPTH} levels`) : undefined,
    isTable: false,
    ...emptySelect<Binding>(depth),
  };
}

/**
 * A column of a sub-select, or of several that are united, by the items that it stands for. It can fail as they can:
 * the server may compute them where the column is read, before it filters.
 */
export function outsideColumn(table: string, ...items: readonly [SelectItem, ...SelectItem[]]): Sql {
  const column = columnOf(table, items[0].alias);
  return items.some((item) => item.sql.canFail) ? fallible(column) : column;
}

/** Hands an expression of a sub-select out of it as a column of its own. */
function handOut(compilation: Compilation, builder: SelectBuilder, alias: string, key: string, print: () => Sql): Sql {
  const name = builder.exports.get(key)?.alias ?? nextAlias(compilation, "r");
  return outsideColumn(alias, exportAs(builder, key, name, print));
}

type Hand = (kind: string, print: () => Sql) => Sql;

/** Leaves and presence of a record are columns of their own outside of a sub-select. */
function outsideRecord(builder: SelectBuilder, hand: Hand, record: RecordSource): RecordSource {
  const handed = (kind: string, inside: Sql | undefined) =>
    inside === undefined || builder.isDistinct || builder.isGrouped ? undefined : hand(kind, () => inside);
  return {
    leaf: (path, type) => handed(`leaf/${type.kind}/${pathKey(path)}`, record.leaf(path, type)),
    presence: (path) => handed(`presence/${pathKey(path)}`, record.presence(path)),
    json: (path) => handed(`json/${pathKey(path)}`, record.json(path)),
  };
}

/** Elements of an array are, too. */
function outsideElement(builder: SelectBuilder, hand: Hand, { element }: Binding): Binding["element"] {
  if (element === undefined || builder.isDistinct) return undefined;
  return (offset) => {
    const found = element(offset);
    return found === undefined ? undefined : hand(`element/${offset}`, () => found);
  };
}

/** Puts the SELECT into FROM of a new one. A column is exported when the new SELECT reads it. */
export function wrapSelect(compilation: Compilation, given: SelectBuilder): SelectBuilder {
  // What one SELECT around it asks for is not selected for another, which may take its place.
  const builder = { ...given, exports: new Map(given.exports) };
  const outside = newSelect(builder.depth + 1);
  const alias = nextAlias(compilation, "s");
  const find = (id: number): Binding | undefined => {
    const inside = findColumn(builder, id);
    if (inside === undefined) return undefined;
    const name = compilation.analysis.alias(id);
    const print = () => unguarded(compilation, () => inside.sql());
    const hand: Hand = (kind, inner) => handOut(compilation, builder, alias, `${id}/${kind}`, inner);
    const { record, carried, refused } = inside;
    const isCarried = carried !== undefined && !builder.isDistinct && !builder.isGrouped;
    return {
      sql: () => refused ?? outsideColumn(alias, exportAs(builder, id, name, print)),
      refused,
      isCheap: true,
      element: outsideElement(builder, hand, inside),
      record: record === undefined ? undefined : outsideRecord(builder, hand, record),
      carried: isCarried ? { ...carried, sql: () => hand("carried", carried.sql) } : undefined,
    };
  };
  return {
    ...outside,
    refused: given.refused ?? outside.refused,
    from: { print: () => sql`(${renderSelect(builder)}) AS ${nameSql(alias)}` },
    sources: [find],
  };
}

/** The SELECT, or one around it, in which columns can be computed. */
export function openSelect(compilation: Compilation, select: SelectBuilder): SelectBuilder {
  return isOpen(select) ? select : wrapSelect(compilation, select);
}

/** The SELECT, or one around it, whose rows can still be filtered, grouped, joined or unnested. */
export function rowSelect(compilation: Compilation, select: SelectBuilder): SelectBuilder {
  return takesRows(select) ? select : wrapSelect(compilation, select);
}

export function scopeOf(builder: SelectBuilder): Scope {
  return { find: (id) => findColumn(builder, id) };
}

/** The SELECT with columns beside its own. */
export function withColumns(builder: SelectBuilder, columns: Iterable<readonly [number, Binding]>): SelectBuilder {
  return { ...builder, bindings: new Map([...builder.bindings, ...columns]) };
}

/** The SELECT with other columns. */
export function withoutColumns({ depth, refused, from, where }: SelectBuilder): SelectBuilder {
  return { ...newSelect(depth), refused, from, where };
}

/** Stands for a sub-tree that the server does not run. */
export function refusedSelect(refused: Refusal): SelectBuilder {
  return { ...newSelect(), refused };
}
