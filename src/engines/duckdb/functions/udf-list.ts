/** Lists as arguments of UDFs. */

import { constant, variableSql } from "../sql/atoms.ts";
import { mapList } from "../sql/forms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";

/**
 * A list whose elements lie one by one in memory. DuckDB hands lists to a UDF as they are; where a cast made one of
 * NULLs only, a single element stands for all, and the UDF would read whatever lies behind it.
 */
export function udfList(list: Sql): Sql {
  return mapList(list, "lw_each", variableSql("lw_each"));
}

/** A list of printed VARCHAR expressions. */
export function udfTexts(items: readonly Sql[]): Sql {
  const typed = items.map((item) => (item.value === null ? constant`CAST(NULL AS VARCHAR)` : item));
  return typed.length === 0 ? sql`CAST([] AS VARCHAR[])` : sql`[${joinSql(typed, ", ")}]`;
}
