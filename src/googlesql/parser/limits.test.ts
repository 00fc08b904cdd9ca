import { describe, expect, it } from "vitest";
import { printQuery } from "../../../test/support/googlesql/print-query.ts";
import { diagnose, treeOf } from "../../../test/support/googlesql/tree.ts";
import { sampleSize } from "../../../test/support/sample-size.ts";
import {
  MAX_ARGUMENTS,
  MAX_CHAIN_LENGTH,
  MAX_LIST_ITEMS,
  MAX_NESTING_DEPTH,
  MAX_OPERANDS,
  MAX_QUERY_LENGTH,
  MAX_SUBQUERIES,
  MAX_SUBQUERY_DEPTH,
  MAX_TOKENS,
} from "../limits.ts";
import { parseQuery } from "../parse.ts";

/** The opening of a construct, its innermost part, and its closing. */
const NESTABLE: readonly (readonly [string, string, string])[] = [
  ["(", "1", ")"],
  ["f(", "1", ")"],
  ["CASE WHEN a THEN 1 ELSE ", "1", " END"],
  ["[", "1", "]"],
  ["NOT ", "a", ""],
  ["- ", "1", ""],
  ["f(x -> ", "1", ")"],
  ["a[", "1", "]"],
  ["1 IN (", "1", ")"],
  ["SUM(1) OVER (PARTITION BY ", "1", ")"],
  ["CAST(", "1", " AS INT64)"],
  ["INTERVAL ", "1", " DAY"],
  ["(a OR b AND NOT c = 1 + 2 * -", "1", ")"],
];

function nest([open, inner, close]: readonly [string, string, string], levels: number): string {
  return `SELECT ${open.repeat(levels)}${inner}${close.repeat(levels)}`;
}

