/** How a statement is printed where its rows would be the same either way: what it computes how often, over what. */
import { describe, expect, it } from "vitest";
import {
  countOf,
  forEach,
  having,
  insideOf,
  print,
  selectsOf,
} from "../../../../../test/support/engines/duckdb/compile/printed.ts";

describe("a SELECT", () => {
  it("is the only one where scans follow in the order of its clauses", () => {
    const upper = "(SELECT id, UPPER(project) AS u FROM edge_logs)";
    const filtered = "(SELECT id FROM edge_logs WHERE project = 'p1')";
    const flat = [
      "SELECT p, p FROM (SELECT project AS p FROM edge_logs) WHERE p > 'p1'",
      "SELECT p, p FROM (SELECT 'x' AS p FROM edge_logs) WHERE p > 'p1'",
      "SELECT LENGTH(p) FROM (SELECT UPPER(id) AS p FROM edge_logs)",
      "SELECT UPPER(id) AS u FROM edge_logs ORDER BY u LIMIT 1",
      "SELECT UPPER(id) FROM edge_logs LIMIT 1",
      "SELECT UPPER(id) FROM edge_logs ORDER BY id",
      "SELECT DISTINCT project FROM edge_logs ORDER BY project LIMIT 1",
      "SELECT DISTINCT project, id FROM edge_logs",
      "SELECT p FROM (SELECT UPPER(project) AS p, id FROM edge_logs) WHERE id > 'a' ORDER BY p",
      "SELECT SUM(1), COUNT(5) FROM edge_logs",
      `SELECT a.id FROM edge_logs AS a JOIN ${filtered} AS b ON a.id = b.id`,
      `SELECT a.id FROM ${filtered} AS a LEFT JOIN edge_logs AS b ON a.id = b.id`,
      `SELECT a.id, b.u FROM edge_logs AS a JOIN ${upper} AS b ON a.id = b.id`,
      `SELECT a.u, b.id FROM ${upper} AS a LEFT JOIN edge_logs AS b ON a.id = b.id`,
      "SELECT b.other FROM edge_logs AS a LEFT JOIN (SELECT id AS other FROM edge_logs) AS b ON a.id = b.other",
      "SELECT a.id FROM edge_logs AS a CROSS JOIN edge_logs AS b",
      "WITH a AS (SELECT project AS p FROM edge_logs) SELECT 1 FROM a JOIN edge_logs AS b ON a.p = b.project",
    ];
    expect(flat.map((query) => [query, selectsOf(query)])).toEqual(flat.map((query) => [query, 1]));
  });

  it("is put around what may not see the next clause", () => {
    const nested = [
      "SELECT a.id FROM edge_logs AS a RIGHT JOIN (SELECT id FROM edge_logs WHERE id > 'a') AS b ON a.id = b.id",
      "SELECT a.id FROM (SELECT id FROM edge_logs WHERE id > 'a') AS a FULL JOIN edge_logs AS b ON a.id = b.id",
      "SELECT a.u FROM (SELECT id, UPPER(id) AS u FROM edge_logs) AS a RIGHT JOIN edge_logs AS b ON a.id = b.id",
      "SELECT a.id FROM edge_logs AS a JOIN (SELECT id, UPPER(id) AS u FROM edge_logs) AS b ON a.id = b.u",
      "SELECT a.id FROM edge_logs AS a JOIN (SELECT 'a' AS id) AS b ON a.id = b.id",
      "SELECT p FROM (SELECT DISTINCT project AS p, id FROM edge_logs)",
      "SELECT id FROM (SELECT id FROM edge_logs LIMIT ALL OFFSET 1) WHERE id > 'a'",
      "SELECT id FROM (SELECT id, RANK() OVER (ORDER BY id) AS r FROM edge_logs) WHERE r > 1",
    ];
    expect(nested.map((query) => [query, selectsOf(query)])).toEqual(nested.map((query) => [query, 2]));
  });

  it("is not put around a union whose column is read twice", () => {
    const union = "SELECT id AS x FROM edge_logs UNION ALL SELECT id FROM edge_logs";
    expect(selectsOf(`SELECT x, x FROM (${union}) WHERE x > 'a'`)).toBe(3);
  });

  it("computes once what is read several times", () => {
    const queries = [
      "SELECT LENGTH(id), CONCAT(p, p) FROM (SELECT id, UPPER(project) AS p FROM edge_logs)",
      "WITH a AS (SELECT UPPER(project) AS p FROM edge_logs) SELECT p, p FROM a WHERE p > 'A'",
      "SELECT m, CONCAT(m, m) FROM (SELECT UPPER(event_message) AS m, id FROM edge_logs ORDER BY id LIMIT 1)",
      "SELECT p, (SELECT MAX(x) FROM UNNEST([p]) AS x) FROM (SELECT UPPER(project) AS p FROM edge_logs)",
      "SELECT p FROM (SELECT id, UPPER(project) AS p FROM edge_logs) WHERE id IN (SELECT x FROM UNNEST([p]) AS x)",
    ];
    expect(queries.map((query) => countOf(print(query), "lw_upper("))).toEqual([1, 1, 1, 1, 1]);
    const uncorrelated =
      "SELECT p FROM (SELECT UPPER(id) AS p, id FROM edge_logs) WHERE id IN (SELECT id FROM edge_logs) ORDER BY p";
    expect(selectsOf(uncorrelated)).toBe(2);
  });

  it("computes an array once whose places or missing elements are asked for, too", () => {
    const plain = "SELECT w FROM edge_logs, UNNEST(SPLIT(event_message, ' ')) AS w";
    const others = [`${plain} WITH OFFSET AS o ORDER BY o`, plain.replace(",", " LEFT JOIN")];
    const times = countOf(print(plain), "event_message");
    expect(others.map((query) => countOf(print(query), "event_message"))).toEqual([times, times]);
  });

  it("computes what only the result shows for the rows that a limit leaves", () => {
    const queries = [
      "SELECT UPPER(event_message) FROM edge_logs ORDER BY id LIMIT 1",
      "WITH a AS (SELECT UPPER(event_message) AS m, id FROM edge_logs) SELECT m FROM a ORDER BY id LIMIT 1",
      "SELECT m FROM (SELECT UPPER(event_message) AS m, id FROM edge_logs ORDER BY id LIMIT 9) ORDER BY id LIMIT 1",
    ];
    expect(queries.map((query) => countOf(print(query), "lw_upper("))).toEqual([1, 1, 1]);
    expect(queries.map((query) => countOf(insideOf(query), "lw_upper("))).toEqual([0, 0, 0]);
    expect(selectsOf(forEach("SELECT UPPER(b.id) FROM edge_logs AS b WHERE b.id = a.id ORDER BY b.id LIMIT 1"))).toBe(
      2,
    );
  });

  it("reads no column that nothing shows", () => {
    const rows = "(SELECT id, event_message FROM edge_logs LIMIT 5)";
    const queries = [
      "SELECT a FROM (SELECT id AS a, event_message AS b FROM edge_logs UNION ALL SELECT id, event_message FROM edge_logs)",
      `SELECT n FROM (SELECT COUNT(id) AS n, MAX(event_message) AS m FROM ${rows})`,
      `SELECT COUNT(*) FROM ${rows}`,
      "SELECT COUNT(*) FROM (SELECT id FROM edge_logs ORDER BY event_message LIMIT 2)",
    ];
    expect(having("event_message", queries)).toEqual([]);
    expect(print("SELECT 1 FROM (SELECT project FROM edge_logs GROUP BY project)")).toContain("count(*)");
  });
});

