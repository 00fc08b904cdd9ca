import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, create, manage } from "./manage.ts";
import { type Service, startService } from "./service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.ingest("edge", [
    {
      id: "1",
      timestamp: "2026-08-20T09:00:00Z",
      project: "a",
      event_message: "mail a@example.com",
      metadata: { n: 1 },
    },
    { id: "2", timestamp: "2026-08-20T09:00:01Z", project: "b", metadata: { n: 2 } },
  ]);
  await create(service, {
    name: "of.project",
    query: "SELECT id, project FROM edge WHERE project = @project",
    parameters: { project: { required: true } },
  });
});

afterAll(async () => {
  await service.stop();
});

const ask = (body: object, headers = {}) => manage(service, "POST", "/api/query", body, headers);
const get = (parameters: Record<string, string>) =>
  manage(service, "GET", `/api/query?${new URLSearchParams(parameters).toString()}`);
const parse = (sql: string) => manage(service, "GET", `/api/query/parse?sql=${encodeURIComponent(sql)}`);

describe("/api/query", () => {
  it("runs SQL over sources, their aliases and endpoints, by GET and POST", async () => {
    const sql = "SELECT id FROM edge ORDER BY id";
    const both = { result: [{ id: "1" }, { id: "2" }] };
    expect((await ask({ sql })).body).toEqual(both);
    expect((await ask({ bq_sql: sql })).body).toEqual(both);
    expect((await get({ sql })).body).toEqual(both);
    expect((await get({ bq_sql: sql, backend_id: "" })).body).toEqual(both);
    expect((await ask({ sql: "SELECT COUNT(*) AS n FROM `cloudflare.logs.prod`" })).body).toEqual({
      result: [{ n: 2 }],
    });
    expect((await ask({ sql: "SELECT id FROM `of.project`", parameters: { project: "b" } })).body).toEqual({
      result: [{ id: "2" }],
    });
  });

  it("runs LQL over the source that f: names", async () => {
    expect((await ask({ lql: "f:edge m.n:>1 s:id" })).body).toMatchObject({ result: [{ id: "2" }] });
    const missing = await ask({ lql: "m.n:>1" });
    expect(codeOf(missing)).toBe("400 invalid_lql");
    expect(JSON.stringify(missing.body)).toContain("Name the source or endpoint to read with f:");
  });

  it("accepts parameters of the types that the query needs, beside it or in `parameters`", async () => {
    const sql =
      "SELECT @n + 1 AS n, @t AS t, DATE_ADD(@d, INTERVAL 1 DAY) AS d, @ok AND TRUE AS ok FROM edge " +
      "WHERE timestamp > @s LIMIT 1";
    const values = { n: 4, t: "x", d: "2026-08-20", ok: true, s: "2026-01-01T00:00:00Z" };
    const row = { n: 5, t: "x", d: "2026-08-21", ok: true };
    expect((await ask({ sql, parameters: values })).body).toEqual({ result: [row] });
    expect((await get({ sql, n: "4", t: "x", d: "2026-08-20", ok: "true", s: "2026-01-01" })).body).toEqual({
      result: [row],
    });
    expect((await get({ sql, parameters: JSON.stringify(values) })).body).toEqual({ result: [row] });
    expect(codeOf(await ask({ sql: "SELECT @n + 1" }))).toBe("400 missing_parameter");
    expect(codeOf(await ask({ sql: "SELECT @n + 1", parameters: { n: "x" } }))).toBe("400 invalid_parameter");
    expect(codeOf(await ask({ sql: "SELECT @n", parameters: [1] }))).toBe("400 invalid_parameter");
    expect(codeOf(await ask({ sql: "SELECT id FROM `of.project`" }))).toBe("400 missing_parameter");
  });

  it("takes null for NULL, but not where an endpoint requires a value", async () => {
    const sql = "SELECT id FROM edge WHERE @n IS NULL AND (@t IS NULL OR timestamp > @t) ORDER BY id";
    expect((await ask({ sql, n: null, parameters: { t: null } })).body).toEqual({ result: [{ id: "1" }, { id: "2" }] });
    const read = await ask({ sql: "SELECT id FROM `of.project`", project: null });
    expect(codeOf(read)).toBe("400 missing_parameter");
  });

  it("answers in every format, within the limit", async () => {
    const sql = "SELECT id, metadata FROM edge ORDER BY id";
    const csv = await service.get("/api/query", { sql, format: "csv", limit: "1" });
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(await csv.text()).toBe('id,metadata\r\n1,"[{""n"":1}]"\r\n');
    for (const format of ["ndjson", "parquet", "arrow"]) {
      expect((await service.get("/api/query", { sql, format })).status).toBe(200);
    }
    expect(codeOf(await get({ sql, format: "xml" }))).toBe("400 invalid_parameter");
    expect(codeOf(await get({ sql, limit: "0" }))).toBe("400 invalid_parameter");
    expect((await get({ sql: "SELECT id FROM edge ORDER BY id LIMIT 1", limit: "5" })).body).toEqual({
      result: [{ id: "1" }],
    });
    const many = await get({ sql: "SELECT x FROM UNNEST(GENERATE_ARRAY(1, 20000)) AS x" });
    expect(many.body.result).toHaveLength(10_000);
  });

  it("redacts when the call asks for it", async () => {
    const sql = "SELECT event_message FROM edge WHERE id = '1'";
    expect((await ask({ sql })).body).toEqual({ result: [{ event_message: "mail a@example.com" }] });
    const redacted = await ask({ sql }, { "LF-ENDPOINT-REDACT-PII": "true" });
    expect(redacted.body).toEqual({ result: [{ event_message: "mail REDACTED" }] });
  });

  it.each([
    ["SELECT\n  x FROM nope", "400 unknown_table", 2, 10],
    ["SELECT nope(1)", "400 unknown_function", 1, 8],
    ["SELECT 1 +", "400 syntax_error", 1, 11],
    ["SELECT SESSION_USER()", "400 unsupported", 1, 8],
    ["SELECT 1 FROM edge, edge", "400 ", 1, 21],
    ["SELECT ? + 1", "400 unsupported", 1, 8],
    ["SELECT CAST(@x AS NUMERIC) + @y, @x || b'a'", "400 ", 1, 0],
  ])("reports the position of the error in %j", async (sql, code, line, column) => {
    const answer = await ask({ sql });
    expect(codeOf(answer).startsWith(code)).toBe(true);
    const { error } = answer.body as { error: { line: number; column: number } };
    expect(error.line).toBe(line);
    if (column > 0) expect(error.column).toBe(column);
  });

  it("requires exactly one query in a supported language", async () => {
    expect(codeOf(await ask({}))).toBe("400 missing_parameter");
    expect(codeOf(await ask({ sql: "  " }))).toBe("400 missing_parameter");
    expect(codeOf(await ask({ sql: 1 }))).toBe("400 invalid_parameter");
    expect(codeOf(await ask({ sql: "SELECT 1", lql: "f:edge" }))).toBe("400 sql_and_lql");
    expect(codeOf(await get({ pg_sql: "SELECT 1" }))).toBe("400 invalid_parameter");
    expect(codeOf(await ask({ sql: "SELECT 1 / 0" }))).toBe("400 query_failed");
  });

  it("applies the token's limits", async () => {
    const { body } = await manage(service, "POST", "/api/access-tokens", {
      scopes: ["private"],
      budget: { max_rows: 1, max_query_characters: 60 },
    });
    const headers = { "x-api-key": String(body.token) };
    const ids = await ask({ sql: "SELECT id FROM edge ORDER BY id" }, headers);
    expect(ids.body).toEqual({ result: [{ id: "1" }] });
    expect(codeOf(await ask({ sql: `SELECT ${"1 + ".repeat(30)}1` }, headers))).toBe("413 query_too_long");
  });

  it("stops at its deadline", async () => {
    const document = { scopes: ["private"], budget: { query_timeout_ms: 500 } };
    const { body } = await manage(service, "POST", "/api/access-tokens", document);
    const sql =
      "SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 100000)) a, UNNEST(GENERATE_ARRAY(1, 100000)) b, " +
      "UNNEST(GENERATE_ARRAY(1, 1000)) c WHERE MOD(a * b, 7) = c";
    expect(codeOf(await ask({ sql }, { "x-api-key": String(body.token) }))).toBe("504 timeout");
  });
});

