import { findColumn } from "../../lowering/find-column.ts";
import { joinSql, type Sql } from "../sql/sql.ts";
import type { PlainColumn, RowsPlan } from "../statement-plan.ts";
import type { Compilation } from "./compilation.ts";
import type { Block, SelectItem } from "./render.ts";
import { conditionsOf, renderOrderBy } from "./render.ts";

/** Is every key of ORDER BY one of these items itself, rather than an expression over it? */
function isPlainOrder(block: Block, keys: ReadonlySet<number | undefined>): boolean {
  return block.order.every(
    ({ id, keyed, isFloat, binding }) =>
      keyed === undefined && keys.has(id) && (!isFloat || binding.isNeverNaN === true),
  );
}

/** Is the statement one SELECT of rows of the table, in an order: nothing around it, and nothing grouped in it? */
function isPlainSelect(compilation: Compilation, block: Block): boolean {
  const isGrouped = block.isGrouped || block.groupKeys.length > 0 || block.groupingSets !== undefined;
  return (
    compilation.printedCtes.size === 0 &&
    !isGrouped &&
    !block.isDistinct &&
    block.offset === undefined &&
    block.order.length > 0
  );
}

/** The column of the table that the item is; undefined where it is anything else. */
function plainColumn(block: Block, { id, alias, sql }: SelectItem, table: string): PlainColumn | undefined {
  const stored = findColumn(block, id ?? -1)?.stored;
  if (stored === undefined || !sql.isColumn || sql.token !== table || sql.value !== stored.column) return undefined;
  return { column: stored.column, alias, isText: stored.isText };
}

/** The statement's parts, where it selects plain columns of one table and does nothing else; `print` prints one. */
export function planRows(
  compilation: Compilation,
  block: Block,
  items: readonly SelectItem[],
  print: (part: Sql) => string,
): RowsPlan | undefined {
  const table = block.from?.table;
  const limit = block.limit?.integer;
  if (table === undefined || limit === undefined || !isPlainSelect(compilation, block)) return undefined;
  const columns = items.flatMap((item) => plainColumn(block, item, table.alias) ?? []);
  if (columns.length < items.length) return undefined;
  const keys = new Set(items.filter((_, index) => columns[index]?.isText === false).map(({ id }) => id));
  if (!isPlainOrder(block, keys)) return undefined;
  const [first] = block.order;
  const isTime = first !== undefined && findColumn(block, first.id)?.stored?.column === "timestamp";
  return {
    table: table.name,
    alias: table.alias,
    columns,
    where: print(joinSql(conditionsOf(block), " AND ")),
    order: print(renderOrderBy(block, items)),
    isNewestFirst: isTime && first.isDescending && !first.nullsFirst,
    limit: Number(limit),
  };
}
