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

/** Is the sort key a text or NULL that is written out? It sorts nothing, and DuckDB refuses it. */
export function isConstantKey(sql: string): boolean {
  return sql === "NULL" || /^'(?:[^']|'')*'$/.test(sql);
}

/** A quoted identifier. A NUL cannot stand in one. */
export function quoteIdentifier(name: string): string {
  if (name.includes("\0")) throw new Error("An identifier cannot hold a NUL character");
  return `"${name.includes('"') ? name.replaceAll('"', '""') : name}"`;
}

/** How the value that `bindOnce` computes is read where the variable has this name. */
export function boundName(variable: string): string {
  return `${variable}.v`;
}

/**
 * Computes `expression` once and lets `body` use it by the name that it is given, as often as it likes. DuckDB has no
 * LET, so it is a lambda over a list of one, and the one a struct, which no dictionary stands for (see
 * `compile/hidden-failures.ts`). `variable` must be unique among nested uses: name it after the function it serves.
 */
export function bindOnce(expression: string, variable: string, body: (name: string) => string): string {
  return `list_transform([{'v': ${expression}}], lambda ${variable}: ${body(boundName(variable))})[1]`;
}

/**
 * An expression of NULL's type, so that it fits beside any other in a CASE, that fails the query with this message
 * (an SQL expression of type VARCHAR) when it is evaluated. DuckDB's own `error()` counts as volatile, which TRY(...)
 * does not take; and it must not be a condition of a CASE, which the optimizer would evaluate early where the message
 * is constant.
 */
export function raiseError(messageSql: string): string {
  return `[NULL][lw_fail(${messageSql})]`;
}

/**
 * Name of the physical field at `index` (from 0) of a STRUCT: GoogleSQL's fields may be unnamed or share a name,
 * DuckDB's may not.
 */
export function structFieldName(index: number): string {
  return `f${index + 1}`;
}
