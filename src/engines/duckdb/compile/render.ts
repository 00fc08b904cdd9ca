/** The finished text of a SELECT. */

import type { SqlType } from "../../../googlesql/types.ts";
import { createRenderer, type SelectItem, sortItem } from "../../sql/select.ts";
import { hasSortKey, sortKey } from "../functions/sort-key.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { isConstantKey } from "../sql/forms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import type { SelectBuilder } from "./compilation.ts";
import type { Binding } from "./scope.ts";

/** The names that columns have in a select list. */
function aliasesOf(items: readonly SelectItem[]): ReadonlyMap<number | undefined, string> {
  return new Map(items.map(({ id, alias }) => [id, alias]));
}

/** Prints the sort key of a value, from the columns alone if these are sufficient. */
function printKey({ as, sql: print }: Binding, type: SqlType): Sql {
  return (type.kind === "MIXED" ? as?.(type) : undefined) ?? sortKey(type, print());
}

/** The keys of ORDER BY. */
export function orderKeys(builder: SelectBuilder, items: readonly SelectItem[]): readonly Sql[] {
  const aliases = aliasesOf(items);
  const parts: Sql[] = [];
  if (items.length === 0) return parts;
  for (const { id, binding, type, isDescending, nullsFirst } of builder.order) {
    // In ARRAY(...) DuckDB finds no aliases.
    const alias = builder.outer === undefined ? aliases.get(id) : undefined;
    // GoogleSQL sorts NaN before all other numbers, DuckDB after them.
    if (type?.kind === "FLOAT64" && binding.isNeverNaN !== true) {
      parts.push(sortItem(sql`isnan(${binding.sql()})`, !isDescending, nullsFirst));
    }
    const isKeyed = type !== undefined && hasSortKey(type);
    const plain = () => (alias === undefined ? binding.sql() : nameSql(alias));
    const key = isKeyed ? printKey(binding, type) : plain();
    if (!isConstantKey(key)) parts.push(sortItem(key, isDescending, nullsFirst));
  }
  return parts;
}

/** Keys by their positions where they are selected, be it as another column: a copy has lambdas of other names. */
function groupNames(items: readonly SelectItem[]): (key: Sql) => Sql {
  return (key) => {
    const position = items.findIndex((item) => item.sql === key);
    return position < 0 ? key : numberSql(position + 1);
  };
}

/**
 * The conditions of WHERE. One that may fail holds all that are computed before it, in branches of a CASE: DuckDB
 * computes those in their order, and the parts of an AND in any.
 */
export function conditionsOf({ where, lastWhere }: SelectBuilder): readonly Sql[] {
  const last = lastWhere.at(-1);
  if (last === undefined) return where;
  const first = [...(where.length === 0 ? [] : [joinSql(where, " AND ")]), ...lastWhere.slice(0, -1)];
  if (first.length === 0) return [last];
  const branches = first.map((each) => sql`WHEN (${each}) IS DISTINCT FROM true THEN false`);
  return [...where, sql`CASE ${joinSql(branches, " ")} ELSE ${last} END`];
}

/** The finished SELECT: the given items, or everything that was exported. */
export const renderSelect = createRenderer<SelectBuilder>({ orderKeys, groupNames, conditionsOf });
