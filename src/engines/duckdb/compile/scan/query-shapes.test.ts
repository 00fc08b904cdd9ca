/** As `shapes.test.ts`, of queries over several tables, within each other or with windows. */
import { describe, expect, it } from "vitest";
import {
  countOf,
  forEach,
  having,
  insideOf,
  print,
  selectsOf,
} from "../../../../../test/support/engines/duckdb/compile/printed.ts";

describe("a WITH table that is read twice", () => {
  it("has the column that only ORDER BY asks for", () => {
    const printed = print(
      "WITH t AS (SELECT id, timestamp AS time FROM edge_logs) SELECT (SELECT COUNT(*) FROM t) FROM t AS o ORDER BY o.time",
    );
    const definition = printed.slice(0, printed.indexOf(") SELECT"));
    expect(definition).toContain("timestamp");
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

describe("a common table expression", () => {
  it("is kept by DuckDB only where a parameter would be lost in its copies", () => {
    const twice = (query: string) => `WITH w AS (${query}) SELECT x.v FROM w AS x, w AS y`;
    const kept = [twice("SELECT CONCAT(@p, 'x') AS v")];
    const plain = [
      twice("SELECT CONCAT(id, @p) AS v FROM edge_logs"),
      twice("SELECT CONCAT(v, 'x') AS v FROM UNNEST(['a']) AS v"),
    ];
    expect(having("MATERIALIZED", [...kept, ...plain])).toEqual(kept);
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
    expect(having("GROUPS BETWEEN", [...counted, ...plain])).toEqual(counted);
  });

  it("looks for them among the keys of its partition", () => {
    const frame = "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW";
    const query = `SELECT COUNT(*) OVER (PARTITION BY project ORDER BY CAST(id AS BIGNUMERIC) ${frame}) FROM edge_logs`;
    expect(countOf(print(query), "PARTITION BY")).toBe(2);
  });
});
