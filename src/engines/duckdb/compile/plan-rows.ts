import { findColumn } from "../../lowering/find-column.ts";
import { joinSql } from "../sql/sql.ts";
import type { RowsPlan } from "../statement-plan.ts";
import type { Block, SelectItem } from "./block.ts";
import { renderOrderBy } from "./render.ts";
import type { StoredColumn } from "./scope.ts";

/** Is every key of ORDER BY one of these items itself, rather than an expression over it? */
function isPlainOrder(block: Block, keys: ReadonlySet<number | undefined>): boolean {
  return block.order.every(
    ({ id, keyed, isFloat, binding }) =>
      keyed === undefined && keys.has(id) && (!isFloat || binding.isNeverNaN === true),
  );
}

function isPlain(block: Block): boolean {
  const isOneSelect = !block.isDistinct && !block.isGrouped && !block.isUnnested && !block.hasWindows;
  return isOneSelect && block.groupKeys.length === 0 && block.offset === undefined && block.order.length > 0;
}

/** The statement's parts, where it selects plain columns of one table; `finish` makes a printed text the final one. */
export function planRows(
  block: Block,
  items: readonly SelectItem[],
  finish: (sql: string) => string,
): RowsPlan | undefined {
  const table = block.from?.table;
  if (table === undefined || block.limitCount === undefined || !isPlain(block)) return undefined;
  const stored = items.map(({ id }) => (id === undefined ? undefined : findColumn(block, id)?.stored));
  const columns = stored.flatMap((column: StoredColumn | undefined, index) => {
    const alias = items[index]?.alias;
    if (column === undefined || column.alias !== table.alias || alias === undefined) return [];
    return [{ column: column.column, alias, isText: column.isText }];
  });
  if (columns.length < items.length) return undefined;
  const keys = new Set(items.filter((_, index) => columns[index]?.isText === false).map(({ id }) => id));
  if (!isPlainOrder(block, keys)) return undefined;
  const [first] = block.order;
  const isTime = first !== undefined && findColumn(block, first.id)?.stored?.column === "timestamp";
  return {
    table: table.name,
    alias: table.alias,
    columns,
    where: finish(joinSql(block.where, " AND ").text),
    order: renderOrderBy(block, items).text,
    isNewestFirst: isTime && first.isDescending && !first.nullsFirst,
    limit: block.limitCount,
  };
}

/** The statement that the plan describes. */
export function printRows({ table, alias, columns, where, order, limit }: RowsPlan): string {
  const list = columns.map(({ column, alias: name }) => `${alias}."${column}" AS ${name}`).join(", ");
  const condition = where === "" ? "" : ` WHERE ${where}`;
  return `SELECT ${list} FROM "${table}" AS ${alias}${condition} ORDER BY ${order} LIMIT ${limit}::BIGINT`;
}
