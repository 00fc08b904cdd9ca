import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { compileQuery } from "../compile.ts";

describe("an expression on DuckDB", () => {
  let edge: TestDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  const first = async (select: string) => (await edge.rows(`SELECT ${select} FROM edge_logs WHERE id = 'a'`))[0];

  it("with SAFE is NULL where the call fails, and fails where its arguments do", async () => {
    const day = (count: string) => `SAFE.DATE_ADD(DATE '9999-12-${count}', INTERVAL LENGTH(id) DAY)`;
    expect(await first(`${day("31")}, ${day("30")}`)).toEqual([null, "9999-12-31"]);
    expect(await first("SAFE.SUBSTR(UPPER(event_message), LENGTH(id), 2 * LENGTH(project))")).toEqual(["FIRS"]);
    expect(await first("SAFE.SUBSTR((SELECT MAX(b.event_message) FROM edge_logs AS b), 1, LENGTH(project))")).toEqual([
      "th",
    ]);
    const days = "SELECT SAFE.DATE_ADD(DATE '2024-01-01', INTERVAL n DAY) FROM UNNEST([1, 99999999]) AS n ORDER BY n";
    expect(await edge.rows(days)).toEqual([["2024-01-02"], [null]]);
    const zero = "DIV(1, LENGTH(id) - 1)";
    await expect(first(`SAFE.SUBSTR(UPPER(id), ${zero})`)).rejects.toThrow(/zero/i);
    await expect(first(`SAFE.DATE_ADD(DATE '2024-01-01', INTERVAL ${zero} DAY)`)).rejects.toThrow(/zero/i);
  });

  it("with NULL for a pattern, a path or a position does not look at the others", async () => {
    const calls = [
      "REGEXP_EXTRACT(id, NULL, 0)",
      "REGEXP_REPLACE(id, NULL, r'\\9')",
      "REGEXP_CONTAINS(NULL, '(')",
      "JSON_VALUE(NULL, '$[')",
      "JSON_QUERY(NULL, '$[')",
      "JSON_EXTRACT(NULL, '$[')",
      "[1][OFFSET(NULL)]",
      "[1][SAFE_ORDINAL(NULL)]",
    ];
    expect(await first(calls.join(", "))).toEqual(calls.map(() => null));
  });

  it("that is an array keeps the order and the limit of its query, also by what is computed", async () => {
    const items = (rest: string) => first(`ARRAY(SELECT CONCAT(b.id, '!') AS x FROM edge_logs AS b ORDER BY ${rest})`);
    expect(await items("x DESC")).toEqual([["d!", "c!", "b!", "a!"]]);
    expect(await items("x DESC LIMIT 2")).toEqual([["d!", "c!"]]);
    expect(await items("x LIMIT 2 OFFSET 1")).toEqual([["b!", "c!"]]);
    expect(await items("project DESC, x LIMIT 3")).toEqual([["c!", "d!", "a!"]]);
    expect(await first("ARRAY(SELECT DISTINCT b.project AS x FROM edge_logs AS b ORDER BY x DESC)")).toEqual([
      ["p2", "p1"],
    ]);
  });

  it("is looked for in a query as GoogleSQL compares", async () => {
    const nan = "CAST('NaN' AS FLOAT64)";
    const among = (value: string, query: string) => first(`${value} IN (SELECT ${query} FROM edge_logs)`);
    expect(await among(`LENGTH(id) + ${nan}`, nan)).toEqual([false]);
    expect(await among(nan, "NULL")).toEqual([null]);
    expect(await among("LENGTH(id) + 0.5", "1.5")).toEqual([true]);
    expect(await among("CAST(NULL AS FLOAT64)", "1.5")).toEqual([null]);
    expect(await among("INTERVAL LENGTH(id) DAY", "INTERVAL 24 HOUR")).toEqual([true]);
    expect(await first("STRUCT(id, 1) IN (SELECT AS STRUCT id, LENGTH(id) FROM edge_logs)")).toEqual([true]);
    const none = "CAST(NULL AS INT64)";
    expect(await first(`STRUCT(id, ${none}) IN (SELECT AS STRUCT id, ${none} FROM edge_logs)`)).toEqual([null]);
    expect(await first("id LIKE ALL (SELECT CONCAT(id, '%') FROM edge_logs)")).toEqual([false]);
    expect(await first("ARRAY(SELECT id || 'x'), EXISTS(SELECT 1), EXISTS(SELECT 1 LIMIT 0)")).toEqual([
      ["ax"],
      true,
      false,
    ]);
    expect(await first("id LIKE ANY (SELECT CONCAT(id, '%') FROM edge_logs)")).toEqual([true]);
  });

  it("may hold a query beside a lambda, which is not computed in a branch that is not taken", async () => {
    expect(await first("(SELECT MAX(b.id) FROM edge_logs AS b) LIKE ANY (id, 'd%')")).toEqual([true]);
    const branch = "(SELECT ERROR(b.id) FROM edge_logs AS b LIMIT 1)";
    expect(await first(`IF(id LIKE ANY (id, project), 'x', ${branch})`)).toEqual(["x"]);
    expect(await first(`COALESCE(REGEXP_REPLACE(id, id, 'z'), ${branch})`)).toEqual(["z"]);
  });

  it("that is one of several quantiles is that, or what the whole array tells", async () => {
    const from = "(SELECT APPROX_QUANTILES(b.id, 3) AS q FROM edge_logs AS b) AS r";
    const of = (call: string) => edge.rows(`SELECT ${call} FROM ${from}`);
    expect(await of("q[OFFSET(0)], q[SAFE_ORDINAL(4)], q[SAFE_OFFSET(4)]")).toEqual([["a", "d", null]]);
    expect(await of("q[OFFSET(NULL)]")).toEqual([[null]]);
    expect(await of("ARRAY_TO_STRING(q, '1')")).toEqual([["a1b1c1d"]]);
  });

  it("that is a record in an array is read like the record", async () => {
    const paths = (array: string) =>
      edge.rows(`SELECT x.request[0].path FROM edge_logs, UNNEST(metadata) AS m, UNNEST(${array}) AS x WHERE id = 'a'`);
    expect(await paths("[m]")).toEqual([["/a"]]);
    expect(await paths("[m, m]")).toEqual([["/a"], ["/a"]]);
    expect(await paths("[metadata[0]]")).toEqual([["/a"]]);
  });
});

