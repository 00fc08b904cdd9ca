/** The finished text of a SELECT. */

import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { sortKey } from "../functions/sort-key.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { isConstantKey, namedList, select } from "../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import type { Binding, Scope } from "./scope.ts";

export interface SelectItem {
  readonly alias: string;
  readonly sql: Sql;
  /** The column that the item stands for, where it stands for one. */
  readonly id?: number | undefined;
}

interface OrderItem {
  readonly id: number;
  readonly binding: Binding;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
  readonly isFloat: boolean;
  /** The type, where its values are sorted by a key of their own. */
  readonly keyed?: SqlType | undefined;
}

/** Printed last. An object, because V8 keeps whatever a closure holds that is assigned to a field of its own. */
export interface FromItem {
  readonly print: () => Sql;
  /** Set where it is one table of a source. */
  readonly table?: { readonly name: string; readonly alias: string };
}

export interface SelectBuilder {
  /** Printed last, so that sub-selects have been asked for everything. Undefined without FROM. */
  from: FromItem | undefined;
  /** The sub-select that is all of FROM, when it is one. */
  inner: { readonly builder: SelectBuilder; readonly alias: string } | undefined;
  where: Sql[];
  /** Conditions that may fail: each is computed only where all others, and those before it, hold. */
  lastWhere: Sql[];
  /** Grouping columns, printed as positions where they are selected. */
  groupKeys: readonly { readonly id: number; readonly sql: Sql }[];
  groupingSets: readonly (readonly number[])[] | undefined;
  isGrouped: boolean;
  isDistinct: boolean;
  hasWindows: boolean;
  order: readonly OrderItem[];
  limit: Sql | undefined;
  offset: Sql | undefined;
  /** By the column's id, or by a text for what is no column of the query. */
  readonly exports: Map<number | string, SelectItem>;
  bindings: Map<number, Binding>;
  sources: ((id: number) => Binding | undefined)[];
  /** Columns computed here that are more than a column or literal, with how often each is read in the whole query. */
  computed: Map<number, number>;
  /** Those of them that can as well be computed after ORDER BY and LIMIT. */
  deferrable: Map<number, Expr>;
  /** Columns were computed here, literals included: an outer join must not print them over missing rows. */
  hasComputed: boolean;
  /** The common table expressions whose definitions are printed here: their columns have the same ids in each copy. */
  readonly copies: Set<number>;
  /** FROM holds a join: in parentheses where it stands right of another. */
  isJoin: boolean;
  readonly outer: Scope | undefined;
  /** Columns of outer queries are carried in by `inner`, because a lambda cannot mix them with its own. */
  importsOuter: boolean;
  /** In a correlated sub-query: expressions that give the rows the order that their array had. */
  naturalOrder: readonly Sql[];
  readonly depth: number;
}

/** The names that columns have in a select list. */
function aliasesOf(items: readonly SelectItem[]): ReadonlyMap<number | undefined, string> {
  return new Map(items.map(({ id, alias }) => [id, alias]));
}

/** Prints the sort key of a value, from the columns alone if these are sufficient. */
function printKey({ as, sql: print }: Binding, type: SqlType): Sql {
  return (type.kind === "MIXED" ? as?.(type) : undefined) ?? sortKey(type, print());
}

/** A key with its direction, and where NULLs stand. */
export function sortItem(key: Sql, isDescending: boolean, nullsFirst: boolean): Sql {
  if (nullsFirst) return isDescending ? sql`${key} DESC NULLS FIRST` : sql`${key} ASC NULLS FIRST`;
  return isDescending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;
}

