/** A block as text. */
import type { SqlType } from "../../../googlesql/types.ts";
import type { Binding } from "./scope.ts";
import { isRepeatable, isTextLiteral } from "./sql-text.ts";

export interface SelectItem {
  readonly alias: string;
  readonly sql: string;
}

interface OrderItem {
  readonly id: number;
  readonly binding: Binding;
  readonly type: SqlType;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

export interface Block {
  /** Printed last, so that sub-selects have been asked for everything. Undefined without FROM. */
  from: (() => string) | undefined;
  /** FROM is a table of the server's, and no column is computed over it. */
  isTable: boolean;
  where: readonly string[];
  groupKeys: readonly { readonly id: number; readonly sql: string }[];
  groupingSets: readonly (readonly number[])[] | undefined;
  isGrouped: boolean;
  isDistinct: boolean;
  hasWindows: boolean;
  order: readonly OrderItem[];
  limit: string | undefined;
  offset: string | undefined;
  readonly exports: Map<number | string, SelectItem>;
  readonly bindings: Map<number, Binding>;
  sources: ((id: number) => Binding | undefined)[];
  readonly depth: number;
}

/** How a clause names a selected item: by its alias, if its text is more than a name or a literal. */
type NameOf = (sql: string) => string;

function namesOf(items: readonly SelectItem[]): NameOf {
  const aliases = new Map(
    items.filter(({ sql }) => !isRepeatable(sql) && !isTextLiteral(sql)).map(({ alias, sql }) => [sql, alias]),
  );
  return (sql) => aliases.get(sql) ?? sql;
}

/** NaN sorts with the NULLs in ClickHouse, and before every number in GoogleSQL. */
function printOrderKey({ binding, type, isDescending, nullsFirst }: Block["order"][number], nameOf: NameOf): string {
  const direction = isDescending ? "DESC" : "ASC";
  const sql = nameOf(binding.sql());
  const nulls = nullsFirst ? "NULLS FIRST" : "NULLS LAST";
  if (type.kind !== "FLOAT64" || isDescending !== nullsFirst) return `${sql} ${direction} ${nulls}`;
  return `isNull(${sql}) ${nullsFirst ? "DESC" : "ASC"}, isNaN(${sql}) ${isDescending ? "ASC" : "DESC"}, ${sql} ${direction}`;
}

function printGroupBy({ groupKeys, groupingSets, isGrouped }: Block, nameOf: NameOf): string {
  if (!isGrouped || groupKeys.length === 0) return "";
  const texts = new Map(groupKeys.map(({ id, sql }) => [id, nameOf(sql)]));
  if (groupingSets === undefined) return ` GROUP BY ${[...texts.values()].join(", ")}`;
  const sets = groupingSets.map((set) => `(${set.map((id) => texts.get(id)).join(", ")})`);
  return ` GROUP BY GROUPING SETS (${sets.join(", ")})`;
}

/** The statement that selects the items, or what the block was asked for. */
export function renderBlock(block: Block, given: Iterable<SelectItem> = block.exports.values()): string {
  const items = [...given];
  const nameOf = namesOf(items);
  const selected = items.map(({ alias, sql }) => `${sql} AS ${alias}`);
  // Without a key and an aggregate it would be no group any more.
  const hidden = block.isGrouped && block.groupKeys.length === 0 ? "count() AS hidden" : "1 AS hidden";
  const list = selected.length === 0 ? hidden : selected.join(", ");
  const order = block.order.map((key) => printOrderKey(key, nameOf));
  const where = block.where.length === 0 ? "" : ` WHERE ${block.where.join(" AND ")}`;
  const limit = block.limit === undefined ? "" : ` LIMIT ${block.limit}`;
  const offset = block.offset === undefined ? "" : ` OFFSET ${block.offset}`;
  const from = block.from === undefined ? "" : ` FROM ${block.from()}`;
  return (
    `SELECT ${block.isDistinct ? "DISTINCT " : ""}${list}${from}${where}${printGroupBy(block, nameOf)}` +
    `${order.length === 0 ? "" : ` ORDER BY ${order.join(", ")}`}${limit}${offset}`
  );
}
