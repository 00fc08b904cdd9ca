/** The finished text of a SELECT block. */

import type { SqlType } from "../../../googlesql/types.ts";
import { sortKey } from "../functions/sort-key.ts";
import { isConstantKey } from "../sql-text.ts";
import type { Block, SelectItem } from "./block.ts";
import type { Binding } from "./scope.ts";

/** Where columns stand in a select list, from 0. */
type Positions = ReadonlyMap<number, number>;

function positionsOf(items: readonly SelectItem[]): Positions {
  const positions = new Map<number, number>();
  items.forEach(({ id }, index) => {
    if (id !== undefined && !positions.has(id)) positions.set(id, index);
  });
  return positions;
}

/** What values of the type sort by, from the columns alone where these tell it. */
function printKey({ as, sql }: Binding, type: SqlType): string {
  return (type.kind === "MIXED" ? as?.(type) : undefined) ?? sortKey(type, sql());
}

/** The keys of ORDER BY; empty where there are none. */
export function renderOrderBy(
  block: Block,
  items: readonly SelectItem[],
  positions: Positions = positionsOf(items),
): string {
  const parts: string[] = [];
  for (const item of block.order) {
    // In ARRAY(...) DuckDB finds no aliases, and DISTINCT needs them.
    const position = block.outer === undefined || block.isDistinct ? positions.get(item.id) : undefined;
    const alias = position === undefined ? undefined : items[position]?.alias;
    const nulls = item.nullsFirst ? "NULLS FIRST" : "NULLS LAST";
    // GoogleSQL sorts NaN before all other numbers, DuckDB after them.
    if (item.isFloat && item.binding.isNeverNaN !== true) {
      parts.push(`isnan(${item.binding.sql()}) ${item.isDescending ? "ASC" : "DESC"} ${nulls}`);
    }
    const key = item.keyed === undefined ? (alias ?? item.binding.sql()) : printKey(item.binding, item.keyed);
    if (!isConstantKey(key)) parts.push(`${key} ${item.isDescending ? "DESC" : "ASC"} ${nulls}`);
  }
  return items.length === 0 ? "" : parts.join(", ");
}

function renderGroupBy(block: Block, positions: Positions): string {
  if (block.groupKeys.length === 0 && (block.groupingSets?.length ?? 1) <= 1) return "";
  const printed = new Map<number, string>();
  for (const { id, sql } of block.groupKeys) {
    const position = positions.get(id);
    printed.set(id, position === undefined ? sql : String(position + 1));
  }
  if (block.groupingSets === undefined) return ` GROUP BY ${[...printed.values()].join(", ")}`;
  const keys = (ids: readonly number[]) => ids.map((id) => printed.get(id) ?? "").join(", ");
  return ` GROUP BY GROUPING SETS (${block.groupingSets.map((set) => `(${keys(set)})`).join(", ")})`;
}

function renderList(block: Block, items: readonly SelectItem[]): string {
  if (items.length === 0) return block.isGrouped && block.groupKeys.length === 0 ? "count(*) AS one" : "1 AS one";
  let list = "";
  for (const { sql, alias } of items) list += list === "" ? `${sql} AS ${alias}` : `, ${sql} AS ${alias}`;
  return list;
}

const NOWHERE: Positions = new Map();

/** The finished SELECT: the given items, or everything that was exported. */
export function renderBlock(block: Block, given?: readonly SelectItem[]): string {
  const items = given ?? [...block.exports.values()];
  const positions = block.order.length === 0 && block.groupKeys.length === 0 ? NOWHERE : positionsOf(items);
  const list = renderList(block, items);
  // Before FROM: what these print may be asked of the sub-selects there.
  const keys = renderOrderBy(block, items, positions);
  const order = keys === "" ? "" : ` ORDER BY ${keys}`;
  const groupBy = renderGroupBy(block, positions);
  const from = block.from === undefined ? "" : ` FROM ${block.from.print()}`;
  const where = block.where.length === 0 ? "" : ` WHERE ${block.where.join(" AND ")}`;
  const limit = block.limit === undefined ? "" : ` LIMIT ${block.limit}`;
  const offset = block.offset === undefined ? "" : ` OFFSET ${block.offset}`;
  return `SELECT ${block.isDistinct ? "DISTINCT " : ""}${list}${from}${where}${groupBy}${order}${limit}${offset}`;
}
