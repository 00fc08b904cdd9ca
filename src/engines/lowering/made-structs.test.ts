import { describe, expect, it } from "vitest";
import { resolveOver } from "../../../test/support/engines/duckdb/compile/compile-text.ts";
import { someScanned } from "../../googlesql/resolved/walk.ts";
import { lowerQuery } from "./lower.ts";

const rows = "(SELECT a, CAST(a AS STRING) AS b FROM UNNEST([1, 2]) AS a)";

function readsField(text: string): boolean {
  return someScanned(lowerQuery(resolveOver(text)).query.scan, ({ kind }) => kind === "Field");
}

describe("fields of structs that a query makes", () => {
  it.each([
    ["the rows of a query", `SELECT AS STRUCT * FROM ${rows}`],
    ["a table of values", `SELECT v.b FROM (SELECT AS STRUCT * FROM ${rows}) AS v WHERE v.a > 1 ORDER BY v.a`],
    ["a struct beside others", `SELECT v.b, w FROM (SELECT STRUCT(a AS a, b AS b) AS v, 1 AS w FROM ${rows})`],
    [
      "a struct in a struct",
      `SELECT v.s.b FROM (SELECT STRUCT(s AS s) AS v FROM (SELECT STRUCT(b) AS s FROM ${rows}))`,
    ],
    ["a whole row", `SELECT v.t.b FROM (SELECT AS STRUCT t, 1 AS n FROM ${rows} AS t) AS v`],
    ["a nullable side", `SELECT v.b FROM UNNEST([1]) LEFT JOIN (SELECT AS STRUCT * FROM ${rows}) AS v ON v.a = 9`],
    [
      "a key of groups",
      `SELECT v.b, COUNT(*) FROM (SELECT AS STRUCT * FROM ${rows}) AS v GROUP BY v.b HAVING SUM(v.a) > 1`,
    ],
    [
      "a query around",
      `SELECT (SELECT MAX(v.a + x) FROM UNNEST([1]) AS x) FROM (SELECT AS STRUCT * FROM ${rows}) AS v`,
    ],
    ["what is computed", `SELECT v.n, v.n + v.m FROM (SELECT STRUCT(a + 1 AS n, 2 AS m) AS v FROM ${rows})`],
    ["a star", `SELECT STRUCT(a + 1 AS n, a AS m).* FROM ${rows}`],
    ["a CTE", `WITH v AS (SELECT AS STRUCT * FROM ${rows}) SELECT l.b, r.a FROM v AS l JOIN v AS r ON l.a < r.a`],
    [
      "a CTE of a CTE",
      `WITH v AS (SELECT AS STRUCT * FROM ${rows}), w AS (SELECT v AS s FROM v), x AS (SELECT s FROM w) ` +
        "SELECT x.s.b, y.s.a FROM x CROSS JOIN x AS y WHERE x.s.a > 1",
    ],
  ])("are read as columns: of %s", (_, text) => {
    expect(readsField(text)).toBe(false);
  });

  it.each([
    [
      "of rows of several queries",
      `SELECT v.n FROM (SELECT STRUCT(1 AS n) AS v UNION ALL SELECT STRUCT(2)) ORDER BY 1`,
    ],
    ["of groups", `SELECT v.a FROM (SELECT DISTINCT v FROM (SELECT AS STRUCT * FROM ${rows}) AS v)`],
    ["of elements", "SELECT v.a FROM UNNEST([STRUCT(1 AS a), STRUCT(2)]) AS v"],
  ])("are read from the struct where they are %s", (_, text) => {
    expect(readsField(text)).toBe(true);
  });
});
