import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";

describe("log records on DuckDB", () => {
  let edge: TestDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  const cases: readonly (readonly [string, string, readonly unknown[]])[] = [
    [
      "a CROSS JOIN with a missing record drops the row",
      "SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r ORDER BY id",
      [["a"], ["b"]],
    ],
    [
      "a LEFT JOIN with a missing record keeps the row",
      "SELECT id, r.time FROM edge_logs LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.response) AS r ORDER BY id",
      [
        ["a", 1.5],
        ["b", null],
        ["c", null],
        ["d", null],
      ],
    ],
    [
      "a LEFT JOIN with a condition keeps the row without the record where the condition fails",
      "SELECT id, r.path FROM edge_logs, UNNEST(metadata) AS m LEFT " +
        "JOIN UNNEST(m.request) AS r ON r.path = '/b' ORDER BY id",
      [
        ["a", null],
        ["b", "/b"],
        ["c", null],
      ],
    ],
    [
      "a presence test without a presence column reads the JSON",
      "SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r, UNNEST(r.headers) AS h ORDER BY id",
      [["a"], ["c"]],
    ],
    [
      "paths, subscripts and unnested aliases read the same field",
      `SELECT m.request.path, metadata[0].request[0].path, metadata[OFFSET(0)].request.path, r.path
       FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'a'`,
      [["/a", "/a", "/a", "/a"]],
    ],
    [
      "a field with values of several types is read as text",
      "SELECT id, m.response.status FROM edge_logs, UNNEST(metadata) AS m ORDER BY id",
      [
        ["a", "200"],
        ["b", "error"],
        ["c", null],
      ],
    ],
    [
      "a field that no event has carried is NULL",
      "SELECT COUNT(*), COUNT(m.never), COUNT(nowhere) FROM edge_logs, UNNEST(metadata) AS m",
      [[3, 0, 0]],
    ],
    [
      "a repeated record unnests to its elements in order",
      "SELECT id, s.name, s.ms, o FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.spans) AS s WITH OFFSET AS " +
        "o ORDER BY id, o",
      [
        ["a", "s1", 1, 0],
        ["a", "s2", 2, 1],
        ["b", "s3", 30, 0],
      ],
    ],
    [
      "an array of texts unnests like any array",
      "SELECT t FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.tags) AS t ORDER BY t",
      [["x"], ["y"]],
    ],
    [
      "a record as a value is a JSON array of one object",
      "SELECT metadata, m.response FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'c'",
      [['[{"request":[{"path":"/a","headers":[{"rare":"r3"}]}]}]', null]],
    ],
    [
      "an element as a value is a JSON object",
      "SELECT m.response AS list, r AS element FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r " +
        "WHERE id = 'b'",
      [['[{"status":"error"}]', '{"status":"error"}']],
    ],
    [
      "fields are readable through CTEs, grouping and unions",
      `WITH a AS (SELECT metadata, project FROM edge_logs WHERE project = 'p1'),
            b AS (SELECT metadata FROM a UNION ALL SELECT metadata FROM edge_logs WHERE project = 'p2')
       SELECT m.request.path, COUNT(*) AS n FROM b, UNNEST(metadata) AS m GROUP BY 1 ORDER BY n DESC, 1`,
      [
        ["/a", 2],
        ["/b", 1],
      ],
    ],
    [
      "fields are readable through a join that may find no row",
      `SELECT l.id, r.metadata[0].request[0].path FROM edge_logs AS l
       LEFT JOIN (SELECT * FROM edge_logs WHERE project = 'p1') AS r ON l.id = r.id ORDER BY l.id`,
      [
        ["a", "/a"],
        ["b", "/b"],
        ["c", null],
        ["d", null],
      ],
    ],
    [
      "fields of a record after DISTINCT or GROUP BY are read from its JSON",
      "SELECT x.metadata[0].request[0].path AS p FROM (SELECT DISTINCT TO_JSON_STRING(metadata), metadata " +
        "FROM edge_logs) AS x ORDER BY p",
      [[null], ["/a"], ["/a"], ["/b"]],
    ],
    [
      "fields of a record are readable in a sub-query",
      "SELECT (SELECT r.path FROM UNNEST(m.request) AS r) FROM edge_logs, UNNEST(metadata) AS m ORDER BY id",
      [["/a"], ["/b"], ["/a"]],
    ],
    [
      "a sub-query reads a repeated record",
      "SELECT id, (SELECT SUM(s.ms) FROM UNNEST(m.spans) AS s) AS ms FROM edge_logs, UNNEST(metadata) AS m ORDER BY id",
      [
        ["a", 3],
        ["b", 30],
        ["c", null],
      ],
    ],
  ];

  it.each(cases)("%s", async (_, query, rows) => {
    expect(await edge.rows(query)).toEqual(rows);
  });

  it("a query binds each parameter once, whatever the order and number of its uses", async () => {
    const query = "SELECT id, @a, @b FROM edge_logs WHERE project = @b AND (id = @a OR @a = 'none') ORDER BY id";
    expect(await edge.rows(query, { a: "a", b: "p1" })).toEqual([["a", "a", "p1"]]);
    expect(await edge.rows(query, { a: "none", b: "p2" })).toEqual([
      ["c", "none", "p2"],
      ["d", "none", "p2"],
    ]);
  });

  it("a query leaves out parameters that only an unread column uses", async () => {
    const query = "SELECT id FROM (SELECT id, CONCAT(project, @unread) AS u FROM edge_logs) WHERE id = @read";
    expect(await edge.rows(query, { read: "a", unread: "x" })).toEqual([["a"]]);
  });
});
