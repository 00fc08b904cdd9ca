/** The finished text of a SELECT block. */

import type { SqlType } from "../../../googlesql/types.ts";
import { sortKey } from "../functions/sort-key.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { isConstantKey, namedList, select } from "../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import type { Block, SelectItem } from "./block.ts";
import type { Binding } from "./scope.ts";

/** The names that columns have in a select list. */
function aliasesOf(items: readonly SelectItem[]): ReadonlyMap<number | undefined, string> {
  return new Map(items.map(({ id, alias }) => [id, alias]));
}

/** What values of the type sort by, from the columns alone where these tell it. */
function printKey({ as, sql: print }: Binding, type: SqlType): Sql {
  return (type.kind === "MIXED" ? as?.(type) : undefined) ?? sortKey(type, print());
}

/** A key with its direction, and where NULLs stand. */
export function sortItem(key: Sql, isDescending: boolean, nullsFirst: boolean): Sql {
  if (nullsFirst) return isDescending ? sql`${key} DESC NULLS FIRST` : sql`${key} ASC NULLS FIRST`;
  return isDescending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS LAST`;
}

/** The keys of ORDER BY; empty where there are none. */
export function renderOrderBy(block: Block, items: readonly SelectItem[]): Sql {
  if (items.length === 0 || block.order.length === 0) return EMPTY;
  const aliases = aliasesOf(items);
  const parts: Sql[] = [];
  for (const item of block.order) {
    // In ARRAY(...) DuckDB finds no aliases.
    const alias = block.outer === undefined ? aliases.get(item.id) : undefined;
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
function renderGroupBy(block: Block, items: readonly SelectItem[]): Sql {
  if (block.groupKeys.length === 0 && (block.groupingSets?.length ?? 1) <= 1) return EMPTY;
  const printed = new Map<number, Sql>();
  for (const { id, sql: key } of block.groupKeys) {
    const position = items.findIndex((item) => item.sql === key);
    printed.set(id, position < 0 ? key : numberSql(position + 1));
  }
  if (block.groupingSets === undefined) return sql` GROUP BY ${joinSql([...printed.values()], ", ")}`;
  const sets = block.groupingSets.map((ids) => {
    const keys = ids.map((id) => printed.get(id) ?? EMPTY);
    return sql`(${joinSql(keys, ", ")})`;
  });
  return sql` GROUP BY GROUPING SETS (${joinSql(sets, ", ")})`;
}

const ROW_COUNT = sql`count(*) AS one`;
const ONE = sql`1 AS one`;

function renderList(block: Block, items: readonly SelectItem[]): Sql {
  if (items.length === 0) return block.isGrouped ? ROW_COUNT : ONE;
  return namedList(items);
}

const DISTINCT = sql`DISTINCT `;

/** The finished SELECT: the given items, or everything that was exported. */
export function renderBlock(block: Block, given?: readonly SelectItem[]): Sql {
  const items = given ?? [...block.exports.values()];
  const list = renderList(block, items);
  // Before FROM: what these print may be asked of the sub-selects there.
  const keys = renderOrderBy(block, items);
  const order = keys === EMPTY ? EMPTY : sql` ORDER BY ${keys}`;
  const groupBy = renderGroupBy(block, items);
  const from = block.from === undefined ? EMPTY : sql` FROM ${block.from.print()}`;
  const where = block.where.length === 0 ? EMPTY : sql` WHERE ${joinSql(block.where, " AND ")}`;
  const limit = block.limit === undefined ? EMPTY : sql` LIMIT ${block.limit}`;
  const offset = block.offset === undefined ? EMPTY : sql` OFFSET ${block.offset}`;
  const distinct = block.isDistinct ? DISTINCT : EMPTY;
  return select(sql`${distinct}${list}${from}${where}${groupBy}${order}${limit}${offset}`);
}