describe("the parser's limits", () => {
  it.each(NESTABLE)("allow %s to nest deeply, and reject deeper nesting", (...construct) => {
    const text = nest(construct, Math.floor(MAX_NESTING_DEPTH / 8));
    expect(printQuery(parseQuery(text))).not.toBe("");
    for (const levels of [MAX_NESTING_DEPTH + 1, sampleSize(10_000, 50_000)]) {
      expect(diagnose(nest(construct, levels))).toMatchObject([{ code: "too_complex" }]);
    }
  });

  it.each([
    ["SELECT * FROM ", "(", "t"],
    ["SELECT * FROM ", "(SELECT * FROM ", "t"],
    ["", "(", "SELECT 1"],
    ["", "WITH a AS (", "SELECT 1"],
    ["SELECT CAST(a AS ", "STRUCT<a ", "INT64"],
    ["SELECT ", "ARRAY<", "INT64"],
    ["SELECT a", ".b", ""],
    ["SELECT a", "[0]", ""],
    ["SELECT a", "::INT64", ""],
    ["FROM f(", "TABLE g(", "TABLE x"],
    ["FROM t ", "|> RECURSIVE UNION ALL (", "|> WHERE a"],
  ])("reject %s followed by 20,000 copies of %s", (start, open, inner) => {
    expect(diagnose(`${start}${open.repeat(20_000)}${inner}`)).toMatchObject([{ code: "too_complex" }]);
  });

  it.each([
    ["(SELECT ", "1", ")"],
    ["EXISTS(FROM t |> WHERE ", "a", ")"],
    ["ARRAY(SELECT ", "1", ")"],
    ["a IN (SELECT ", "1", ")"],
    ["((SELECT ", "1", "))"],
    ["(SELECT * FROM (SELECT ", "1", ") AS b)"],
  ] as const)("bound the nesting of queries as operands: %s", (...construct) => {
    expect(diagnose(nest(construct, MAX_SUBQUERY_DEPTH))).toEqual([]);
    for (const levels of [MAX_SUBQUERY_DEPTH + 1, 50_000]) {
      expect(diagnose(nest(construct, levels))).toMatchObject([{ code: "too_complex" }]);
    }
  });

  it("allow sub-queries in FROM to nest deeper", () => {
    const levels = MAX_NESTING_DEPTH / 4;
    expect(diagnose(`${"SELECT * FROM (".repeat(levels)}SELECT 1${")".repeat(levels)}`)).toEqual([]);
  });

  it("bound AND and OR chains", () => {
    const chain = (operator: string, count: number) => `SELECT 1 WHERE ${Array(count).fill("a = 1").join(operator)}`;
    const text = `${chain(" AND ", MAX_OPERANDS)} OR b`;
    expect(treeOf(printQuery(parseQuery(text)))).toEqual(treeOf(text));
    expect(diagnose(chain(" AND ", MAX_OPERANDS + 1))).toMatchObject([{ code: "too_complex" }]);
    expect(diagnose(chain(" OR ", MAX_OPERANDS + 1))).toMatchObject([{ code: "too_complex" }]);
  });

  it("bound chains of operators and chains of joins", () => {
    const operators = (count: number): string => `SELECT 1${" + 1".repeat(count)}`;
    expect(diagnose(operators(MAX_CHAIN_LENGTH))).toEqual([]);
    expect(diagnose(operators(MAX_CHAIN_LENGTH + 1))).toMatchObject([{ code: "too_complex" }]);
    const joins = (join: string, count: number): string => `SELECT 1 FROM a${join.repeat(count)}`;
    expect(diagnose(joins(" JOIN b ON x", MAX_CHAIN_LENGTH))).toEqual([]);
    expect(diagnose(joins(" JOIN b ON x", MAX_CHAIN_LENGTH + 1))).toMatchObject([{ code: "too_complex" }]);
    expect(diagnose(joins(", b", MAX_CHAIN_LENGTH + 1))).toMatchObject([{ code: "too_complex" }]);
    const nested = `${joins(" JOIN b", MAX_NESTING_DEPTH + 1)}${" ON x".repeat(MAX_NESTING_DEPTH + 1)}`;
    expect(diagnose(nested)).toMatchObject([{ code: "too_complex" }]);
  });

  it.each(["INTERSECT DISTINCT", "EXCEPT ALL"])("bound chains of %s, but not of UNION", (operator) => {
    const chain = (count: number, by = operator) => Array(count).fill("SELECT 1").join(` ${by} `);
    expect(diagnose(chain(MAX_CHAIN_LENGTH))).toEqual([]);
    expect(diagnose(chain(MAX_CHAIN_LENGTH + 1))).toMatchObject([{ code: "too_complex" }]);
    expect(diagnose(chain(MAX_CHAIN_LENGTH + 1, "UNION DISTINCT"))).toEqual([]);
  });

  it("bound the sub-queries of a query, beside each other and inside each other", () => {
    const list = (count: number) => `SELECT ${Array(count).fill("EXISTS(SELECT (SELECT 1))").join(", ")}`;
    expect(diagnose(list(MAX_SUBQUERIES / 2))).toEqual([]);
    expect(diagnose(`${list(MAX_SUBQUERIES / 2)}, (SELECT 1)`)).toMatchObject([{ code: "too_complex" }]);
  });

  it("bound the items of a SELECT list", () => {
    expect(diagnose(`SELECT a${", a".repeat(MAX_LIST_ITEMS - 1)}`)).toEqual([]);
    expect(diagnose(`SELECT a${", a".repeat(MAX_LIST_ITEMS)}`)).toMatchObject([{ code: "too_complex" }]);
    expect(diagnose(`FROM t |> EXTEND a${", a".repeat(MAX_LIST_ITEMS)}`)).toMatchObject([{ code: "too_complex" }]);
  });

  it.each([
    ["x IN (1#)", MAX_LIST_ITEMS],
    ["x NOT IN (1#)", MAX_LIST_ITEMS],
    ["x IN UNNEST([1#])", MAX_LIST_ITEMS],
    ["[1#]", MAX_LIST_ITEMS],
    ["x LIKE ANY ('a'#)", MAX_LIST_ITEMS],
    ["STRUCT(1#)", MAX_LIST_ITEMS],
    ["(1#)", MAX_LIST_ITEMS],
    ["GREATEST(1#)", MAX_ARGUMENTS],
    ["ARRAY_CONCAT([1]#)", MAX_ARGUMENTS],
    ["SAFE.CONCAT(1#)", MAX_ARGUMENTS],
  ])("bound the items of %s to %i", (form, most) => {
    const query = (count: number) => `SELECT ${form.replace("#", ", 1".repeat(count - 1))}`;
    expect(diagnose(query(most))).toEqual([]);
    expect(diagnose(query(most + 2))).toMatchObject([{ code: "too_complex" }]);
  });

  it("bound the number of tokens and the length of the text", () => {
    // Two tokens for each digit of an array, and one more for the array.
    const arrays = (digits: number) => `SELECT ${`[1${",1".repeat(digits - 1)}],`.repeat(MAX_TOKENS / 10_000)}1`;
    expect(diagnose(arrays(4_997))).toEqual([]);
    expect(diagnose(arrays(5_000))).toMatchObject([{ code: "too_complex" }]);
    expect(diagnose(`SELECT '${"x".repeat(MAX_QUERY_LENGTH - 9)}'`)).toEqual([]);
    expect(diagnose(`SELECT '${"x".repeat(MAX_QUERY_LENGTH - 8)}'`)).toMatchObject([
      { code: "too_complex", span: { start: MAX_QUERY_LENGTH } },
    ]);
  });

  it.each([
    ["quotes", "'"],
    ["triple quotes", "'''"],
    ["back-ticks", "`"],
    ["comment openings", "/*"],
    ["stars", "/***"],
    ["escapes", "'\\"],
    ["dots", "."],
    ["numbers", "1."],
    ["signs", "-"],
    ["brackets", "["],
    ["angles", "ARRAY<"],
    ["pipes", "|>"],
    ["parameters", "?"],
  ])("end parsing quickly for a text full of %s", (_name, part) => {
    const text = `SELECT ${part.repeat(Math.floor(sampleSize(40_000, 500_000) / part.length))}`;
    expect(diagnose(text).length).toBeLessThanOrEqual(1);
  });
});