/** The keys of ORDER BY; empty where there are none. */
export function renderOrderBy(builder: SelectBuilder, items: readonly SelectItem[]): Sql {
  if (items.length === 0 || builder.order.length === 0) return EMPTY;
  const aliases = aliasesOf(items);
  const parts: Sql[] = [];
  for (const item of builder.order) {
    // In ARRAY(...) DuckDB finds no aliases.
    const alias = builder.outer === undefined ? aliases.get(item.id) : undefined;
    const { isDescending, nullsFirst } = item;
    // GoogleSQL sorts NaN before all other numbers, DuckDB after them.
    if (item.isFloat && item.binding.isNeverNaN !== true) {
      parts.push(sortItem(sql`isnan(${item.binding.sql()})`, !isDescending, nullsFirst));
    }
    const key =
      item.keyed === undefined
        ? alias === undefined
          ? item.binding.sql()
          : nameSql(alias)
        : printKey(item.binding, item.keyed);
    if (!isConstantKey(key)) parts.push(sortItem(key, isDescending, nullsFirst));
  }
  return joinSql(parts, ", ");
}

/** The keys, by their positions where they are selected, be it as another column: a copy has lambdas of other names. */
function renderGroupBy(builder: SelectBuilder, items: readonly SelectItem[]): Sql {
  if (builder.groupKeys.length === 0 && (builder.groupingSets?.length ?? 1) <= 1) return EMPTY;
  const printed = new Map<number, Sql>();
  for (const { id, sql: key } of builder.groupKeys) {
    const position = items.findIndex((item) => item.sql === key);
    printed.set(id, position < 0 ? key : numberSql(position + 1));
  }
  if (builder.groupingSets === undefined) return sql` GROUP BY ${joinSql([...printed.values()], ", ")}`;
  const sets = builder.groupingSets.map((ids) => {
    const keys = ids.map((id) => printed.get(id) ?? EMPTY);
    return sql`(${joinSql(keys, ", ")})`;
  });
  return sql` GROUP BY GROUPING SETS (${joinSql(sets, ", ")})`;
}

const ROW_COUNT = sql`count(*) AS one`;
const ONE = sql`1 AS one`;

function renderList(builder: SelectBuilder, items: readonly SelectItem[]): Sql {
  if (items.length === 0) return builder.isGrouped ? ROW_COUNT : ONE;
  return namedList(items);
}

const DISTINCT = sql`DISTINCT `;

/**
 * The conditions of WHERE. One that may fail holds all that are computed before it, in branches of a CASE: DuckDB
 * computes those in their order, and the parts of an AND in any.
 */
export function conditionsOf({ where, lastWhere }: SelectBuilder): readonly Sql[] {
  const last = lastWhere.at(-1);
  if (last === undefined) return where;
  const first = [...(where.length === 0 ? [] : [joinSql(where, " AND ")]), ...lastWhere.slice(0, -1)];
  if (first.length === 0) return [last];
  const branches = first.map((each) => sql`WHEN (${each}) IS DISTINCT FROM true THEN false`);
  return [...where, sql`CASE ${joinSql(branches, " ")} ELSE ${last} END`];
}

/** The finished SELECT: the given items, or everything that was exported. */
export function renderSelect(builder: SelectBuilder, given?: readonly SelectItem[]): Sql {
  const items = given ?? [...builder.exports.values()];
  const list = renderList(builder, items);
  // Before FROM: what these print may be asked of the sub-selects there.
  const keys = renderOrderBy(builder, items);
  const order = keys === EMPTY ? EMPTY : sql` ORDER BY ${keys}`;
  const groupBy = renderGroupBy(builder, items);
  const from = builder.from === undefined ? EMPTY : sql` FROM ${builder.from.print()}`;
  const conditions = conditionsOf(builder);
  const where = conditions.length === 0 ? EMPTY : sql` WHERE ${joinSql(conditions, " AND ")}`;
  const limit = builder.limit === undefined ? EMPTY : sql` LIMIT ${builder.limit}`;
  const offset = builder.offset === undefined ? EMPTY : sql` OFFSET ${builder.offset}`;
  const distinct = builder.isDistinct ? DISTINCT : EMPTY;
  return select(sql`${distinct}${list}${from}${where}${groupBy}${order}${limit}${offset}`);
}
