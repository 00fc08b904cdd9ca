/**
 * Plans for the newest rows of a table, `... ORDER BY timestamp DESC ... LIMIT n`: a statement that finds the time at
 * which they begin, and one that reads from there on; see docs/decisions/newest-rows.md.
 */

import { findColumn } from "../../lowering/find-column.ts";
import { type FromItem, type SelectItem, sortItem } from "../../sql/select.ts";
import { hasSortKey } from "../functions/sort-key.ts";
import { bigintSql, placeholder, storedColumnOf } from "../sql/atoms.ts";
import { castTo, select } from "../sql/forms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import { TIMESTAMP } from "../sql/types.ts";
import type { PlainColumn, RowsPlan } from "../statement-plan.ts";
import { type BoundedStatement, LATE_ROWS, type NewestPlan, type TimeValue } from "../statement-plan.ts";
import type { SelectBuilder } from "./compilation.ts";
import { NEWEST_BOUND } from "./limits.ts";
import { conditionsOf, orderKeys, renderSelect } from "./render.ts";

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
function isPlainSelect(builder: SelectBuilder): boolean {
  const { offset, order } = builder;
  return builder.compilation.printedCtes.size === 0 && isPlain(builder) && offset === undefined && order.length > 0;
}

/** The column of the table that the item is; undefined where it is anything else. */
function plainColumn(builder: SelectBuilder, { id, alias, sql }: SelectItem, table: string): PlainColumn | undefined {
  const stored = findColumn(builder, id ?? -1)?.stored;
  if (stored === undefined || !sql.isColumn || sql.token !== table || sql.value !== stored.column) return undefined;
  return { column: stored.column, alias, isText: stored.isText };
}

/** The statement's parts, where it selects plain columns of one table and does nothing else; `print` prints one. */
export function planRows(
  builder: SelectBuilder,
  items: readonly SelectItem[],
  print: (part: Sql) => string,
): RowsPlan | undefined {
  const table = builder.from?.table;
  const limit = builder.limit?.integer;
  if (table === undefined || limit === undefined || !isPlainSelect(builder)) return undefined;
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

/** How statements become text. */
interface Printing {
  readonly print: (statement: Sql) => BoundedStatement;
  /** Returns the position of a placeholder's value among those of the query's statement; -1 if it is not in it. */
  readonly positionOf: (placeholder: number) => number;
}

/**
 * The plan for the rows of a SELECT, if they are the newest of a table, or come from these. To be called last: it
 * bounds the SELECT that selects them.
 */
export function planNewest(
  root: SelectBuilder,
  items: readonly SelectItem[],
  { print, positionOf }: Printing,
): NewestPlan | undefined {
  const { idConditions, printedCtes, timeBounds } = root.compilation;
  const builder = limitedSelect(root);
  const { from, limit } = builder;
  const count = countOf(builder);
  // An id is found by bounds of its own.
  if (idConditions.size > 0 || printedCtes.size > 0 || !isNewestFirst(builder)) return undefined;
  if (from?.table === undefined || limit === undefined || count === undefined) return undefined;
  // Whether a query fails must not depend on which rows are looked at.
  if (partsOf(builder, builder === root ? items : [...builder.exports.values()]).some(isUnsafe)) return undefined;
  const { name: table, alias } = from.table;
  const bounds = (isWanted: boolean) =>
    timeBounds.flatMap(({ alias: of, isFrom, time }): TimeValue[] => {
      if (of !== alias || isFrom !== isWanted) return [];
      if (typeof time === "bigint") return [String(time)];
      const position = positionOf(time.placeholder);
      return position < 0 ? [] : [position];
    });
  const time = storedColumnOf(alias, "timestamp");
  builder.where.unshift(sql`(${time} >= ${castTo(placeholder(NEWEST_BOUND), TIMESTAMP)})`);
  // Behind the bound there are few rows. If DuckDB knew the limit when it plans, it would sort their numbers, and look
  // for each in all row groups of the table (see LATE_ROWS).
  builder.limit = sql`(${select(limit)})`;
  return {
    table,
    count,
    times: print(selectTimes(from, time, conditionsOf(builder))),
    rows: print(renderSelect(root, items)),
    from: bounds(true),
    until: bounds(false),
  };
}

/** More than are read late, for the reason above. */
function selectTimes(from: FromItem, time: Sql, where: readonly Sql[]): Sql {
  const [order, limit] = [sortItem(time, true, false), bigintSql(BigInt(LATE_ROWS + 1))];
  return select(sql`${time} FROM ${from.print()} WHERE ${joinSql(where, " AND ")} ORDER BY ${order} LIMIT ${limit}`);
}

/** The outermost SELECT that has a limit. What is around it reads no other rows. */
function limitedSelect(root: SelectBuilder): SelectBuilder {
  let builder = root;
  while (builder.inner !== undefined && builder.limit === undefined) builder = builder.inner.builder;
  return builder;
}

/** Does each row of the SELECT come from one row of FROM? */
function isPlain({ isGrouped, groupKeys, groupingSets, isDistinct, hasWindows }: SelectBuilder): boolean {
  return !isGrouped && groupKeys.length === 0 && groupingSets === undefined && !isDistinct && !hasWindows;
}

/** How many rows the SELECT asks for, with those that it skips; undefined where they are not of FROM, or too many. */
function countOf(builder: SelectBuilder): number | undefined {
  const [limit, skipped] = [builder.limit?.integer, builder.offset === undefined ? 0n : builder.offset.integer];
  if (!isPlain(builder) || limit === undefined || skipped === undefined) return undefined;
  return limit > 0n && limit + skipped <= BigInt(LATE_ROWS) ? Number(limit + skipped) : undefined;
}

function isNewestFirst(builder: SelectBuilder): boolean {
  const [first] = builder.order;
  if (first === undefined || !first.isDescending || first.nullsFirst) return false;
  return findColumn(builder, first.id)?.stored?.isEventTime === true;
}

/** All that is computed for each row that is looked at. */
function partsOf(builder: SelectBuilder, items: readonly SelectItem[]): readonly Sql[] {
  return [
    ...conditionsOf(builder),
    ...builder.order.map(({ binding }) => binding.sql()),
    ...items.map((item) => item.sql),
  ];
}

function isUnsafe({ canFail, holdsQuery }: Sql): boolean {
  return canFail || holdsQuery;
}
