/** The smallest pieces of SQL: names, columns, literals and placeholders. */
import { quoteIdentifier, quoteString } from "../sql-text.ts";
import { Fact, type LiteralValue, Sql } from "./sql.ts";

const LITERAL = Fact.CONSTANT | Fact.REPEATABLE;
const BARE_LITERAL = LITERAL | Fact.BARE;

function literal(text: string, value?: LiteralValue): Sql {
  return new Sql(text, BARE_LITERAL, value);
}

/**
 * A string literal: the way of a caller's text into a statement, beside placeholders. One with a NUL is an expression
 * that makes it.
 */
export function textSql(text: string): Sql {
  const quoted = quoteString(text);
  return text.includes("\0") ? new Sql(quoted, 0) : literal(quoted, text);
}

/** A number as DuckDB reads it: an INTEGER or BIGINT, or a DECIMAL. */
export function numberSql(value: number | bigint): Sql {
  return literal(String(value), typeof value === "bigint" || Number.isInteger(value) ? BigInt(value) : undefined);
}

/** A number from its digits; throws for anything else. */
export function decimalSql(digits: string): Sql {
  if (!/^\d+(?:\.\d+)?(?:e\d+)?$/.test(digits)) throw new Error(`Not a number: ${digits}`);
  return literal(digits);
}

/** A BIGINT. The smallest has no positive twin, and is a cast of a text. */
export function bigintSql(value: bigint): Sql {
  if (value === -9223372036854775808n) return new Sql(`CAST('${value}' AS BIGINT)`, LITERAL);
  // In parentheses, so that a minus before it makes no comment.
  return new Sql(value < 0n ? `(${value})::BIGINT` : `${value}::BIGINT`, LITERAL, value);
}

export const NULL = literal("NULL", null);
export const TRUE = literal("true", true);
export const FALSE = literal("false", false);

export function boolSql(value: boolean): Sql {
  return value ? TRUE : FALSE;
}

/** A constant of a type that is written out, such as `1::DOUBLE`. */
export function constant(strings: TemplateStringsArray): Sql {
  return new Sql(strings[0] ?? "", LITERAL);
}

/** The placeholder of a parameter, by its number. */
export function placeholder(index: number): Sql {
  return literal(`$${index}`);
}

/** One of our names, of a function or a type, without any facts about it. */
export function nameSql(name: string): Sql {
  return new Sql(name, Fact.NAME);
}

/** A name of a table or a column that may be any text. */
export function identifierSql(name: string): Sql {
  return new Sql(quoteIdentifier(name), Fact.COLUMN | Fact.REPEATABLE);
}

/** A variable of a lambda, or a column, by one of our names: `lw_each`, `lw_row.v`. */
export function variableSql(name: string): Sql {
  return new Sql(name, Fact.COLUMN | Fact.REPEATABLE);
}

/** A column or field by our own names: `s1.c2_path`. */
export function columnOf(table: string, name: string): Sql {
  return new Sql(`${table}.${name}`, Fact.COLUMN | Fact.REPEATABLE);
}

/** A column of one of our tables by its name in the table. */
export function storedColumnOf(alias: string, column: string): Sql {
  return columnOf(alias, quoteIdentifier(column));
}

/** Operators by their signs. */
export type Sign = "+" | "-" | "*" | "/" | "//" | "%" | "&" | "|" | "<" | "<=" | ">" | ">=" | "=" | "<>" | "AND" | "OR";

export function signSql(sign: Sign): Sql {
  return new Sql(sign, 0);
}
