import { type Sql, sql } from "../../sql/sql.ts";

/**
 * The texts of a list joined, NULLs left out; an empty text where none is left, NULL for a NULL list or delimiter.
 * DuckDB's array_to_string takes no delimiter that is not constant.
 */
export function joinTexts(list: Sql, delimiter: Sql): Sql {
  if (delimiter.literalText === undefined) return sql`lw_join(${list}, ${delimiter})`;
  // A list of NULLs joins to NULL in DuckDB, a NULL list as well.
  return sql`CASE WHEN ${list} IS NOT NULL THEN coalesce(array_to_string(${list}, ${delimiter}), '') END`;
}
