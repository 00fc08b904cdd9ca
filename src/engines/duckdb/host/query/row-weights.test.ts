import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import { weighRows } from "./row-weights.ts";

/** A value as JSON has it: texts, numbers, lists, and records as objects. */
type Plain = string | number | null | readonly Plain[] | { readonly [field: string]: Plain };

/** The same the plain way: what texts have, two bytes more for each value, and two for each list and record. */
function weigh(value: Plain, isText: boolean): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + weigh(each, isText), 2);
  if (value !== null && typeof value === "object") {
    return Object.values(value).reduce<number>(
      (sum, each) => sum + (typeof each === "number" ? 0 : weigh(each, true)),
      2,
    );
  }
  return 2 + (typeof value === "string" ? Buffer.byteLength(value) : 0);
}

const ROWS = 150;
const textOf = (n: number) => (n % 3 === 0 ? null : "é".repeat(n % 40));
const listOf = (n: number) =>
  n % 5 === 0 ? null : Array.from({ length: n % 4 }, (_, i) => (i === 1 ? null : textOf(n + i)));

describe("the weight of a row", () => {
  const duckdb = useDatabase();
  beforeAll(async () => {
    await duckdb.connection.all("CREATE MACRO text_of(n) AS CASE WHEN n % 3 <> 0 THEN repeat('é', n % 40) END");
    await duckdb.connection.all(
      "CREATE MACRO list_of(n) AS CASE WHEN n % 5 <> 0 THEN " +
        "list_transform(range(n % 4), lambda i: CASE WHEN i <> 1 THEN text_of(n + i) END) END",
    );
  });

  async function weights(columns: string): Promise<readonly number[] | undefined> {
    const { next } = await duckdb.connection.stream(`SELECT ${columns} FROM range(${ROWS}) AS r(n) ORDER BY n`, []);
    const chunk = await next();
    if (chunk === undefined) throw new Error("There are rows");
    const weighRow = weighRows(chunk);
    const found = weighRow && Array.from({ length: chunk.rowCount }, (_, row) => weighRow(row));
    while ((await next()) !== undefined);
    return found;
  }

  it.each<[string, string, (n: number) => number]>([
    ["a text, by its bytes", "text_of(n)", (n) => weigh(textOf(n), true)],
    ["bytes", "encode(text_of(n))", (n) => weigh(textOf(n), true)],
    ["a list of texts", "list_of(n)", (n) => weigh(listOf(n), true)],
    ["a list of lists", "[list_of(n), list_of(n + 1)]", (n) => weigh([listOf(n), listOf(n + 1)], true)],
    ["a list of numbers", "range(n % 7)", (n) => 2 * ((n % 7) + 1)],
    [
      "a record",
      "{'a': text_of(n), 'b': n, 'c': list_of(n)}",
      (n) => weigh({ a: textOf(n), b: n, c: listOf(n) }, true),
    ],
    ["several columns", "n, text_of(n), list_of(n)", (n) => weigh(textOf(n), true) + weigh(listOf(n), true)],
  ])("is that of %s", async (_, columns, expected) => {
    expect(await weights(columns)).toEqual(Array.from({ length: ROWS }, (_, n) => expected(n)));
  });

  it.each(["n", "n, n / 2", "{'a': n}"])("is not asked for where rows are small: %s", async (columns) => {
    expect(await weights(columns)).toBeUndefined();
  });
});
