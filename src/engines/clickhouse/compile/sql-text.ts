/** Expressions as text that may stand several times, and such that may not. */

/** Is it a text in quotes, and nothing else? */
export function isTextLiteral(sql: string): boolean {
  return /^'(?:[^'\\]|\\[\s\S])*'$/.test(sql);
}

/** Does the text cost nothing to be computed twice, and little to be written twice? */
export function isRepeatable(sql: string): boolean {
  return sql.length <= 80 && /^(?:[\w.`:]+|\{\w+:[\w(), ]+\}|'[^'\\]*'|\d+::Int64|toInt64\(-\d+\))$/.test(sql);
}

/**
 * Computes each expression once and lets `body` use it by name, as often as it likes. ClickHouse has no LET that is
 * sound inside of an expression, so it is a lambda over arrays of one.
 */
export function bind(expressions: readonly string[], prefix: string, body: (...names: string[]) => string): string {
  const names = expressions.map((sql, index) => (isRepeatable(sql) ? sql : `${prefix}${index + 1}`));
  const bound = expressions.flatMap((sql, index) => (names[index] === sql ? [] : [{ sql, name: names[index] }]));
  const text = body(...names);
  if (bound.length === 0) return text;
  const parameters = bound.map(({ name }) => name).join(", ");
  return `arrayMap((${parameters}) -> ${text}, ${bound.map(({ sql }) => `[${sql}]`).join(", ")})[1]`;
}
