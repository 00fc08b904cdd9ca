import { describe, expect, it } from "vitest";
import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { arrayOf, INT64, type SqlType, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import { compileText } from "./testing/compile-text.ts";

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
    const conditions = Array.from({ length: 20_000 }, (_, i) => `x != ${i}`).join(" AND ");
    expect(compileText(`SELECT 1 FROM (SELECT 5 AS x) WHERE ${conditions}`).sql.match(/<>/g)).toHaveLength(20_000);
  });

  it("rejects a query that is nested too deeply without overflowing the stack", () => {
    const pipes = "|> WHERE x > 0 |> AGGREGATE MAX(x) AS x ".repeat(400);
    expect(() => compileText(`FROM UNNEST([1]) AS x ${pipes}`)).toThrow(GoogleSqlError);
  });
});
