/**
 * One SELECT under construction. Scans are merged into it as long as SQL's order of clauses allows; what does not fit
 * goes around it as another SELECT. A SELECT selects only what is asked of it.
 */
import type { Column, OrderKey } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { type ColumnPlaces, findColumn } from "../lowering/find-column.ts";
import { nameSql } from "./atoms.ts";
import { EMPTY, joinSql, type Sql } from "./node.ts";
import { sql } from "./template.ts";

/** A column as expressions of one SELECT print it. Engines know more of theirs. */
export interface PrintedColumn {
  readonly sql: () => Sql;
}

export interface SelectItem {
  readonly alias: string;
  readonly sql: Sql;
  /** The column that the item stands for, where it stands for one. */
  readonly id?: number | undefined;
}

export interface OrderItem<Binding> {
  readonly id: number;
  readonly binding: Binding;
  /** Undefined for a key that is no column of the query. */
  readonly type: SqlType | undefined;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

/** Printed last, so that sub-selects have been asked for everything. */
export interface FromItem {
  readonly print: () => Sql;
  /** Set where it is one table of a source. */
  readonly table?: { readonly name: string; readonly alias: string };
}

export interface Select<Binding> extends ColumnPlaces<Binding> {
  /** Undefined without FROM. An object, because V8 keeps whatever a closure holds that is in a field of its own. */
  readonly from: FromItem | undefined;
  readonly where: readonly Sql[];
  readonly groupKeys: readonly { readonly id: number; readonly sql: Sql }[];
  /** The ids of the keys of each set. */
  readonly groupingSets: readonly (readonly number[])[] | undefined;
  readonly isGrouped: boolean;
  readonly isDistinct: boolean;
  readonly hasWindows: boolean;
  readonly order: readonly OrderItem<Binding>[];
  readonly limit: Sql | undefined;
  readonly offset: Sql | undefined;
  /** By the column's id, or by a text for what is no column of the query. */
  readonly exports: Map<number | string, SelectItem>;
  /** How many SELECTs are inside of each other, with this one. */
  readonly depth: number;
}

/** A SELECT without any clause. */
export function emptySelect<Binding>(depth: number): Select<Binding> {
  return {
    from: undefined,
    where: [],
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
    depth,
  };
}

/** A name that nothing else in the statement has. */
export function nextAlias(compilation: { aliasCount: number }, prefix: string): string {
  compilation.aliasCount++;
  return `${prefix}${compilation.aliasCount}`;
}

/** Selects the expression under the alias, once for each key. */
export function exportAs(
  { exports }: Pick<Select<unknown>, "exports">,
  key: number | string,
  alias: string,
  print: () => Sql,
): SelectItem {
  const known = exports.get(key);
  if (known !== undefined) return known;
  const item = { alias, sql: print(), id: typeof key === "number" ? key : undefined };
  exports.set(key, item);
  return item;
}

/** Selects a column under its own name. */
export function selectColumn(
  { analysis }: { readonly analysis: { alias(id: number): string } },
  select: Select<PrintedColumn>,
  { id }: Column,
): SelectItem {
  const binding = findColumn(select, id);
  const alias = analysis.alias(id);
  if (binding === undefined) throw new Error(`Column ${alias} is not readable here`);
  return { alias, sql: binding.sql(), id };
}

/** True while columns can be computed in the SELECT's select list and used beside others. */
export function isOpen({ isGrouped, isDistinct, limit, offset }: Select<unknown>): boolean {
  return !isGrouped && !isDistinct && limit === undefined && offset === undefined;
}

/** True while the SELECT's rows can still be filtered, grouped, joined or unnested. */
export function takesRows(select: Select<unknown>): boolean {
  return isOpen(select) && !select.hasWindows;
}

/** Are the rows in this order, as one that is taken over from a CTE or stands below a projection? */
export function isOrderedBy({ order }: Select<unknown>, keys: readonly OrderKey[]): boolean {
  return keys.every((key, index) => order[index]?.id === key.column.id);
}

/** A key with its direction, and where NULLs stand. */
export function sortItem(key: Sql, isDescending: boolean, nullsFirst: boolean): Sql {
  if (nullsFirst) return isDescending ? sql`${key} DESC NULLS FIRST` : sql`${key} ASC NULLS FIRST`;
  return isDescending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;
}

/** The clauses that engines write each in their own way. */
export interface SelectDialect<Own> {
  /** The keys of ORDER BY, of which there are some. */
  orderKeys(select: Own, items: readonly SelectItem[]): readonly Sql[];
  /** How GROUP BY names a key: by the item that it is, if it is selected. */
  groupNames(items: readonly SelectItem[]): (key: Sql) => Sql;
  /** The conditions of WHERE. */
  conditionsOf(select: Own): readonly Sql[];
}

/** Prints a SELECT: the given items, or everything that was asked of it. */
export type RenderSelect<Own> = (select: Own, given?: readonly SelectItem[]) => Sql;

const ROW_COUNT = sql`count(*) AS one`;
const ONE = sql`1 AS one`;
const DISTINCT = sql`DISTINCT `;

/** The items, `value AS name`; one of ours where nothing is asked for. */
function renderList({ isGrouped }: Select<unknown>, items: readonly SelectItem[]): Sql {
  if (items.length === 0) return isGrouped ? ROW_COUNT : ONE;
  const parts = items.map(({ sql: value, alias }) => joinSql([value, nameSql(alias)], " AS "));
  return joinSql(parts, ", ");
}

function renderGroupBy({ groupKeys, groupingSets }: Select<unknown>, nameOf: (key: Sql) => Sql): Sql {
  if (groupKeys.length === 0 && (groupingSets?.length ?? 1) <= 1) return EMPTY;
  const printed = new Map(groupKeys.map(({ id, sql: key }) => [id, nameOf(key)]));
  if (groupingSets === undefined) return sql` GROUP BY ${joinSql([...printed.values()], ", ")}`;
  const sets = groupingSets.map((ids) => {
    const keys = ids.map((id) => printed.get(id) ?? EMPTY);
    return sql`(${joinSql(keys, ", ")})`;
  });
  return sql` GROUP BY GROUPING SETS (${joinSql(sets, ", ")})`;
}

/** The printer of an engine's SELECTs. */
export function createRenderer<Own extends Select<unknown>>(dialect: SelectDialect<Own>): RenderSelect<Own> {
  return (select, items = [...select.exports.values()]) => {
    const list = renderList(select, items);
    // Before FROM: what these print may be asked of the sub-selects there.
    const keys = select.order.length === 0 ? [] : dialect.orderKeys(select, items);
    const order = keys.length === 0 ? EMPTY : sql` ORDER BY ${joinSql(keys, ", ")}`;
    const groupBy = renderGroupBy(select, dialect.groupNames(items));
    const from = select.from === undefined ? EMPTY : sql` FROM ${select.from.print()}`;
    const conditions = dialect.conditionsOf(select);
    const where = conditions.length === 0 ? EMPTY : sql` WHERE ${joinSql(conditions, " AND ")}`;
    const limit = select.limit === undefined ? EMPTY : sql` LIMIT ${select.limit}`;
    const offset = select.offset === undefined ? EMPTY : sql` OFFSET ${select.offset}`;
    const distinct = select.isDistinct ? DISTINCT : EMPTY;
    return sql`SELECT ${distinct}${list}${from}${where}${groupBy}${order}${limit}${offset}`;
  };
}
