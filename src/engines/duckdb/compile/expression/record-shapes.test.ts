/** The fields of a source stay the same, whatever query the source is wrapped into. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";

const shapes: readonly (readonly [string, string])[] = [
  ["a sub-query", "(SELECT * FROM edge_logs)"],
  ["a CTE", "(WITH q AS (SELECT * FROM edge_logs) SELECT * FROM q)"],
  ["an order and a limit", "(SELECT * FROM edge_logs ORDER BY timestamp DESC LIMIT 100)"],
  ["a union", "(SELECT * FROM edge_logs WHERE project = 'p1' UNION ALL SELECT * FROM edge_logs WHERE project = 'p2')"],
  [
    "an inner join",
    "(SELECT e.* FROM edge_logs AS e JOIN (SELECT DISTINCT project FROM edge_logs) AS p USING (project))",
  ],
  ["an outer join", "(SELECT e.* FROM (SELECT 1 AS one) AS o LEFT JOIN edge_logs AS e ON TRUE)"],
  [
    "a window",
    "(SELECT * EXCEPT (n) FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY id) AS n FROM edge_logs) WHERE n > 0)",
  ],
  [
    "a grouping",
    "(SELECT id, timestamp, project, ANY_VALUE(metadata) AS metadata FROM edge_logs GROUP BY id, timestamp, project)",
  ],
  ["an UNNEST", "(SELECT e.* FROM edge_logs AS e, UNNEST([1]) AS one)"],
  ["pipes", "(FROM edge_logs |> WHERE TRUE |> EXTEND 1 AS one |> DROP one)"],
];

const queries: readonly string[] = [
  "SELECT id, r.path, r.port FROM SOURCE AS s, UNNEST(metadata) AS m, UNNEST(m.request) AS r",
  "SELECT id, r.time, r.status FROM SOURCE AS s LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.response) AS r",
  "SELECT id, r.path FROM SOURCE AS s, UNNEST(metadata) AS m LEFT JOIN UNNEST(m.request) AS r ON r.path = '/b'",
  "SELECT id, h.rare FROM SOURCE AS s, UNNEST(metadata) AS m, UNNEST(m.request) AS r, UNNEST(r.headers) AS h",
  "SELECT id, metadata[0].request[0].headers[0].rare, s.metadata.request.path FROM SOURCE AS s",
  "SELECT id, sp.name, o FROM SOURCE AS s, UNNEST(metadata) AS m, UNNEST(m.spans) AS sp WITH OFFSET AS o",
  "SELECT t FROM SOURCE AS s, UNNEST(metadata) AS m, UNNEST(m.tags) AS t",
  "SELECT m, m.response, metadata FROM SOURCE AS s, UNNEST(metadata) AS m",
  "SELECT m.request.path AS p, COUNT(m.never), SUM(m.request.port) FROM SOURCE AS s, UNNEST(metadata) AS m GROUP BY p",
  "SELECT (SELECT SUM(x.ms) FROM UNNEST(m.spans) AS x), (SELECT r.path FROM UNNEST(m.request) AS r) " +
    "FROM SOURCE AS s LEFT JOIN UNNEST(metadata) AS m",
  "SELECT id, EXISTS(SELECT 1 FROM UNNEST(m.response) AS r WHERE r.cached) FROM SOURCE AS s, UNNEST(metadata) AS m",
  "SELECT a.id, b.m.request.path FROM SOURCE AS a JOIN (SELECT id, m " +
    "FROM SOURCE AS s, UNNEST(metadata) AS m) AS b USING (id)",
  "SELECT ARRAY(SELECT AS STRUCT x.name, x.ms FROM UNNEST(m.spans) AS x) FROM SOURCE AS s, UNNEST(metadata) AS m",
  "SELECT IF(m.request.path = '/a', m.request, m.response) FROM SOURCE AS s, UNNEST(metadata) AS m",
];

describe.each(queries)("%s", (query) => {
  let edge: TestDatabase;
  let expected: readonly string[] = [];
  const rowsOver = async (source: string) => {
    const rows = await edge.rows(query.replaceAll("SOURCE", source));
    return rows.map((row) => JSON.stringify(row)).sort();
  };
  beforeAll(async () => {
    edge = await openEdgeDatabase();
    expected = await rowsOver("edge_logs");
    expect(expected.length).toBeGreaterThan(0);
  });
  afterAll(() => edge.database.close());

  it.each(shapes)("returns the same rows over %s", async (_, source) => {
    expect(await rowsOver(source)).toEqual(expected);
  });
});
