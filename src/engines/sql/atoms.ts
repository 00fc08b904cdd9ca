/** The smallest pieces of SQL that every engine has: numbers, names, columns, operators. */
import { column, digits, literal, name, type Sql, words } from "./node.ts";

export const NULL = literal(null);
export const TRUE = literal(true);
export const FALSE = literal(false);

export function boolSql(value: boolean): Sql {
  return value ? TRUE : FALSE;
}

/** A number in its digits, as an engine reads them. */
export function numberSql(value: number | bigint): Sql {
  return typeof value === "bigint" || Number.isInteger(value) ? literal(BigInt(value)) : digits(String(value));
}

/** One of our names, of a function or a type, without any facts about it. */
export function nameSql(text: string): Sql {
  return name(text);
}

/** A name of a table or a column that may be any text. */
export function identifierSql(any: string): Sql {
  return column("", any);
}

/** A variable of a lambda, or a column, by one of our names: `lw_each`, `lw_row.v`. */
export function variableSql(text: string): Sql {
  return column(text);
}

/** A column or field by our own names: `s1.c2_path`. */
export function columnOf(table: string, field: string): Sql {
  return column(`${table}.${field}`);
}

/** A column of one of our tables by its name in the table. */
export function storedColumnOf(alias: string, any: string): Sql {
  return column(alias, any);
}

/** Operators by their signs. */
export type Sign =
  | "+"
  | "-"
  | "*"
  | "/"
  | "//"
  | "%"
  | "&"
  | "|"
  | "<"
  | "<="
  | ">"
  | ">="
  | "="
  | "!="
  | "<>"
  | "AND"
  | "OR";

export function signSql(sign: Sign): Sql {
  return words(sign);
}
