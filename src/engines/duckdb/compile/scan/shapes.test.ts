/** How a statement is printed where its rows would be the same either way: what it computes how often, and over what. */
import { describe, expect, it } from "vitest";
import { compileText } from "../testing/compile-text.ts";

function print(text: string): string {
  const { sql } = compileText(text);
  expect(sql).not.toMatch(/\bundefined\b|\[object/);
  return sql;
}

const countOf = (sql: string, part: string) => sql.split(part).length - 1;
const selectsOf = (text: string) => countOf(print(text), "SELECT ");
/** What is printed inside of the outermost sub-select. */
const insideOf = (text: string) => print(text).split("FROM (SELECT").slice(1).join("FROM (SELECT");
/** Which of the queries are printed with the part. */
const having = (part: string, queries: readonly string[]) => queries.filter((query) => print(query).includes(part));
/** A query that is asked for each event, which is `a`. */
const forEach = (query: string) => `SELECT (${query}) FROM edge_logs AS a`;

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
    ];
    expect(queries.map((query) => countOf(print(query), "lw_upper("))).toEqual([1, 1, 1]);
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

describe("a join", () => {
  const both = "EXISTS (SELECT 1 FROM UNNEST([a.id]) AS x WHERE x = b.id)";
  const left = "EXISTS (SELECT 1 FROM UNNEST([a.id]) AS x WHERE x = 'a')";
  const joined = (type: string, on: string) => `SELECT 1 FROM edge_logs AS a ${type} JOIN edge_logs AS b ON ${on}`;
  const within = (type: string, on: string, where = "true") =>
    forEach(`SELECT COUNT(*) FROM edge_logs AS b ${type} JOIN edge_logs AS c ON b.id = c.id AND ${on} WHERE ${where}`);

  it("numbers rows only where DuckDB has no form for its condition", () => {
    const numbered = [
      joined("LEFT", both),
      joined("LEFT", `a.id = b.id AND (${left} OR ${both})`),
      within("FULL", "b.id > a.id"),
    ];
    const plain = [
      joined("INNER", both),
      joined("LEFT", "a.id = b.id OR a.id IS NULL"),
      joined("LEFT", `a.id = b.id AND ${left}`),
      joined("LEFT", `a.id = b.id OR ${left}`),
      within("LEFT", "b.id > a.id"),
      within("FULL", "true", "b.id > a.id"),
      joined("FULL", "a.id = b.id"),
    ];
    expect(having("row_number() OVER ()", [...numbered, ...plain])).toEqual(numbered);
  });

  it("computes a sub-query of its condition on a side only where it is an outer one", () => {
    expect(selectsOf(joined("LEFT", left)) - selectsOf(joined("INNER", left))).toBe(1);
  });

  it("is a CROSS JOIN only where it has no condition", () => {
    const lateral = "LATERAL (SELECT a.id AS x)";
    const crossed = ["SELECT 1 FROM edge_logs AS a, edge_logs AS b"];
    const conditional = [
      joined("INNER", "a.id = b.id"),
      `SELECT 1 FROM edge_logs AS a, ${lateral} AS b`,
      `SELECT 1 FROM edge_logs AS a LEFT JOIN ${lateral} AS b`,
      `SELECT 1 FROM edge_logs AS a JOIN ${lateral} AS b ON b.x = 'a'`,
    ];
    expect(having("CROSS JOIN", [...crossed, ...conditional])).toEqual(crossed);
    expect(having("INNER JOIN LATERAL", conditional)).toHaveLength(2);
    expect(having("LEFT JOIN LATERAL", conditional)).toHaveLength(1);
  });
});

