import { describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { edgeLayout } from "../../../../test/support/engines/duckdb/compile/edge-layout.ts";
import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolver/resolve.ts";
import { arrayOf, INT64, type SqlType, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import { compileQuery } from "./compile.ts";

describe("compileQuery", () => {
  it("lists each parameter once, in the order of the placeholders", () => {
    const types = new Map<string, SqlType>([
      ["a", STRING],
      ["b", TIMESTAMP],
      ["c", arrayOf(INT64)],
    ]);
    const query = "SELECT @c FROM edge_logs WHERE timestamp > @b AND (project = @a OR @b IS NULL)";
    const { sql, parameters } = compileText(query, undefined, types);
    expect(sql).toContain("CAST($1 AS BIGINT[])");
    expect(sql).toContain("CAST($2 AS TIMESTAMP)");
    expect(parameters).toEqual([
      { key: "c", type: arrayOf(INT64) },
      { key: "b", type: TIMESTAMP },
      { key: "a", type: STRING },
    ]);
  });

  it("does not read a dollar sign in a literal as a placeholder", () => {
    const { sql, parameters } = compileText(
      "SELECT '$1', \"it's $2\", @p FROM edge_logs",
      undefined,
      new Map([["p", STRING]]),
    );
    expect(sql).toContain("'$1'");
    expect(sql).toContain("'it''s $2'");
    expect(parameters).toEqual([{ key: "p", type: STRING }]);
  });

  it("lists only the tables that the statement reads", () => {
    expect(compileText("WITH unread AS (SELECT * FROM edge_logs) SELECT 1").tables).toEqual([]);
    expect(compileText("SELECT 1 FROM edge_logs AS a, edge_logs AS b").tables).toEqual(["edge_logs"]);
  });

  it("returns the final names and types of the columns", () => {
    expect(compileText("SELECT id, id, COUNT(*) FROM edge_logs GROUP BY id").columns).toEqual([
      { name: "id", type: STRING },
      { name: "id_1", type: STRING },
      { name: "f0_", type: INT64 },
    ]);
  });

  it("prints SQL whose length grows in proportion to the query", () => {
    const sum = (terms: number) => `SELECT ${"x + ".repeat(terms)}x AS y FROM (SELECT 1 AS x)`;
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce((inner: string) => `SELECT a + a AS a FROM (${inner})`, "SELECT 1 AS a");
    expect(compileText(sum(200)).sql.length).toBeLessThan(2.2 * compileText(sum(100)).sql.length);
    expect(compileText(nested(60)).sql.length).toBeLessThan(2.5 * compileText(nested(30)).sql.length);
  });

  it("prints thousands of conditions as one filter", () => {
    const conditions = Array.from({ length: 5_000 }, (_, i) => `x != ${i}`).join(" AND ");
    expect(compileText(`SELECT 1 FROM (SELECT 5 AS x) WHERE ${conditions}`).sql.match(/<>/g)).toHaveLength(5_000);
  });

  it("rejects a query that is nested too deeply without overflowing the stack", () => {
    const pipes = "|> WHERE x > 0 |> AGGREGATE MAX(x) AS x ".repeat(400);
    expect(() => compileText(`FROM UNNEST([1]) AS x ${pipes}`)).toThrow(GoogleSqlError);
  });

  it("shows where in the text of the query a function refuses its arguments", () => {
    const text = "SELECT 1, FORMAT('%y', 1)";
    const message = 'FORMAT: invalid format specifier "%y"';
    const diagnostics = [{ code: "invalid_query", message, span: { start: 10, end: 25 } }];
    expect(() => compileText(text)).toThrow(expect.objectContaining({ text, message, diagnostics }) as Error);
  });

  it("passes on an error that is none of the query's", () => {
    const text = "SELECT id FROM edge_logs";
    const tables = { findTable: () => edgeLayout.definition, tableNames: () => [] };
    const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
    const error = new RangeError("The catalog is closed");
    const layouts = () => {
      throw error;
    };
    expect(() => compileQuery(query, layouts, { text })).toThrow(error);
    const unknown = { code: "unknown_table", message: "Table not found: edge_logs", span: { start: 15, end: 24 } };
    expect(() => compileQuery(query, () => undefined)).toThrow(
      expect.objectContaining({ text: "", diagnostics: [unknown] }) as Error,
    );
  });

  it("says at which depth of sub-queries it stops", () => {
    const text = (levels: number) => `FROM UNNEST([1]) AS x ${"|> AGGREGATE MAX(x) AS x ".repeat(levels)}`;
    expect(compileText(text(249)).columns).toEqual([{ name: "x", type: INT64 }]);
    const message = "Sub-queries are nested deeper than 250 levels";
    const diagnostic = { code: "too_complex", message, span: { start: 0, end: 0 } };
    expect(() => compileText(text(250))).toThrow(
      expect.objectContaining({ message, text: text(250), diagnostics: [diagnostic] }) as Error,
    );
  });

  it.each([
    [500, "OR", "(500x)"],
    [501, "OR", "CASE WHEN (500x|x) THEN true ELSE false END"],
    [1001, "OR", "CASE WHEN (500x|500x|x) THEN true ELSE false END"],
    [500, "AND", "500x"],
    [501, "AND", "CASE WHEN 501x THEN true ELSE false END"],
  ])("keeps more than 500 conditions from the optimizer: %d with %s", (count, operator, form) => {
    const conditions = Array.from({ length: count }, (_, i) => `project > '${i}'`).join(` ${operator} `);
    const { sql } = compileText(`SELECT id FROM edge_logs WHERE ${conditions}`);
    const short = sql
      .replaceAll(/\(t1\."c_project" > '\d+'\)/g, "x")
      .replaceAll(/x(?: (?:OR|AND) x)+/g, (many) => `${many.split("x").length - 1}x`);
    const group = (text: string) => `CASE WHEN ${text} THEN true ELSE false END`;
    const expected = form.replace(/\((.*\|.*)\)/, (_, groups: string) => groups.split("|").map(group).join(" OR "));
    expect(short).toBe(`SELECT t1."id" AS c1_id FROM "events_1" AS t1 WHERE ${expected}`);
  });

  // DuckDB's NaN is the greatest number and equals itself: a comparison tests for it unless there can be none.
  it.each([
    ["a column", "m.response.time > 1", false],
    ["a written number", "1.5 < m.response.time", false],
    ["a number of a column", "CAST(m.request.port AS FLOAT64) > 1", false],
    ["a column cast to its own type", "CAST(m.response.time AS FLOAT64) > 1", false],
    ["a number read from text", "CAST(event_message AS FLOAT64) > 1", true],
    ["a number cast from a NUMERIC", "CAST(CAST(m.request.port AS NUMERIC) AS FLOAT64) > 1", false],
    ["a parameter", "m.response.time < @x", true],
    ["a computed number", "SQRT(m.response.time) > 1", true],
    ["two columns", "m.response.time > m.response.time", false],
    ["integers", "m.request.port > 1", false],
    ["a name for a column", "WITH(a AS m.response.time, a > 1 OR a < 5)", false],
    ["a name for a computed number", "WITH(a AS SQRT(m.response.time), a > 1 OR a > 5)", true],
    [
      "a name for a number of a computed integer",
      "WITH(a AS CAST(ABS(m.request.port) AS FLOAT64), a > 1 OR a > 5)",
      false,
    ],
  ])("tests for NaN where there may be one: %s", (_, condition, tests) => {
    const { sql } = compileText(`SELECT ${condition} AS v FROM edge_logs, UNNEST(metadata) AS m`);
    expect(sql.includes("isnan(")).toBe(tests);
  });

  it.each([
    ["a sub-select's column", "SELECT m.response.time AS t FROM $T LIMIT 5", false],
    ["a sub-select's computed column", "SELECT SQRT(m.response.time) AS t FROM $T LIMIT 5", true],
    ["a distinct column", "SELECT DISTINCT m.response.time AS t FROM $T", false],
    ["a distinct computed column", "SELECT DISTINCT SQRT(m.response.time) AS t FROM $T", true],
    ["a union of columns and numbers", "SELECT m.response.time AS t FROM $T UNION ALL SELECT 1.5", false],
    ["a union of which one side is computed", "SELECT m.response.time AS t FROM $T UNION ALL SELECT SQRT(3)", true],
    ["an aggregate", "SELECT MAX(m.response.time) AS t FROM $T", true],
  ])("knows of %s whether it may be NaN", (_, from, tests) => {
    const below = from.replaceAll("$T", "edge_logs, UNNEST(metadata) AS m");
    expect(compileText(`SELECT t FROM (${below}) WHERE t > 2`).sql.includes("isnan(")).toBe(tests);
  });
});
