/** Lists as arguments of UDFs. */

/**
 * A list whose elements lie one by one in memory. DuckDB hands lists to a UDF as they are; where a cast made one of
 * NULLs only, a single element stands for all, and the UDF would read whatever lies behind it.
 */
export function udfList(list: string): string {
  return `list_transform(${list}, lambda lw_each: lw_each)`;
}

/** A list of printed VARCHAR expressions. */
export function udfTexts(items: readonly string[]): string {
  const typed = items.map((item) => (item === "NULL" ? "CAST(NULL AS VARCHAR)" : item));
  return typed.length === 0 ? "CAST([] AS VARCHAR[])" : `[${typed.join(", ")}]`;
}
