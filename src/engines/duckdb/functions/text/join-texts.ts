/** A string literal: DuckDB's array_to_string and string_agg take no delimiter that is not constant. */
const LITERAL = /^'(?:[^']|'')*'$/;

/** Can DuckDB's own joining functions take this delimiter? */
export function isLiteralText(sql: string): boolean {
  return LITERAL.test(sql);
}

/** The texts of a list joined, NULLs left out; an empty text where none is left, NULL for a NULL list or delimiter. */
export function joinTexts(list: string, delimiter: string): string {
  if (!isLiteralText(delimiter)) return `lw_join(${list}, ${delimiter})`;
  // A list of NULLs joins to NULL in DuckDB, a NULL list as well.
  return `CASE WHEN ${list} IS NOT NULL THEN coalesce(array_to_string(${list}, ${delimiter}), '') END`;
}
