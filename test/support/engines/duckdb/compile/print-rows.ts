import type { RowsPlan } from "../../../../../src/engines/duckdb/statement-plan.ts";

/** The statement that the plan describes. */
export function printRows({ table, alias, columns, where, order, limit }: RowsPlan): string {
  const list = columns.map(({ column, alias: name }) => `${alias}."${column}" AS ${name}`).join(", ");
  const condition = where === "" ? "" : ` WHERE ${where}`;
  return `SELECT ${list} FROM "${table}" AS ${alias}${condition} ORDER BY ${order} LIMIT ${limit}::BIGINT`;
}
