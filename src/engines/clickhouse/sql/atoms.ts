/** The smallest pieces of SQL: names, columns, literals and placeholders. */
import { literal, type Sql } from "../../sql/node.ts";

export * from "../../sql/atoms.ts";
export { placeholder } from "../../sql/node.ts";

/** A string literal: the way of a caller's text into a statement, beside placeholders. */
export function textSql(text: string): Sql {
  return literal(text);
}

/** An Int64. */
export function int64Sql(value: bigint | number | string): Sql {
  return literal(BigInt(value), "Int64");
}
