/** A SELECT as one SELECT. */
import type { SqlType } from "../../../googlesql/types.ts";
import { nameSql } from "../sql/atoms.ts";
import type { Refusal } from "../sql/refusal.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import type { Binding } from "./scope.ts";

export interface SelectItem {
  readonly alias: string;
  readonly sql: Sql;
}

interface OrderItem {
  readonly id: number;
  readonly binding: Binding;
  readonly type: SqlType;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

export interface SelectBuilder {
  /** Why the server does not run it; undefined where it does. */
  readonly refused: Refusal | undefined;
  /** Printed last, so that sub-selects have been asked for everything. Undefined without FROM. */
  readonly from: (() => Sql) | undefined;
  /** FROM is a table of the server's, and no column is computed over it. */
  readonly isTable: boolean;
  readonly where: readonly Sql[];
  readonly groupKeys: readonly Sql[];
  readonly isGrouped: boolean;
  readonly isDistinct: boolean;
  readonly hasWindows: boolean;
  readonly order: readonly OrderItem[];
  readonly limit: Sql | undefined;
  readonly offset: Sql | undefined;
  readonly exports: Map<number | string, SelectItem>;
  readonly bindings: Map<number, Binding>;
  readonly sources: readonly ((id: number) => Binding | undefined)[];
  readonly depth: number;
}

/** How a clause names a selected item: by its alias, if it is more than a column or a constant. */
type NameOf = (expression: Sql) => Sql;

function namesOf(items: readonly SelectItem[]): NameOf {
  const aliases = new Map(
    items.filter((item) => !item.sql.isRepeatable).map((item) => [item.sql, nameSql(item.alias)]),
  );
  return (expression) => aliases.get(expression) ?? expression;
}

/** A key with its direction, and where NULLs stand. */
export function sortItem(key: Sql, isDescending: boolean, nullsFirst: boolean): Sql {
  if (nullsFirst) return isDescending ? sql`${key} DESC NULLS FIRST` : sql`${key} ASC NULLS FIRST`;
  return isDescending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;
}

const direction = (isDescending: boolean) => nameSql(isDescending ? "DESC" : "ASC");

/** NaN sorts with the NULLs in ClickHouse, and before every number in GoogleSQL. */
function printOrderKey({ binding, type, isDescending, nullsFirst }: OrderItem, nameOf: NameOf): Sql {
  const key = nameOf(binding.sql());
  if (type.kind !== "FLOAT64" || isDescending !== nullsFirst) return sortItem(key, isDescending, nullsFirst);
  const nulls = sql`isNull(${key}) ${direction(nullsFirst)}`;
  return sql`${nulls}, isNaN(${key}) ${direction(!isDescending)}, ${key} ${direction(isDescending)}`;
}

function printGroupBy({ groupKeys }: SelectBuilder, nameOf: NameOf): Sql {
  const keys = groupKeys.map((key) => nameOf(key));
  return keys.length === 0 ? EMPTY : sql` GROUP BY ${joinSql(keys, ", ")}`;
}

/** Without a key and an aggregate it would be no group any more. */
function printNothing({ isGrouped, groupKeys }: SelectBuilder): Sql {
  return isGrouped && groupKeys.length === 0 ? sql`count() AS hidden` : sql`1 AS hidden`;
}

/** The statement that selects the items, or what the SELECT was asked for; the refusal of one that is refused. */
export function renderSelect(builder: SelectBuilder, given: Iterable<SelectItem> = builder.exports.values()): Sql {
  if (builder.refused !== undefined) return builder.refused;
  const items = [...given];
  const nameOf = namesOf(items);
  const selected = items.map((item) => sql`${item.sql} AS ${nameSql(item.alias)}`);
  const list = selected.length === 0 ? printNothing(builder) : joinSql(selected, ", ");
  const keys = builder.order.map((key) => printOrderKey(key, nameOf));
  const order = keys.length === 0 ? EMPTY : sql` ORDER BY ${joinSql(keys, ", ")}`;
  const where = builder.where.length === 0 ? EMPTY : sql` WHERE ${joinSql(builder.where, " AND ")}`;
  const limit = builder.limit === undefined ? EMPTY : sql` LIMIT ${builder.limit}`;
  const offset = builder.offset === undefined ? EMPTY : sql` OFFSET ${builder.offset}`;
  // Last: what the others print is asked of the sub-selects there.
  const from = builder.from === undefined ? EMPTY : sql` FROM ${builder.from()}`;
  const distinct = builder.isDistinct ? sql`DISTINCT ` : EMPTY;
  return sql`SELECT ${distinct}${list}${from}${where}${printGroupBy(builder, nameOf)}${order}${limit}${offset}`;
}