describe("a sub-query", () => {
  it("carries columns of the query around it in only for what cannot mix them with its own", () => {
    const windows =
      "FROM (SELECT SUM(LENGTH(b.id)WITH) OVER (ORDER BY b.id) AS s FROM edge_logs AS b WHERE b.id > a.id)";
    const carrying = [
      forEach(`SELECT MAX(s) ${windows.replace("WITH", " + LENGTH(a.id)")}`),
      forEach(
        `SELECT MAX(s + r) ${windows.replace("WITH", " + LENGTH(a.id)").replace(" FROM edge", ", RANK() OVER (ORDER BY b.id) AS r FROM edge")}`,
      ),
    ];
    expect(selectsOf(forEach(`SELECT MAX(s) ${windows.replace("WITH", "")}`))).toBe(3);
    const plain = [
      forEach(
        "SELECT COUNT(*) FROM edge_logs AS b JOIN edge_logs AS c " +
          "ON EXISTS (SELECT 1 FROM UNNEST([b.id]) AS x WHERE x = a.id)",
      ),
      forEach(`SELECT MAX(s) ${windows.replace("WITH", "")}`),
      forEach("SELECT MAX(CONCAT(b.id, a.id)) FROM (SELECT id FROM edge_logs LIMIT 2) AS b"),
      forEach("SELECT COUNT(*) FROM edge_logs AS b WHERE b.id = a.id"),
    ];
    expect(having("outer_", [...carrying, ...plain])).toEqual(carrying);
  });

  it("of a window is selected first, and nothing else is", () => {
    const query =
      "SELECT RANK() OVER (ORDER BY (SELECT MAX(b.id) FROM edge_logs AS b)), SUM(LENGTH(id)) OVER () FROM edge_logs";
    expect(insideOf(query)).toContain("max(");
    expect(insideOf(query)).not.toContain("length(");
  });

  it("of a common table expression that several read is in WITH, and in place where it is correlated", () => {
    const twice = "WITH w AS (SELECT id FROM edge_logs) SELECT x.id FROM w AS x JOIN w AS y USING (id)";
    const correlated = `WITH w AS (SELECT id FROM edge_logs) ${forEach("SELECT COUNT(*) FROM w AS x JOIN w AS y ON x.id = a.id")}`;
    const random = correlated.replace("SELECT id", "SELECT id, RAND() AS r").replace("COUNT(*)", "MAX(x.r)");
    expect([twice, correlated, random].map((query) => countOf(print(query), "WITH w"))).toEqual([1, 0, 1]);
  });
});

describe("a window", () => {
  const over = (frame: string) => `SELECT COUNT(*) OVER (ORDER BY ${frame}) FROM edge_logs`;
  const [exact, large] = ["7e28", "7.1e28"].map((digits) => `NUMERIC '${digits}' PRECEDING`);

  it("widens integers only where bounds of its frame may leave their range", () => {
    const wide = [over("LENGTH(id) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW")];
    const narrow = [
      over("LENGTH(id) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"),
      over("LENGTH(id) RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
      over("LENGTH(id)"),
      "SELECT ARRAY_AGG(id ORDER BY LENGTH(id)) FROM edge_logs",
    ];
    expect(having("HUGEINT", [...wide, ...narrow])).toEqual(wide);
  });

  it("looks for an offset that is none only where it may be one", () => {
    const checked = [over("CAST(id AS FLOAT64) RANGE BETWEEN @p PRECEDING AND CURRENT ROW")];
    const plain = [
      over("CAST(id AS FLOAT64) RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW"),
      over("LENGTH(id) RANGE BETWEEN @p PRECEDING AND CURRENT ROW"),
    ];
    expect(having("isinf", [...checked, ...plain])).toEqual(checked);
  });

  it("counts groups of keys only for frames that DuckDB has no type for", () => {
    const [numeric, big] = ["CAST(id AS NUMERIC)", "CAST(id AS BIGNUMERIC)"];
    const counted = [
      over(`${numeric} RANGE BETWEEN ${large} AND CURRENT ROW`),
      over(`${numeric} RANGE BETWEEN ${large} AND 1 FOLLOWING`),
      over(`${big} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW`),
    ];
    const plain = [
      over(`${numeric} RANGE BETWEEN ${exact} AND CURRENT ROW`),
      over(`${numeric} RANGE BETWEEN @p PRECEDING AND CURRENT ROW`),
      over(`${numeric} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`),
      over(`${big} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`),
      over(`${big} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`),
      over("CAST(id AS FLOAT64) RANGE BETWEEN 1e30 PRECEDING AND CURRENT ROW"),
    ];
    expect(having("dense_rank", [...counted, ...plain])).toEqual(counted);
  });

  it("looks for them among the keys of its partition", () => {
    const frame = "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW";
    const query = `SELECT COUNT(*) OVER (PARTITION BY project ORDER BY CAST(id AS BIGNUMERIC) ${frame}) FROM edge_logs`;
    expect(countOf(print(query), "PARTITION BY")).toBe(3);
  });
});
