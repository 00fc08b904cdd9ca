import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";

/**
 * Calls that are printed with a lambda, in places where a lambda causes trouble. Events are named a to d; projects p1
 * and p2 have two each.
 */
const queries: Readonly<Record<string, readonly [text: string, rows: readonly unknown[]]>> = {
  "an aggregate in the order of its array, over columns of two queries": [
    "SELECT (SELECT ARRAY_AGG(REPEAT(x, LENGTH(a.id) + 1)) FROM UNNEST([a.id, 'b']) AS x) FROM edge_logs AS a " +
      "ORDER BY a.id LIMIT 1",
    [[["aa", "bb"]]],
  ],
  "an aggregate of a pattern of another query": [
    "SELECT (SELECT ARRAY_AGG(x LIKE a.id) FROM UNNEST([a.id, 'b']) AS x) FROM edge_logs AS a ORDER BY a.id LIMIT 2",
    [[[true, false]], [[true, true]]],
  ],
  "a window over a window, both with patterns": [
    "SELECT SUM(n) OVER (ORDER BY id LIKE ANY (id, project)) " +
      "FROM (SELECT id, project, COUNT(*) OVER (ORDER BY id LIKE project) AS n FROM edge_logs)",
    [[16], [16], [16], [16]],
  ],
  "a window over a window, by expressions over BYTES": [
    "SELECT SUM(n) OVER (ORDER BY n) FROM (SELECT COUNT(*) OVER (ORDER BY REGEXP_REPLACE(CAST(id AS BYTES), " +
      "b'a', b'bbbbbbbbbbbbbbbbbbbbbbb')) AS n FROM edge_logs)",
    [[1], [3], [6], [10]],
  ],
  "a correlated pattern": [
    "SELECT (SELECT COUNT(*) FROM edge_logs AS b WHERE a.id LIKE b.id) FROM edge_logs AS a",
    [[1], [1], [1], [1]],
  ],
  "a correlated expression and a text to parse": [
    "SELECT (SELECT COUNT(*) FROM edge_logs AS b WHERE REGEXP_EXTRACT(a.id, b.id) = b.id " +
      "AND PARSE_DATE('%Y', CONCAT('202', LENGTH(CONCAT(a.id, b.id)))) = DATE '2022-01-01') FROM edge_logs AS a",
    [[1], [1], [1], [1]],
  ],
  "a variable that is read several times": [
    "SELECT WITH(x AS CONCAT(id, '1'), y AS REGEXP_REPLACE(x, id, 'z'), CONCAT(x, x, y, y)) FROM edge_logs " +
      "ORDER BY id LIMIT 1",
    [["a1a1z1z1"]],
  ],
  "a SAFE call that an aggregate counts, over columns of two queries": [
    "SELECT (SELECT COUNT(SAFE_MULTIPLY(LENGTH(a.id), LENGTH(b.id))) FROM edge_logs AS b) FROM edge_logs AS a LIMIT 1",
    [[4]],
  ],
  "an expression over columns of two queries, in a third": [
    "SELECT (SELECT (SELECT GENERATE_DATE_ARRAY(DATE(a.timestamp), DATE(b.timestamp), INTERVAL 1 DAY)) " +
      "FROM edge_logs AS b LIMIT 1) FROM edge_logs AS a LIMIT 1",
    [[["2026-01-01"]]],
  ],
  "a field of a struct that is a macro of DuckDB": [
    "SELECT (SELECT AS STRUCT NULLIF(a.id, 'a') AS x, ARRAY_REVERSE([a.id, a.project]) AS y) " +
      "FROM edge_logs AS a ORDER BY a.id LIMIT 1",
    [[[null, ["p1", "a"]]]],
  ],
  "texts that read like SQL, in the ON of an outer join": [
    "SELECT COUNT(u) FROM edge_logs AS a LEFT JOIN UNNEST(['SELECT', 'lambda x: x', a.id]) AS u ON u IN " +
      "('SELECT', 'lambda x: x', '(SELECT 1)')",
    [[8]],
  ],
  "rows of texts that read like SQL, in their order": [
    "SELECT ARRAY_AGG(x) FROM (SELECT 'SELECT' AS x UNION ALL SELECT 'lambda ' UNION ALL SELECT 'a')",
    [[["SELECT", "lambda ", "a"]]],
  ],
};

describe("a lambda on DuckDB", () => {
  let edge: TestDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  it.each(Object.entries(queries))("may compute %s", async (_, [text, rows]) => {
    expect(await edge.rows(text)).toEqual(rows);
  });
});
