/** The placeholders of a printed statement. */

/** Digits of a placeholder at most: a query has far fewer parameters. */
const MAX_DIGITS = 9;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Where the next `$1` stands, literals and names passed over; the text's length when there is none. */
function nextPlaceholder(sql: string, from: number): number {
  for (let at = from; at < sql.length; at++) {
    const code = sql.charCodeAt(at);
    if (code === 36 && isDigit(sql.charCodeAt(at + 1))) return at;
    if (code !== 34 && code !== 39) continue;
    // A doubled quote inside ends one literal and begins another.
    const close = sql.indexOf(code === 34 ? '"' : "'", at + 1);
    if (close === -1) break;
    at = close;
  }
  return sql.length;
}

/** Placeholders from here on stand for limits of the call, and are numbered behind those of parameters. */
export const FIRST_LIMIT = 900_001;

/** And from here on for the times that conditions on ids are bounded by, behind the limits. */
export const FIRST_BOUND = 950_001;

/**
 * Numbers the placeholders `$1` in the order in which they stand, each once, limits last; `used` are the numbers they
 * had.
 */
export function numberPlaceholders(sql: string): { readonly sql: string; readonly used: readonly number[] } {
  if (!sql.includes("$")) return { sql, used: [] };
  const found: { readonly at: number; readonly index: number }[] = [];
  for (let at = nextPlaceholder(sql, 0); at < sql.length; ) {
    const index = Number.parseInt(sql.slice(at + 1, at + 1 + MAX_DIGITS), 10);
    found.push({ at, index });
    at = nextPlaceholder(sql, at + 1 + String(index).length);
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
