/** Lists that are longer than DuckDB reads in one expression become groups that it reads. */
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";

const list = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(", ");

let edge: TestDatabase;
beforeAll(async () => {
  edge = await openEdgeDatabase();
});
afterAll(() => edge.database.close());

it("a long list is joined, and compared, in groups that nest less than DuckDB reads", async () => {
  const length = (text: string) => `LENGTH(${text})`;
  const items = [
    length(`CONCAT(${list(1_000, () => "'ab'")})`),
    length(`FORMAT('${"%d".repeat(999)}', ${list(999, (n) => String(n % 10))})`),
    `ARRAY_CONCAT(${list(1_000, (n) => `[${n}]`)})[999]`,
    `GREATEST(${list(1_000, (n) => String((n * 7) % 1_000))})`,
    `LEAST(${list(999, (n) => `${n + 5}.5`)}, CAST('nan' AS FLOAT64))`,
    `GREATEST(${list(1_000, (n) => `NULLIF(${n}, 77)`)})`,
  ];
  expect(await edge.rows(`SELECT ${items.join(", ")}`)).toEqual([[2_000, 999, 999, 999, "NaN", null]]);
});

it("a long concatenation is no deeper than the engine reads, in order", async () => {
  const numbers = Array.from({ length: 999 }, (_, n) => `${n},`);
  const quoted = numbers.map((each) => `'${each}'`).join(", ");
  expect(await edge.rows(`SELECT CONCAT(id, ${quoted}) AS t FROM edge_logs WHERE id = 'a'`)).toEqual([
    [`a${numbers.join("")}`],
  ]);
  const lists = numbers.map((each) => `[${each.slice(0, -1)}]`).join(", ");
  expect(await edge.rows(`SELECT ARRAY_LENGTH(ARRAY_CONCAT(${lists})) AS n`)).toEqual([[999]]);
  expect(await edge.rows(`SELECT LENGTH('${"a\\x00".repeat(1_000)}') AS n`)).toEqual([[2_000]]);
});

it("a struct, an array or a row of many is written in no deeper an expression than the engine reads", async () => {
  const struct = `STRUCT(${list(999, (n) => `${n} AS f${n}`)})`;
  const items = [`TO_JSON_STRING(${struct})`, `FORMAT('%T', ${struct})`, `JSON_ARRAY(${list(999, String)})`];
  const [row = []] = await edge.rows(`SELECT ${items.map((item) => `LENGTH(FORMAT('%t', ${item}))`).join(", ")}`);
  const digits = Array.from({ length: 999 }, (_, n) => String(n)).join("").length;
  // `{"f0":0,...}`, `(0, ...)` and `[0,...]`.
  expect(row).toEqual([2 * digits + 5 * 999 + 1, digits + 2 * 999, digits + 999 + 1]);
});
