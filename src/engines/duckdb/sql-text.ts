/**
 * Literals and identifiers as DuckDB reads them. Every text of a caller passes through here or through a bound
 * parameter.
 */

/**
 * A string literal. DuckDB knows no backslash escapes in plain literals; NUL cannot stand in one and is built with
 * chr(0).
 */
export function quoteString(text: string): string {
  if (!text.includes("\0")) return `'${text.includes("'") ? text.replaceAll("'", "''") : text}'`;
  return `(${text
    .split("\0")
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(" || chr(0) || ")})`;
}

/** A quoted identifier. A NUL cannot stand in one. */
export function quoteIdentifier(name: string): string {
  if (name.includes("\0")) throw new Error("An identifier cannot hold a NUL character");
  return `"${name.includes('"') ? name.replaceAll('"', '""') : name}"`;
}

/**
 * Name of the physical field at `index` (from 0) of a STRUCT: GoogleSQL's fields may be unnamed or share a name,
 * DuckDB's may not.
 */
export function structFieldName(index: number): string {
  return `f${index + 1}`;
}