it("reports a parameter that the query does not have", () => {
  const text = "SELECT @p";
  const tables = { findTable: () => undefined, tableNames: () => [] };
  const query = resolveQuery(parseQuery(text), text, { tables, inferParameters: true });
  const diagnostic = { code: "unknown_parameter", message: "Unknown parameter: p", span: { start: 7, end: 9 } };
  expect(() => compileQuery({ ...query, parameters: [] }, () => undefined, { text })).toThrow(
    expect.objectContaining({ text, diagnostics: [diagnostic] }) as Error,
  );
});

/** The query with a part of its resolved form replaced. */
function compileChanged(text: string, part: string, other: string) {
  const tables = { findTable: () => undefined, tableNames: () => [] };
  const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
  const changed = JSON.parse(JSON.stringify(query).replaceAll(part, other)) as typeof query;
  return compileQuery(changed, () => undefined, { text });
}

it("reports a function that is not one of this engine's, with its place", () => {
  const text = "SELECT 2, ABS(1)";
  const message = "Function OTHER is not supported by this engine";
  const diagnostics = [{ code: "unsupported", message, span: { start: 10, end: 16 } }];
  expect(() => compileChanged(text, '"ABS"', '"OTHER"')).toThrow(
    expect.objectContaining({ name: "GoogleSqlError", text, diagnostics }) as Error,
  );
});
