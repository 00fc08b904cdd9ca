import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EdgeDatabase, openEdgeDatabase } from "../testing/compile-text.ts";

/** Calls that are printed with a lambda, where a lambda is not welcome. Events are named a to d; of the projects p1 and p2 each has two. */
const queries: Readonly<Record<string, readonly [text: string, rows: readonly unknown[]]>> = {
  "an aggregate in the order of its array, over columns of two queries": [
    "SELECT (SELECT ARRAY_AGG(REPEAT(x, LENGTH(a.id) + 1)) FROM UNNEST([a.id, 'b']) AS x) FROM edge_logs AS a ORDER BY a.id LIMIT 1",
    [[["aa", "bb"]]],
  ],
  "an aggregate of a pattern of another query": [
    "SELECT (SELECT ARRAY_AGG(x LIKE a.id) FROM UNNEST([a.id, 'b']) AS x) FROM edge_logs AS a ORDER BY a.id LIMIT 2",
    [[[true, false]], [[true, true]]],
  ],
  "a window over a window, both with patterns": [
    "SELECT SUM(n) OVER (ORDER BY id LIKE ANY (id, project)) FROM (SELECT id, project, COUNT(*) OVER (ORDER BY id LIKE project) AS n FROM edge_logs)",
    [[16], [16], [16], [16]],
  ],
  "a window over a window, by expressions over BYTES": [
    "SELECT SUM(n) OVER (ORDER BY n) FROM (SELECT COUNT(*) OVER (ORDER BY REGEXP_REPLACE(CAST(id AS BYTES), b'a', b'bbbbbbbbbbbbbbbbbbbbbbb')) AS n FROM edge_logs)",
    [[1], [3], [6], [10]],
  ],
  "a correlated pattern": [
    "SELECT (SELECT COUNT(*) FROM edge_logs AS b WHERE a.id LIKE b.id) FROM edge_logs AS a",
    [[1], [1], [1], [1]],
  ],
  "a correlated expression and a text to parse": [
    "SELECT (SELECT COUNT(*) FROM edge_logs AS b WHERE REGEXP_EXTRACT(a.id, b.id) = b.id AND PARSE_DATE('%Y', CONCAT('202', LENGTH(CONCAT(a.id, b.id)))) = DATE '2022-01-01') FROM edge_logs AS a",
    [[1], [1], [1], [1]],
  ],
  "a variable that is read several times": [
    "SELECT WITH(x AS CONCAT(id, '1'), y AS REGEXP_REPLACE(x, id, 'z'), CONCAT(x, x, y, y)) FROM edge_logs ORDER BY id LIMIT 1",
    [["a1a1z1z1"]],
  ],
};

describe("what is computed in a lambda", () => {
  let edge: EdgeDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  it.each(Object.entries(queries))("may be %s", async (_, [text, rows]) => {
    expect(await edge.rows(text)).toEqual(rows);
  });
});
