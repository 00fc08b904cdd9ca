/** A SELECT as one SELECT. */
import { createRenderer, type OrderItem, type Select, type SelectItem, sortItem } from "../../sql/select.ts";
import { nameSql } from "../sql/atoms.ts";
import type { Refusal } from "../sql/refusal.ts";
import { type Sql, sql } from "../sql/sql.ts";
import type { Binding } from "./scope.ts";

export interface SelectBuilder extends Select<Binding> {
  /** Why the server does not run it; undefined where it does. */
  readonly refused: Refusal | undefined;
  /** FROM is a table of the server's, and no column is computed over it. */
  readonly isTable: boolean;
}

/** How a clause names a selected item: by its alias, if it is more than a column or a constant. */
function namesOf(items: readonly SelectItem[]): (expression: Sql) => Sql {
  const aliases = new Map(
    items.filter((item) => !item.sql.isRepeatable).map((item) => [item.sql, nameSql(item.alias)]),
  );
  return (expression) => aliases.get(expression) ?? expression;
}

const direction = (isDescending: boolean) => nameSql(isDescending ? "DESC" : "ASC");

/** NaN sorts with the NULLs in ClickHouse, and before every number in GoogleSQL. */
function printOrderKey(key: Sql, { type, isDescending, nullsFirst }: OrderItem<Binding>): Sql {
  if (type?.kind !== "FLOAT64" || isDescending !== nullsFirst) return sortItem(key, isDescending, nullsFirst);
  const nulls = sql`isNull(${key}) ${direction(nullsFirst)}`;
  return sql`${nulls}, isNaN(${key}) ${direction(!isDescending)}, ${key} ${direction(isDescending)}`;
}

const render = createRenderer<SelectBuilder>({
  orderKeys({ order }, items) {
    const nameOf = namesOf(items);
    return order.map((key) => printOrderKey(nameOf(key.binding.sql()), key));
  },
  groupNames: namesOf,
  conditionsOf: ({ where }) => where,
});

/** The statement that selects the items, or what the SELECT was asked for; the refusal of one that is refused. */
export function renderSelect(builder: SelectBuilder, items?: readonly SelectItem[]): Sql {
  return builder.refused ?? render(builder, items);
}
