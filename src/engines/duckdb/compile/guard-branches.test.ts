/** Sub-queries in branches that are not taken: what fails in them must not fail the query. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  compileText,
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../test/support/engines/duckdb/compile/compile-text.ts";

/** A sub-query that fails where `x` is 0: it reads rows, so that it is no mere expression. */
const failing = "(SELECT MAX(DIV(10, x)) FROM UNNEST([1, 2]))";
const zeroOrFive = "FROM UNNEST([0, 5]) AS x";

const taken: Readonly<Record<string, readonly [text: string, rows: readonly unknown[]]>> = {
  "an item of a SELECT": [`SELECT IF(x = 0, -1, ${failing}) ${zeroOrFive} ORDER BY x`, [[-1], [2]]],
  "a condition": [`SELECT x ${zeroOrFive} WHERE CASE WHEN x = 0 THEN true ELSE ${failing} > 5 END`, [[0]]],
  "the argument of an aggregate": [`SELECT SUM(IF(x = 0, -1, ${failing})) ${zeroOrFive}`, [[1]]],
  "a key of GROUP BY": [
    `SELECT IF(x = 0, -1, ${failing}) AS k, COUNT(*) ${zeroOrFive} GROUP BY k ORDER BY k`,
    [
      [-1, 1],
      [2, 1],
    ],
  ],
  "an array in FROM": [
    `SELECT x, y ${zeroOrFive}, UNNEST([IF(x = 0, -1, ${failing})]) AS y ORDER BY x`,
    [
      [0, -1],
      [5, 2],
    ],
  ],
  "an array that is all of FROM": [
    "SELECT y FROM UNNEST([IF(false, (SELECT MAX(DIV(1, z)) FROM UNNEST([0]) AS z), 7)]) AS y",
    [[7]],
  ],
  "several arrays beside a sub-query": [
    `SELECT COUNT(*) FROM UNNEST([1, 2]) AS a, UNNEST([3]) AS b WHERE IF(a = 9, (SELECT MAX(DIV(1, a - a)) FROM UNNEST([1])) > 0, true)`,
    [[2]],
  ],
  "a later operand of COALESCE": [
    `SELECT COALESCE(IF(x = 0, -1, NULL), ${failing}, 3), IFNULL(IF(x = 0, -1, NULL), ${failing}) ${zeroOrFive} ORDER BY x`,
    [
      [-1, -1],
      [2, 2],
    ],
  ],
  "both operands of other functions": [
    `SELECT 1 + ${failing}, GREATEST(x, ${failing}) FROM UNNEST([5]) AS x`,
    [[3, 5]],
  ],
  "a union, and a limit of its inputs": [
    "SELECT IF(x = 0, -1, (SELECT SUM(DIV(10, x)) FROM (SELECT 1 AS y UNION ALL (SELECT 2 LIMIT 1)) WHERE y < 9)) " +
      `${zeroOrFive} ORDER BY x`,
    [[-1], [4]],
  ],
  "no rows, of which an aggregate makes one": [
    "SELECT IF(x = 0, -1, (SELECT DIV(10, x) + COUNT(*) FROM UNNEST([1, 2]))), " +
      `IF(x = 0, -1, (SELECT MAX(DIV(10, x)) FROM UNNEST([1, 2]) AS y GROUP BY ROLLUP (y) LIMIT 1)) ${zeroOrFive} ORDER BY x`,
    [
      [-1, -1],
      [4, 2],
    ],
  ],
  "another one, which asks for the same row": [
    `SELECT IF(x = 0, -1, (SELECT MAX(y + ${failing}) FROM UNNEST([1]) AS y)) ${zeroOrFive} ORDER BY x`,
    [[-1], [3]],
  ],
  "a variable": [
    "SELECT WITH(v AS x, IF(v > 1, (SELECT MAX(DIV(10, y)) FROM UNNEST([v]) AS y), 0)) FROM UNNEST([1, 5]) AS x ORDER BY x",
    [[0], [2]],
  ],
  "a condition that another sub-query tells": [
    `SELECT IF((SELECT MAX(y) FROM UNNEST([x]) AS y) = 5, (SELECT MAX(DIV(10, x)) FROM UNNEST([1])), 0) FROM UNNEST([2, 5]) AS x ORDER BY x`,
    [[0], [2]],
  ],
  "a recursion beside it": [
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) " +
      `SELECT SUM(n), MAX(IF(n = 1, -1, (SELECT MAX(DIV(10, n - 1)) FROM UNNEST([1])))) FROM r`,
    [[6, 10]],
  ],
};

describe("a sub-query that fails in a branch that is not taken", () => {
  let edge: TestDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  it.each(Object.entries(taken))("may stand in %s", async (_, [text, rows]) => {
    expect(await edge.rows(text)).toEqual(rows);
  });

  it("is asked by the same draw that its branch is taken by", async () => {
    const query =
      "SELECT COUNTIF(v IS NULL) FROM (SELECT IF(RAND() < 0.5, (SELECT MAX(DIV(10, x)) FROM UNNEST([1])), 0) AS v " +
      "FROM UNNEST(GENERATE_ARRAY(1, 100)) AS x)";
    expect(await edge.rows(query)).toEqual([[0]]);
  });

  it("is asked for a column that tells of the branch, and only where it is needed", () => {
    const guarded = [
      `SELECT IF(x = 0, -1, ${failing}) ${zeroOrFive}`,
      `SELECT COALESCE(x, ${failing}) ${zeroOrFive}`,
      `SELECT CASE WHEN x = 1 THEN 2 WHEN x = 0 THEN 3 ELSE ${failing} END ${zeroOrFive}`,
    ];
    const plain = [
      `SELECT IF(x = 0, -1, (SELECT DIV(10, x))) ${zeroOrFive}`,
      `SELECT IF(x = 0, -1, (SELECT MAX(x) FROM UNNEST([1]))) ${zeroOrFive}`,
      `SELECT GREATEST(x, ${failing}) ${zeroOrFive}`,
      `SELECT IF(RAND() < 0.5, -1, ${failing}) ${zeroOrFive}`,
      `SELECT IF((SELECT MAX(y) FROM UNNEST([x]) AS y) = 0, -1, ${failing}) ${zeroOrFive}`,
      `SELECT IF(x = 0, -1, (SELECT MAX(DIV(10, x)) FROM (SELECT 1 LIMIT @n))) ${zeroOrFive}`,
      `SELECT IF(x = 0, -1, (SELECT MAX(DIV(10, x)) FROM (SELECT 1 UNION ALL (SELECT 2 LIMIT @n)))) ${zeroOrFive}`,
    ];
    const isGuarded = (query: string) => /\.c\d+_taken/.test(compileText(query).sql);
    expect([...guarded, ...plain].filter(isGuarded)).toEqual(guarded);
  });
});
