import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import type { Connection } from "../../driver/connection.ts";
import { type CheckStatement, createStatementCheck } from "./statement-check.ts";

describe("the statement check", () => {
  const duckdb = useDatabase();
  let check: CheckStatement;
  beforeAll(async () => {
    check = createStatementCheck(duckdb.connection, {
      isKnownTable: (name) => name === "events_1",
      functions: new Set(["sum", "lower", "list_transform", "list_value", "row_number", "count_star"]),
      tableFunctions: new Set(["unnest"]),
    });
  });

  it.each([
    "SELECT 1",
    "SELECT a.x::INTEGER, a.y ILIKE 'b%', a.x + 1, a.x IN (1, 2), CASE WHEN a.x THEN 'read_csv(1)' END FROM events_1 a",
    "WITH edge AS (SELECT * FROM events_1) SELECT lower(x), sum(y), count(*) FROM edge GROUP BY ALL",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
    "SELECT list_transform([1, 2], lambda q: q + 1), u.v FROM unnest([1]) u(v)",
    "SELECT * FROM (VALUES (1), (2)) v(x) UNION ALL SELECT * FROM events_1 WHERE EXISTS (SELECT 1 FROM events_1)",
    "SELECT row_number() OVER (PARTITION BY x ORDER BY y) FROM events_1 WHERE x = $1",
    "SELECT m['read_csv'] FROM events_1 AS of_events(m)",
    'WITH "Edge" AS (SELECT 1 AS n) SELECT "LOWER"(n), unnest([1]) FROM edge',
  ])("accepts %s", async (sql) => {
    await expect(check(sql)).resolves.toBeUndefined();
  });

  it.each([
    ["an unknown table", "SELECT * FROM lw_store", "the table lw_store"],
    ["an unknown table in a sub-query", "SELECT (SELECT max(name) FROM lw_sources)", "the table lw_sources"],
    ["an unknown table within a CTE", "WITH a AS (SELECT * FROM secrets) SELECT * FROM a", "the table secrets"],
    ["a file", "SELECT * FROM '/etc/passwd.csv'", "the table /etc/passwd.csv"],
    ["a table of another schema", "SELECT * FROM information_schema.events_1", "the table events_1"],
    ["a table of another database", "SELECT * FROM memory.main.events_1", "the table events_1"],
    ["a table function", "SELECT * FROM read_text('/etc/passwd')", "the table function read_text"],
    ["a table function in a join", "SELECT * FROM events_1, duckdb_settings()", "the table function duckdb_settings"],
    ["a function beyond the list", "SELECT getenv('HOME')", "the function getenv"],
    ["a function of another schema", "SELECT pg_catalog.lower('A')", "the function lower"],
    ["a window function beyond the list", "SELECT ntile(3) OVER () FROM events_1", "the function ntile"],
    ["a description", "SELECT * FROM (DESCRIBE events_1)", "a SHOW_REF in FROM"],
    ["a list of tables", "SHOW TABLES", "a SHOW_REF in FROM"],
    ["two statements", "SELECT 1; SELECT 2", "it is not one statement"],
    ["no statement", "", "it is not"],
    ["a change", "DELETE FROM events_1", "it is not a SELECT"],
    ["a setting", "SET threads = 1", "it is not a SELECT"],
    ["a copy", "COPY events_1 TO 'x'", "it is not a SELECT"],
    ["a pragma", "PRAGMA database_list", "it is not a SELECT"],
    ["a text that does not parse", "SELEC 1", "it is not a SELECT"],
  ])("rejects %s", async (_name, sql, reason) => {
    await expect(check(sql)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(reason) as string,
    });
  });

  it("reports a statement nested too deeply as failed instead of refused", async () => {
    const sql = `SELECT ${Array.from({ length: 5_000 }, () => "'x'").join(" || ")}`;
    await expect(check(sql)).rejects.toMatchObject({ code: "query_failed" });
  });

  it("caches accepted statements, but not rejected ones", async () => {
    const calls: string[] = [];
    const spy: Pick<Connection, "all"> = {
      all: (sql, values) => {
        calls.push(String(values?.[0]?.value));
        return duckdb.connection.all(sql, values);
      },
    };
    const remembering = createStatementCheck(spy, {
      isKnownTable: () => false,
      functions: undefined,
      tableFunctions: new Set(),
    });
    await Promise.all([remembering("SELECT 1"), remembering("SELECT 2")]);
    await remembering("SELECT 1");
    await expect(remembering("FROM t")).rejects.toThrow();
    await expect(remembering("FROM t")).rejects.toThrow();
    expect(calls).toEqual(["SELECT 1", "SELECT 2", "FROM t", "FROM t"]);
  });

  it("forgets the statements that were not used for the longest time, and goes on after one that could not be read", async () => {
    let calls = 0;
    const counting: Pick<Connection, "all"> = {
      all: (sql, values) => (calls++ === 0 ? Promise.reject(new Error("busy")) : duckdb.connection.all(sql, values)),
    };
    const rules = { isKnownTable: () => false, functions: undefined, tableFunctions: new Set<string>() };
    const remembering = createStatementCheck(counting, rules, 1);
    const first = remembering("SELECT 1");
    const second = remembering("SELECT 2");
    await expect(first).rejects.toThrow("busy");
    await second;
    await remembering("SELECT 2");
    expect(calls).toBe(2);
    await remembering("SELECT 1");
    await remembering("SELECT 2");
    expect(calls).toBe(4);
  });
});
