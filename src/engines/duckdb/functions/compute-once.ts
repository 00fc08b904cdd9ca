/** Printing an argument in several places without computing it several times. */

const IDENTIFIER = String.raw`(?:"(?:[^"]|"")*"|[A-Za-z_]\w*)`;
const CONSTANT = String.raw`(?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?|\(-?\d+\)|\$\d+|true|false|NULL)`;
const TYPE = String.raw`[A-Za-z]+(?:\(\d+, ?\d+\))?`;
const COLUMN = `${IDENTIFIER}(?:\\.${IDENTIFIER})*`;
const FIXED = `${CONSTANT}(?:::${TYPE})?|CAST\\(${CONSTANT} AS ${TYPE}\\)`;
const SIMPLE = new RegExp(`^(?:${COLUMN}|${FIXED}|CAST\\(${COLUMN} AS DOUBLE\\))$`);
const SIMPLE_CONSTANT = new RegExp(`^(?:${FIXED})$`);

/** Is the printed expression a column (as a DOUBLE, too), a literal or a parameter, which cost nothing to repeat? */
export function isRepeatable(sql: string): boolean {
  return SIMPLE.test(sql);
}

/**
 * Prints `body` over expressions that it may use as often as it likes: those that are not repeatable are computed
 * once, as fields of a struct that a lambda binds. They stand outside the lambda's body, so they may hold
 * sub-queries, aggregates and other uses of this function. `variable` names the function it serves, so that it never
 * meets a column's name.
 */
export function computeOnce(
  expressions: readonly string[],
  variable: string,
  body: (...values: readonly string[]) => string,
): string {
  return expressions.every(isRepeatable) ? `(${body(...expressions)})` : computeApart(expressions, variable, body);
}

/**
 * The same with columns bound beside what is computed, also where they stand alone: one that the body read itself
 * would come with its dictionary (see `compile/hidden-failures.ts`).
 */
export function computeApart(
  expressions: readonly string[],
  variable: string,
  body: (...values: readonly string[]) => string,
): string {
  const bound: string[] = [];
  const names = expressions.map((expression) => {
    if (SIMPLE_CONSTANT.test(expression)) return expression;
    bound.push(`'a${bound.length}': ${expression}`);
    return `lw_${variable}.a${bound.length - 1}`;
  });
  if (bound.length === 0) return `(${body(...names)})`;
  return `list_transform([{${bound.join(", ")}}], lambda lw_${variable}: ${body(...names)})[1]`;
}

/** The digits of a printed INT64 literal, or undefined where the expression is something else. */
export function literalInteger(sql: string): bigint | undefined {
  const match = /^(?:\((-?\d+)\)|(-?\d+))(?:::BIGINT)?$/.exec(sql);
  const digits = match?.[1] ?? match?.[2];
  return digits === undefined ? undefined : BigInt(digits);
}
