import { findColumn } from "../../lowering/find-column.ts";
import { joinSql } from "../sql/sql.ts";
import type { RowsPlan } from "../statement-plan.ts";
import type { Block, SelectItem } from "./block.ts";
import { renderOrderBy } from "./render.ts";

/** Is every key of ORDER BY one of these items itself, rather than an expression over it? */
function isPlainOrder(block: Block, keys: ReadonlySet<number | undefined>): boolean {
  return block.order.every(
    ({ id, keyed, isFloat, binding }) =>
      keyed === undefined && keys.has(id) && (!isFloat || binding.isNeverNaN === true),
  );
}

/**
 * The statement's parts, where it selects plain columns of one table; `finish` makes a printed text the final one. A
 * statement that has other parts or columns is not what `printRows` makes of these.
 */
export function planRows(
  block: Block,
  items: readonly SelectItem[],
  finish: (sql: string) => string,
): RowsPlan | undefined {
  const table = block.from?.table;
  const limit = block.limit?.integer;
  if (table === undefined || limit === undefined) return undefined;
  const columns = items.flatMap(({ id, alias }) => {
    const stored = findColumn(block, id ?? -1)?.stored;
    return stored === undefined ? [] : [{ column: stored.column, alias, isText: stored.isText }];
  });
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
    limit: Number(limit),
  };
}

/** The statement that the plan describes. */
export function printRows({ table, alias, columns, where, order, limit }: RowsPlan): string {
  const list = columns.map(({ column, alias: name }) => `${alias}."${column}" AS ${name}`).join(", ");
  const condition = where === "" ? "" : ` WHERE ${where}`;
  return `SELECT ${list} FROM "${table}" AS ${alias}${condition} ORDER BY ${order} LIMIT ${limit}::BIGINT`;
}
