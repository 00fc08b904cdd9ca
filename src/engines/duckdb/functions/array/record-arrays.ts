/**
 * An `ARRAY<RECORD>` is the JSON text of an array of objects (see layout.ts). Array functions work on lists; here is
 * the way to a list of the elements' JSON texts and back.
 */

import type { SqlType } from "../../../../googlesql/types.ts";
import { mapList } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";

/** Is it an array of a log's records, which is JSON text? */
export function isRecordArray(type: SqlType | undefined): boolean {
  return type?.kind === "ARRAY" && type.element.kind === "RECORD";
}

/** The array as a list, whatever its elements are. */
export function asList(array: Sql, type: SqlType | undefined): Sql {
  return isRecordArray(type) ? sql`CAST(CAST(${array} AS JSON) AS VARCHAR[])` : array;
}

/** The list in the form of the array type: the inverse of {@link asList}. The list is printed once. */
export function fromList(list: Sql, type: SqlType): Sql {
  if (!isRecordArray(type)) return list;
  return computeOnce([list], "records", (records) => {
    const texts = mapList(records, "lw_record", sql`coalesce(lw_record, 'null')`);
    return sql`CASE WHEN ${records} IS NOT NULL THEN '[' || coalesce(array_to_string(${texts}, ','), '') || ']' END`;
  });
}
