/** The placeholders of a printed statement. */

/** Placeholders, and literals and names, which hold none; a doubled quote inside ends one and begins another. */
const PLACEHOLDER = /'[^']*'|"[^"]*"|\$\d{1,9}/g;

/** Placeholders from here on are limits of the call, and are numbered after those of parameters. */
export const FIRST_LIMIT = 900_001;

/** And from here on the time bounds of conditions on ids, after the limits. */
export const FIRST_BOUND = 950_001;

/**
 * Numbers the placeholders `$1` in the order in which they stand, each once, limits last; `used` are the numbers they
 * had.
 */
export function numberPlaceholders(sql: string): { readonly sql: string; readonly used: readonly number[] } {
  if (!sql.includes("$")) return { sql, used: [] };
  const found: { readonly at: number; readonly index: number }[] = [];
  PLACEHOLDER.lastIndex = 0;
  while (PLACEHOLDER.test(sql)) {
    const end = PLACEHOLDER.lastIndex;
    const last = sql[end - 1];
    if (last === "'" || last === '"') continue;
    const at = sql.lastIndexOf("$", end);
    found.push({ at, index: Number.parseInt(sql.slice(at + 1, end), 10) });
  }
  const indices = [...new Set(found.map(({ index }) => index))];
  const used = [
    ...indices.filter((index) => index < FIRST_LIMIT),
    ...indices.filter((index) => index >= FIRST_LIMIT).sort((left, right) => left - right),
  ];
  const numbers = new Map(used.map((index, position) => [index, position + 1]));
  let numbered = "";
  let copied = 0;
  for (const { at, index } of found) {
    numbered += `${sql.slice(copied, at)}$${numbers.get(index)}`;
    copied = at + 1 + String(index).length;
  }
  return { sql: numbered + sql.slice(copied), used };
}