describe("GROUP BY", () => {
  it("names keys by their positions, and by themselves where they are not selected", () => {
    const groupBy = (list: string) => print(`SELECT ${list} FROM edge_logs GROUP BY project`).split(" GROUP BY ")[1];
    expect(["project, COUNT(*)", "COUNT(*), project", "COUNT(*)"].map(groupBy)).toEqual(["1", "2", 't1."c_project"']);
  });

  it("keeps the row of no rows in a correlated sub-query, where there is one", () => {
    const values = "FROM UNNEST([a.id]) AS x";
    const kept = [`SELECT MAX(x) ${values}`, `SELECT MAX(x) ${values} GROUP BY ROLLUP (x) LIMIT 1`].map(forEach);
    const plain = [
      forEach(`SELECT COUNT(*) ${values}`),
      forEach(`SELECT MAX(x) ${values} GROUP BY x`),
      forEach(`SELECT MAX(x) ${values} GROUP BY GROUPING SETS (x, (x, x)) LIMIT 1`),
      "SELECT MAX(id) FROM edge_logs",
      "SELECT (SELECT MAX(id) FROM edge_logs)",
    ];
    expect(having("count(*) IS NOT NULL", [...kept, ...plain])).toEqual(kept);
  });
});

describe("ORDER BY", () => {
  it("looks for NaN only among numbers that may be it", () => {
    const time = "SELECT m.response.time AS t FROM edge_logs, UNNEST(metadata) AS m";
    const cast = "SELECT CAST(id AS FLOAT64) AS t FROM edge_logs";
    const mixed = [
      `${cast} ORDER BY t`,
      `SELECT t FROM (${time} UNION ALL ${cast}) ORDER BY t`,
      `SELECT t FROM (${cast} UNION ALL ${time}) ORDER BY t`,
    ];
    const plain = [
      `${time} ORDER BY t`,
      `SELECT t FROM (${time} UNION ALL ${time}) ORDER BY t`,
      `SELECT DISTINCT t FROM (${time}) ORDER BY t`,
      "SELECT id FROM edge_logs ORDER BY LENGTH(id)",
      "SELECT id FROM edge_logs TABLESAMPLE RESERVOIR (2 ROWS)",
      forEach("SELECT x FROM UNNEST([a.id, 'b']) AS x LIMIT 1"),
    ];
    expect(having("isnan", [...mixed, ...plain])).toEqual(mixed);
  });

  it("names what is selected, but an expression in a correlated sub-query, where DuckDB finds no names", () => {
    expect(print("SELECT UPPER(id) AS u FROM edge_logs ORDER BY u")).toMatch(/ORDER BY c\d+_u ASC/);
    const query = "SELECT ARRAY(SELECT b.id FROM edge_logs AS b WHERE b.id > a.id ORDER BY b.id) FROM edge_logs AS a";
    expect(print(query)).toContain('ORDER BY t2."id" ASC');
  });

  it("keeps the order of an array that a correlated sub-query limits", () => {
    expect(print(forEach("SELECT x FROM UNNEST([a.id, 'b']) AS x LIMIT 1"))).toMatch(/ORDER BY s\d+\.position_\d+ ASC/);
  });

  it("draws rows by chance", () => {
    const sample = print("SELECT id FROM edge_logs TABLESAMPLE RESERVOIR (2 ROWS)");
    expect(sample).toContain('FROM "events_1" AS t1 ORDER BY random() ASC NULLS FIRST LIMIT 2::BIGINT');
  });
});