describe("/api/query/parse", () => {
  it("returns parameters, columns, tables, endpoints and the engine's SQL", async () => {
    const { status, body } = await parse(
      "SELECT e.id, @p AS p, @n + 1.5 AS half, e.metadata FROM edge e JOIN `of.project` USING (id)",
    );
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      parameters: [
        { name: "p", type: "STRING" },
        { name: "n", type: "FLOAT64" },
        { name: "project", type: "STRING" },
      ],
      columns: [
        { name: "id", type: "STRING" },
        { name: "p", type: "STRING" },
        { name: "half", type: "FLOAT64" },
        { name: "metadata", type: "ARRAY<RECORD>" },
      ],
      tables: ["edge"],
      endpoints: ["of.project"],
      diagnostics: [],
    });
    const { compiled_sql: sql, explain } = body.result as { compiled_sql: string; explain: unknown };
    expect(sql).toMatch(/^(WITH|SELECT) /);
    expect(explain).toEqual([{ runs_on: process.env.LOGWEIR_TEST_ENGINE ?? "duckdb", sql }]);
  });

  it("explains a call with the parameters that are sent beside the query, if they are valid", async () => {
    const sql = "SELECT id FROM edge WHERE @project = 'all' OR (project = @project AND @n > 1)";
    const explained = async (parameters: object) => {
      const { status, body } = await manage(service, "POST", "/api/query/parse", { sql, parameters });
      const { compiled_sql: general, explain } = body.result as { compiled_sql: string; explain: { sql: string }[] };
      return { status, isGeneral: explain[0]?.sql === general, filters: explain[0]?.sql.includes("WHERE") };
    };
    // DuckDB is given the values with the statement.
    const isGeneral = process.env.LOGWEIR_TEST_ENGINE !== "clickhouse";
    expect(await explained({ project: "all", n: 1 })).toEqual({ status: 200, isGeneral, filters: isGeneral });
    expect(await explained({ project: "a", n: 2 })).toEqual({ status: 200, isGeneral, filters: true });
    expect(await explained({ project: "all", n: "none" })).toEqual({ status: 200, isGeneral: true, filters: true });
    expect(await explained({ project: "all" })).toEqual({ status: 200, isGeneral: true, filters: true });
  });

  it("reports every problem at once, each with its position", async () => {
    const answer = await parse("SELECT nope(1), @p\nFROM edgee");
    expect(codeOf(answer)).toBe("400 unknown_function");
    expect(answer.body.result).toMatchObject({
      parameters: [{ name: "p", type: null }],
      diagnostics: [
        { code: "unknown_function", line: 1, column: 8, end_line: 1, end_column: 12 },
        { code: "unknown_table", line: 2, column: 6, message: "Table not found: edgee; did you mean edge?" },
      ],
      compiled_sql: null,
      explain: [],
    });
    const inside = await parse("SELECT * FROM edge_logs");
    expect(inside.body.error).toMatchObject({
      code: "unknown_table",
      message:
        "Table not found: edge_logs; the endpoint logs.all has it in its WITH clause, which no other query sees; " +
        "read logs.all, or a source",
    });
    const broken = await parse("SELECT ((");
    expect(broken.body.result).toMatchObject({ diagnostics: [{ code: "syntax_error", line: 1, column: 10 }] });
  });

  it("does not run the query", async () => {
    expect((await parse("SELECT 1 / 0 AS x")).status).toBe(200);
    const posted = await manage(service, "POST", "/api/query/parse", { lql: "f:edge m.n:1" });
    expect(posted.body.result).toMatchObject({ tables: ["edge"], parameters: [] });
  });
});
