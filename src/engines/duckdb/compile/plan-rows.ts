import { findColumn } from "../../lowering/find-column.ts";
import type { SelectItem } from "../../sql/select.ts";
import { hasSortKey } from "../functions/sort-key.ts";
import { joinSql, type Sql } from "../sql/sql.ts";
import type { PlainColumn, RowsPlan } from "../statement-plan.ts";
import type { Compilation } from "./compilation.ts";
import { conditionsOf, orderKeys, type SelectBuilder } from "./render.ts";

/** Is every key of ORDER BY one of these items itself, rather than an expression over it? */
function isPlainOrder(builder: SelectBuilder, keys: ReadonlySet<number | undefined>): boolean {
  return builder.order.every(
    ({ id, type, binding }) =>
      type !== undefined &&
      !hasSortKey(type) &&
      keys.has(id) &&
      (type.kind !== "FLOAT64" || binding.isNeverNaN === true),
  );
}

/** Is the statement one SELECT of rows of the table, in an order: nothing around it, and nothing grouped in it? */
function isPlainSelect(compilation: Compilation, builder: SelectBuilder): boolean {
  const isGrouped = builder.isGrouped || builder.groupKeys.length > 0 || builder.groupingSets !== undefined;
  return (
    compilation.printedCtes.size === 0 &&
    !isGrouped &&
    !builder.isDistinct &&
    builder.offset === undefined &&
    builder.order.length > 0
  );
}

/** The column of the table that the item is; undefined where it is anything else. */
function plainColumn(builder: SelectBuilder, { id, alias, sql }: SelectItem, table: string): PlainColumn | undefined {
  const stored = findColumn(builder, id ?? -1)?.stored;
  if (stored === undefined || !sql.isColumn || sql.token !== table || sql.value !== stored.column) return undefined;
  return { column: stored.column, alias, isText: stored.isText };
}

/** The statement's parts, where it selects plain columns of one table and does nothing else; `print` prints one. */
export function planRows(
  compilation: Compilation,
  builder: SelectBuilder,
  items: readonly SelectItem[],
  print: (part: Sql) => string,
): RowsPlan | undefined {
  const table = builder.from?.table;
  const limit = builder.limit?.integer;
  if (table === undefined || limit === undefined || !isPlainSelect(compilation, builder)) return undefined;
  const columns = items.flatMap((item) => plainColumn(builder, item, table.alias) ?? []);
  if (columns.length < items.length) return undefined;
  const keys = new Set(items.filter((_, index) => columns[index]?.isText === false).map(({ id }) => id));
  if (!isPlainOrder(builder, keys)) return undefined;
  const [first] = builder.order;
  const isTime = first !== undefined && findColumn(builder, first.id)?.stored?.column === "timestamp";
  return {
    table: table.name,
    alias: table.alias,
    columns,
    where: print(joinSql(conditionsOf(builder), " AND ")),
    order: print(joinSql(orderKeys(builder, items), ", ")),
    isNewestFirst: isTime && first.isDescending && !first.nullsFirst,
    limit: Number(limit),
  };
}
