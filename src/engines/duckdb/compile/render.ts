/** The finished text of a SELECT block. */
import type { Block, SelectItem } from "./block.ts";

function renderOrder(block: Block, items: readonly SelectItem[], keys: ReadonlyMap<number, string>): string {
  const parts = block.order.flatMap((item) => {
    // In ARRAY(...) DuckDB finds no aliases, and DISTINCT needs them.
    const alias = block.outer === undefined || block.isDistinct ? keys.get(item.id) : undefined;
    const sql = alias ?? item.binding.sql();
    const direction = `${item.isDescending ? "DESC" : "ASC"} NULLS ${item.nullsFirst ? "FIRST" : "LAST"}`;
    // GoogleSQL sorts NaN before all other numbers, DuckDB after them.
    const nan = item.isFloat && item.binding.isNeverNaN !== true;
    const nanKey = `isnan(${item.binding.sql()}) ${item.isDescending ? "ASC" : "DESC"} NULLS ${item.nullsFirst ? "FIRST" : "LAST"}`;
    return nan ? [nanKey, `${sql} ${direction}`] : [`${sql} ${direction}`];
  });
  return parts.length === 0 || items.length === 0 ? "" : ` ORDER BY ${parts.join(", ")}`;
}

function renderGroupBy(block: Block, positions: ReadonlyMap<number, number>): string {
  if (block.groupKeys.length === 0) return "";
  const printed = new Map(
    block.groupKeys.map(({ id, sql }) => {
      const position = positions.get(id);
      return [id, position === undefined ? sql : String(position)];
    }),
  );
  const keys = (ids: readonly number[]) => ids.map((id) => printed.get(id) ?? "").join(", ");
  if (block.groupingSets === undefined) return ` GROUP BY ${keys(block.groupKeys.map((key) => key.id))}`;
  return ` GROUP BY GROUPING SETS (${block.groupingSets.map((set) => `(${keys(set)})`).join(", ")})`;
}

/** What is selected, with the column that each item stands for where it stands for one. */
export interface RenderedItem extends SelectItem {
  readonly id?: number;
}

function exportedItems(block: Block): readonly RenderedItem[] {
  return [...block.exports].map(([key, item]) => {
    const id = Number(key);
    return Number.isInteger(id) ? { ...item, id } : item;
  });
}

/** The finished SELECT: the given items, or everything that was exported. */
export function renderBlock(block: Block, given?: readonly RenderedItem[]): string {
  const items = given ?? exportedItems(block);
  const aliases = new Map<number, string>();
  const positions = new Map<number, number>();
  items.forEach((item, index) => {
    if (item.id === undefined || aliases.has(item.id)) return;
    aliases.set(item.id, item.alias);
    positions.set(item.id, index + 1);
  });
  const nothing = block.isGrouped && block.groupKeys.length === 0 ? "count(*) AS one" : "1 AS one";
  const list = items.length === 0 ? nothing : items.map((item) => `${item.sql} AS ${item.alias}`).join(", ");
  // Before FROM: what these print may be asked of the sub-selects there.
  const order = renderOrder(block, items, aliases);
  const groupBy = renderGroupBy(block, positions);
  const from = block.from === undefined ? "" : ` FROM ${block.from.print()}`;
  const where = block.where.length === 0 ? "" : ` WHERE ${block.where.join(" AND ")}`;
  const limit = block.limit === undefined ? "" : ` LIMIT ${block.limit}`;
  const offset = block.offset === undefined ? "" : ` OFFSET ${block.offset}`;
  return `SELECT ${block.isDistinct ? "DISTINCT " : ""}${list}${from}${where}${groupBy}${order}${limit}${offset}`;
}
