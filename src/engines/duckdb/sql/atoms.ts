/** The smallest pieces of SQL: names, columns, literals and placeholders. */
import { digits, Fact, literal, type Sql, withFacts } from "../../sql/node.ts";
import { joinSql, sql } from "./sql.ts";

export * from "../../sql/atoms.ts";
export { placeholder } from "../../sql/node.ts";

const NUL = sql`chr(0)`;

/**
 * A string literal: the way of a caller's text into a statement, beside placeholders. DuckDB takes no NUL in one: such
 * a text is an expression that makes it.
 */
export function textSql(text: string): Sql {
  if (!text.includes("\0")) return literal(text);
  const parts = text.split("\0").flatMap((part, index) => [...(index === 0 ? [] : [NUL]), literal(part)]);
  return concatSql(parts);
}

/** Operands of a chain, which DuckDB reads as as many levels; it reads a thousand. */
const maxChain = 50;

/** `||` of texts or lists. Of many, as chains of chains: the operator is associative. */
export function concatSql(parts: readonly Sql[]): Sql {
  if (parts.length <= maxChain) return sql`(${joinSql(parts, " || ")})`;
  const chains = Array.from({ length: Math.ceil(parts.length / maxChain) }, (_, index) =>
    concatSql(parts.slice(index * maxChain, (index + 1) * maxChain)),
  );
  return concatSql(chains);
}

/**
 * The text of a list; none of its items may be NULL. In a chain of `||`, DuckDB looks at each item once for every one
 * behind it.
 */
export function listSql(open: string, items: readonly Sql[], separator: string, close: string): Sql {
  const between = textSql(separator);
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
  return sql`concat(${joinSql([textSql(open), ...parts, textSql(close)], ", ")})`;
}

/** A number from its digits; throws for anything else. */
export function decimalSql(text: string): Sql {
  if (!/^\d+(?:\.\d+)?(?:e\d+)?$/.test(text)) throw new Error(`Not a number: ${text}`);
  return digits(text);
}

/** A BIGINT. The smallest has no positive twin, and is a cast of a text. */
export function bigintSql(value: bigint): Sql {
  if (value !== -9223372036854775808n) return literal(value, "BIGINT");
  return withFacts(sql`CAST(${literal(String(value))} AS BIGINT)`, Fact.CONSTANT | Fact.REPEATABLE);
}

/** A constant of a type that is written out, such as `1::DOUBLE`. */
export function constant(strings: TemplateStringsArray): Sql {
  return withFacts(sql(strings), Fact.CONSTANT | Fact.REPEATABLE);
}
