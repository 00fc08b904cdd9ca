/** Literals and names as ClickHouse reads them, for statements of the store. */

/** A string literal. */
export function quoteText(text: string): string {
  if (!/[\\'\0]/.test(text)) return `'${text.toWellFormed()}'`;
  return `'${text.toWellFormed().replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;
}

/** A quoted name of a table or column. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
