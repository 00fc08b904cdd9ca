/**
 * An `ARRAY<RECORD>` is the JSON text of an array of objects (see layout.ts). Array functions work on lists; here is
 * the way to a list of the elements' JSON texts and back.
 */
import type { SqlType } from "../../../../googlesql/types.ts";
import { computeOnce } from "../compute-once.ts";

function isRecordArray(type: SqlType | undefined): boolean {
  return type?.kind === "ARRAY" && type.element.kind === "RECORD";
}

/** The array as a list, whatever its elements are. */
export function asList(sql: string, type: SqlType | undefined): string {
  return isRecordArray(type) ? `CAST(CAST(${sql} AS JSON) AS VARCHAR[])` : sql;
}

/** The list in the form of the array type: the inverse of {@link asList}. The list is printed once. */
export function fromList(list: string, type: SqlType): string {
  if (!isRecordArray(type)) return list;
  return computeOnce([list], "records", (records) => {
    const texts = `list_transform(${records}, lambda lw_record: coalesce(lw_record, 'null'))`;
    return `CASE WHEN ${records} IS NOT NULL THEN '[' || coalesce(array_to_string(${texts}, ','), '') || ']' END`;
  });
}
