import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runSqlBatch, type SqlBatchOptions, serverOf } from "./sql-batch.ts";

async function answer(lines: readonly unknown[], options?: SqlBatchOptions): Promise<unknown[]> {
  const output = new PassThrough();
  const written = text(output);
  const input = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  await runSqlBatch(Readable.from(input), output, options);
  output.end();
  const answers = (await written).split("\n");
  expect(answers.pop()).toBe("");
  return answers.map((line) => JSON.parse(line));
}

describe("sql --batch", () => {
  it("returns columns with their types, and rows as cells", async () => {
    const query = `SELECT 1 AS i, 9007199254740993 AS big, 1.5 AS f, CAST('nan' AS FLOAT64) AS nan, NUMERIC '1.50' AS n, TRUE AS b,
      'x' AS s, b'\\xff' AS y, DATE '2026-01-02' AS d, TIME '03:04:05' AS t, DATETIME '2026-01-02 03:04:05' AS dt,
      TIMESTAMP '2026-01-02 03:04:05+00' AS ts, INTERVAL 1 DAY AS iv, JSON '{"a":null}' AS j, JSON 'null' AS jn, [1, NULL] AS a,
      STRUCT(1 AS p, 'q') AS st, CAST(NULL AS STRING) AS nothing`;
    expect(await answer([{ query }])).toEqual([
      {
        columns: [
          { name: "i", type: "INT64" },
          { name: "big", type: "INT64" },
          { name: "f", type: "FLOAT64" },
          { name: "nan", type: "FLOAT64" },
          { name: "n", type: "NUMERIC" },
          { name: "b", type: "BOOL" },
          { name: "s", type: "STRING" },
          { name: "y", type: "BYTES" },
          { name: "d", type: "DATE" },
          { name: "t", type: "TIME" },
          { name: "dt", type: "DATETIME" },
          { name: "ts", type: "TIMESTAMP" },
          { name: "iv", type: "INTERVAL" },
          { name: "j", type: "JSON" },
          { name: "jn", type: "JSON" },
          { name: "a", type: "ARRAY<INT64>" },
          { name: "st", type: "STRUCT<p INT64, STRING>" },
          { name: "nothing", type: "STRING" },
        ],
        rows: [
          [
            1,
            "9007199254740993",
            1.5,
            "NaN",
            "1.5",
            true,
            "x",
            "/w==",
            "2026-01-02",
            "03:04:05",
            "2026-01-02T03:04:05",
            1767323045000000,
            "0-0 1 0:0:0",
            '{"a":null}',
            "null",
            [1, null],
            [1, "q"],
            null,
          ],
        ],
      },
    ]);
  });

  it("returns the fields of a top-level SELECT AS STRUCT as columns", async () => {
    expect(await answer([{ query: "SELECT AS STRUCT 1 AS a, 'x'" }])).toEqual([
      {
        columns: [
          { name: "a", type: "INT64" },
          { name: "f0_", type: "STRING" },
        ],
        rows: [[1, "x"]],
      },
    ]);
  });

  it("creates the tables of setup only for their line", async () => {
    const setup = [
      "CREATE TABLE t AS SELECT 1 AS a, 'x' AS b",
      "create or replace table `my table` as SELECT a + 1 AS a FROM t",
    ];
    const answers = await answer([
      { query: "SELECT T.a, m.a, b FROM t, `my table` AS m", setup },
      { query: "SELECT * FROM t" },
      { query: "SELECT a FROM t", setup: ["CREATE TABLE t AS SELECT 5 AS a"] },
    ]);
    expect(answers[0]).toMatchObject({ rows: [[1, 2, "x"]] });
    expect(answers[1]).toMatchObject({ error: { code: "unknown_table", line: 1, column: 15 } });
    expect(answers[2]).toMatchObject({ rows: [[5]] });
  });

  it("accepts named and positional parameters, and infers their types from the values", async () => {
    const answers = await answer([
      '{"query":"SELECT @I + 1, @f, @s, @b, @a, ' +
        '@d","params":{"i":1,"f":1.0,"s":"x","b":true,"a":[1,2.5],"d":{"type":"DATE","value":"2026-01-02"}}}',
      { query: "SELECT ?, ?", params: ["a", 2] },
      { query: "SELECT IFNULL(@n, 'none')", params: { n: null } },
      { query: "SELECT @missing" },
      { query: "SELECT @o.a", params: { o: { a: 5 } } },
      {
        query: "SELECT @j, @r, @z, ARRAY(SELECT x.d FROM UNNEST(@s) AS x)",
        params: {
          j: { type: "JSON", value: '{"b":2.50,"a":1,"b":3}' },
          r: { type: "RANGE<DATE>", value: ["2026-01-02", null] },
          s: { type: "ARRAY<STRUCT<d DATE>>", value: [["2026-01-02"], null] },
          z: {},
        },
      },
    ]);
    expect(answers[0]).toMatchObject({
      columns: [
        { type: "INT64" },
        { type: "FLOAT64" },
        { type: "STRING" },
        { type: "BOOL" },
        { type: "ARRAY<FLOAT64>" },
        { type: "DATE" },
      ],
      rows: [[2, 1, "x", true, [1, 2.5], "2026-01-02"]],
    });
    expect(answers[1]).toMatchObject({ rows: [["a", 2]] });
    expect(answers[2]).toMatchObject({ rows: [["none"]] });
    expect(answers[3]).toMatchObject({ error: { code: "invalid_request" } });
    expect(answers[4]).toMatchObject({ rows: [[5]] });
    expect(answers[5]).toMatchObject({
      rows: [['{"a":1,"b":2.5}', "[2026-01-02, UNBOUNDED)", [], ["2026-01-02", null]]],
    });
  });

  it("reports the position of an error in lines and code points", async () => {
    const answers = await answer([
      { query: "SELECT\n '\u{1f600}', nope" },
      { query: "SELECT FROM" },
      { query: "SELECT 1 / 0" },
      { query: "SELECT a FROM t", setup: ["CREATE TABLE t AS SELECT 1 AS b"] },
    ]);
    expect(answers).toMatchObject([
      { error: { code: "unknown_column", line: 2, column: 7 } },
      { error: { code: "syntax_error", line: 1 } },
      { error: { code: "query_failed", message: "division by zero" } },
      { error: { code: "unknown_column", line: 1, column: 8 } },
    ]);
  });

  it("answers an invalid request with invalid_request, and continues", async () => {
    const answers = await answer([
      "",
      "no json",
      "[]",
      "null",
      { sql: "SELECT 1" },
      { query: 5 },
      { query: "SELECT 1", setup: "x" },
      { query: "SELECT 1", params: 5 },
      { query: "SELECT 1", setup: ["DROP TABLE x"] },
      { query: "SELECT 1" },
    ]);
    for (const refused of answers.slice(0, -1)) expect(refused).toMatchObject({ error: { code: "invalid_request" } });
    expect(answers.at(-1)).toMatchObject({ rows: [[1]] });
  });

  it("refuses a parameter without a value by its name, also where the query would not read it", async () => {
    const [named, positional, unread] = await answer([
      { query: "SELECT FORMAT('%s', @A)", params: { b: 1 } },
      { query: "SELECT FORMAT('%s %s', ?, ?)", params: ["x"] },
      { query: "SELECT x FROM (SELECT 1 AS x, @a AS y)" },
    ]);
    const refused = (name: string) => ({
      error: { code: "invalid_request", message: `The query's parameter ${name} has no value` },
    });
    expect([named, positional, unread]).toEqual([refused("@a"), refused("number 2"), refused("@a")]);
  });

  it("reads times without a zone in the given time zone, in setup too", async () => {
    const line = {
      query: "SELECT t, TIMESTAMP '2026-01-01 00:00:00', STRING(t) FROM x",
      setup: ["CREATE TABLE x AS SELECT TIMESTAMP('2026-07-01 00:00:00') AS t"],
    };
    expect(await answer([line])).toMatchObject([
      { rows: [[1782864000000000, 1767225600000000, "2026-07-01 00:00:00+00"]] },
    ]);
    expect(await answer([line], { timeZone: "America/New_York" })).toMatchObject([
      { rows: [[1782878400000000, 1767243600000000, "2026-07-01 00:00:00-04"]] },
    ]);
  });

  it("writes each answer before it reads the next line", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const done = runSqlBatch(input, output);
    input.write('{"query":"SELECT 1 AS a"}\n');
    const [first] = await new Promise<Buffer[]>((resolve) => output.once("data", (chunk) => resolve([chunk])));
    expect(JSON.parse(String(first))).toMatchObject({ rows: [[1]] });
    input.end();
    await done;
  });
});

describe("sql --engine", () => {
  it("uses the server of the settings, or the engine in this process", () => {
    const environment = { LOGWEIR_CLICKHOUSE_URL: "http://a:8123,http://b:8123", LOGWEIR_CLICKHOUSE_USER: "reader" };
    const server = { url: "http://a:8123", user: "reader", password: "", database: "default" };
    expect(serverOf("clickhouse", environment)).toEqual(server);
    expect(serverOf("duckdb", environment)).toBeUndefined();
  });

  it("refuses unknown engines, and ClickHouse without a configured server", () => {
    expect(() => serverOf("postgres", {})).toThrow("--engine must be duckdb or clickhouse");
    expect(() => serverOf("clickhouse", {})).toThrow("needs LOGWEIR_CLICKHOUSE_URL");
  });
});
