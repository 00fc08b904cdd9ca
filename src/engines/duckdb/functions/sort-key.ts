/** Sort keys for values whose order in DuckDB is not GoogleSQL's. */

import type { SqlType } from "../../../googlesql/types.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { DATE, TIMESTAMP } from "../sql/types.ts";
import { computeOnce } from "./compute-once.ts";
import { mixedKey } from "./mixed.ts";
import { intervalLength } from "./time/interval-parts.ts";

/** A RANGE without a start begins before all others, one without an end ends after them. */
function rangeKey(range: Sql, element: SqlType): Sql {
  const type = element.kind === "DATE" ? DATE : TIMESTAMP;
  return computeOnce([range], "range_key", (r) => {
    const start = sql`coalesce(struct_extract(${r}, 'start'), CAST('-infinity' AS ${type}))`;
    const end = sql`coalesce(struct_extract(${r}, 'end'), CAST('infinity' AS ${type}))`;
    return sql`CASE WHEN ${r} IS NOT NULL THEN struct_pack(s := ${start}, e := ${end}) END`;
  });
}

/** Are values of the type sorted by a key, not by themselves? */
export function hasSortKey({ kind }: SqlType): boolean {
  return kind === "MIXED" || kind === "RANGE" || kind === "INTERVAL";
}

/** The key of a printed value of the type, or the value itself. */
export function sortKey(type: SqlType, value: Sql): Sql {
  if (type.kind === "MIXED") return mixedKey(value);
  if (type.kind === "INTERVAL") return intervalLength(value);
  return type.kind === "RANGE" ? rangeKey(value, type.element) : value;
}
