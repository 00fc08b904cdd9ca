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

/** Numbers the placeholders `$1` in the order in which they stand, each parameter once; `used` are the numbers they had. */
export function numberPlaceholders(sql: string): { readonly sql: string; readonly used: readonly number[] } {
  const used: number[] = [];
  if (!sql.includes("$")) return { sql, used };
  let numbered = "";
  let copied = 0;
  for (let at = nextPlaceholder(sql, 0); at < sql.length; at = nextPlaceholder(sql, copied)) {
    const index = Number.parseInt(sql.slice(at + 1, at + 1 + MAX_DIGITS), 10);
    if (!used.includes(index)) used.push(index);
    numbered += `${sql.slice(copied, at)}$${used.indexOf(index) + 1}`;
    copied = at + 1 + String(index).length;
  }
  return { sql: numbered + sql.slice(copied), used };
}
