import { copyFile, mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, create, fieldsOf, manage } from "./manage.ts";
import { type Service, type ServiceProcess, startService, startServiceProcess } from "./service.ts";

let service: Service;
/** The first service, in a process of its own. */
let started: ServiceProcess;
let folder: string;
let dataDir: string;
const fileId = "5b0f8e0e-3f0e-4d55-8f43-0c5f3e1f7a01";
const file = (query: string) => `/*---\nid: ${fileId}\nname: filed\n---*/\n${query}\n`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-managed-"));
  await copyFile("endpoints/logs.all.sql", join(folder, "logs.all.sql"));
  await writeFile(join(folder, "filed.sql"), file("SELECT 1 AS one"));
  dataDir = await mkdtemp(join(tmpdir(), "logweir-managed-data-"));
  started = await startServiceProcess({ dataDir, env: { LOGWEIR_ENDPOINTS_DIR: folder } });
  service = started;
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

describe("an endpoint managed by the API", () => {
  it("can be created, read, listed, run, replaced, patched and removed by id and by name", async () => {
    const made = await manage(service, "POST", "/api/endpoints", {
      name: "life",
      description: "All of it",
      query: "SELECT @n + 1 AS next",
      parameters: { n: { type: "int64", default: 4 } },
      labels: { team: "logs" },
    });
    expect(made.status).toBe(201);
    const { id } = made.body as { id: string };
    expect(made.headers.get("location")).toBe(`/api/endpoints/${id}`);
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.body).toMatchObject({
      name: "life",
      version: 1,
      origin: "api",
      max_rows: 1000,
      labels: { team: "logs" },
    });
    expect((await manage(service, "GET", `/api/endpoints/${id.toUpperCase()}`)).body).toEqual(made.body);
    expect((await manage(service, "GET", "/api/endpoints/life")).body).toEqual(made.body);
    const listed = await manage(service, "GET", "/api/endpoints");
    expect(listed.body).toContainEqual(made.body);
    expect(await service.rows("life", {})).toEqual([{ next: 5 }]);
    expect(await service.rows(id, { n: "7" })).toEqual([{ next: 8 }]);
    const put = await manage(service, "PUT", "/api/endpoints/life", { name: "life", query: "SELECT 'x' AS next" });
    expect([put.status, put.headers.get("etag")]).toEqual([200, '"2"']);
    expect(put.body).toMatchObject({ version: 2, description: null, labels: {}, parameters: {} });
    expect(await service.rows("life", {})).toEqual([{ next: "x" }]);
    const patched = await manage(service, "PATCH", `/api/endpoints/${id}`, { max_rows: 3, name: "life.2" });
    expect([patched.status, patched.headers.get("etag")]).toEqual([204, '"3"']);
    expect((await manage(service, "GET", `/api/endpoints/${id}`)).body).toMatchObject({ name: "life.2", max_rows: 3 });
    expect(codeOf(await manage(service, "GET", "/api/endpoints/life"))).toBe("404 unknown_endpoint");
    const nulled = await manage(service, "PATCH", `/api/endpoints/${id}`, { max_rows: null });
    expect(nulled.headers.get("etag")).toBe('"4"');
    for (const [limit, tag] of [
      [500, '"5"'],
      [null, '"6"'],
    ] as const) {
      const limited = await manage(service, "PATCH", `/api/endpoints/${id}`, { query_timeout_ms: limit });
      expect(limited.headers.get("etag")).toBe(tag);
    }
    expect((await manage(service, "GET", `/api/endpoints/${id}`)).body).not.toHaveProperty("query_timeout_ms");
    expect((await manage(service, "DELETE", "/api/endpoints/life.2")).status).toBe(204);
    expect(codeOf(await manage(service, "DELETE", "/api/endpoints/life.2"))).toBe("404 unknown_endpoint");
    expect((await service.get(`/api/endpoints/query/${id}`)).status).toBe(404);
  });

  it("infers its contract: parameters, and columns with GoogleSQL types", async () => {
    const { contract } = await create(service, {
      name: "contract",
      query: "SELECT timestamp, event_message, metadata, 1.5 AS half, [@word] AS words, nowhere FROM edge",
      parameters: { word: { required: true, allowed: ["a", "b"] } },
    });
    expect(contract).toEqual({
      parameters: [
        { name: "word", type: "string", required: true, allowed: ["a", "b"], default: null, description: null },
      ],
      columns: [
        { name: "timestamp", type: "TIMESTAMP" },
        { name: "event_message", type: "STRING" },
        { name: "metadata", type: "ARRAY<RECORD>" },
        { name: "half", type: "FLOAT64" },
        { name: "words", type: "ARRAY<STRING>" },
        { name: "nowhere", type: "UNKNOWN" },
      ],
    });
  });

  it("accepts the reference's field names and forms, and answers with its own", async () => {
    const id = "9d1d6f0e-8d0f-4c58-9a0c-57a9a9c60a11";
    const made = await create(service, {
      token: id,
      id: 12,
      name: "reference",
      query: "SELECT 1 AS one",
      language: "bq_sql",
      source_mapping: { edge: id },
      max_limit: 7,
      cache_duration_seconds: 60,
      proactive_requerying_seconds: 30,
      sandboxable: false,
      enable_auth: true,
      backend_id: null,
      labels: "team=logs, urgent",
    });
    expect(made).toMatchObject({ id, max_rows: 7, cache_seconds: 60, warm_every_seconds: 30, sandbox: false });
    expect(made.labels).toEqual({ team: "logs", urgent: "" });
    expect(made.token).toBe(id);
  });

  it("keeps its version when it is saved unchanged", async () => {
    const query = "SELECT @since AS since, @f AS f";
    const parameters = {
      since: { type: "timestamp", default: "2026-08-20" },
      f: { type: "float64", allowed: [1, 2.5] },
    };
    const made = await create(service, { name: "same", query, parameters, redact_pii: ["ip"], cache_seconds: 9 });
    const put = await manage(service, "PUT", "/api/endpoints/same", made);
    expect([put.status, put.body]).toEqual([200, made]);
    expect((await manage(service, "PATCH", "/api/endpoints/same", { redact_pii: ["ip"] })).headers.get("etag")).toBe(
      '"1"',
    );
  });

  it("no longer answers from the cache after a change", async () => {
    await create(service, { name: "kept", query: "SELECT 1 AS a", cache_seconds: 600 });
    for (let call = 0; call < 3; call++) expect(await service.rows("kept", {})).toEqual([{ a: 1 }]);
    await manage(service, "PATCH", "/api/endpoints/kept", { query: "SELECT 2 AS a" });
    expect(await service.rows("kept", {})).toEqual([{ a: 2 }]);
  });

  it("is accessible only to tokens of the scope private", async () => {
    for (const [method, path] of [
      ["GET", "/api/endpoints"],
      ["POST", "/api/endpoints"],
      ["PUT", "/api/endpoints/filed"],
      ["PATCH", "/api/endpoints/filed"],
      ["DELETE", "/api/endpoints/filed"],
      ["GET", "/api/endpoints/filed/versions"],
      ["GET", "/api/endpoints/filed/versions/1/diff/1"],
      ["POST", "/api/endpoints/filed/versions/1/rollback"],
      ["POST", "/api/endpoints/validate"],
      ["GET", "/api/query"],
      ["GET", "/api/query/parse"],
    ] as const) {
      const refused = await manage(service, method, path, undefined, { "x-api-key": "nobody" });
      expect([path, codeOf(refused)]).toEqual([path, "401 unauthorized"]);
    }
  });
});

describe("a save", () => {
  it("reports all errors at once by field, with positions in the query", async () => {
    const refused = await manage(service, "POST", "/api/endpoints", {
      name: "a b",
      querry: "x",
      max_rows: "many",
      cache_seconds: 0,
      warm_every_seconds: 5,
      sandbox: true,
      parameters: { p: { type: "int64", default: "x" }, sql: null },
      table_aliases: { a: "b" },
      query: "SELECT nope(1),\n  x\nFROM edgee\nWHERE x = @q",
    });
    expect(fieldsOf(refused)).toEqual({
      name: ["must begin with a letter or digit and go on with letters, digits, '.', '_' and '-', 128 at most"],
      querry: ["there is no such field; did you mean query?"],
      max_rows: ["must be integer"],
      warm_every_seconds: ["only an endpoint with cache_seconds can be kept warm"],
      sandbox: ["a sandboxed endpoint needs a WITH clause: its tables are what callers may read"],
      table_aliases: ["a: the query's WITH clause has no table b"],
      parameters: [
        'p.default: "x" is not an integer of 64 bits',
        "sql: has a meaning of its own in every call; these names cannot be declared: sql, lql, limit, " +
          "cursor, format, api_key",
      ],
      query: [
        "line 1, column 8: Function not found: nope",
        "line 3, column 6: Table not found: edgee; did you mean edge?",
      ],
    });
  });

  it.each([
    ["a reserved parameter", "SELECT @limit", "Query parameter @limit is not declared"],
    [
      "a parameter of a type that cannot be sent",
      "SELECT x FROM UNNEST(@list) AS x WHERE x > 1",
      "@list is not declared",
    ],
    ["a syntax error", "SELEC 1", "line 1, column 1: "],
    ["an unsupported function", "SELECT\nSESSION_USER()", "line 2, column 1: SESSION_USER is not supported"],
    ["two queries", "SELECT 1; SELECT 2", "line 1, column 11: "],
    ["a query that is too long", `SELECT ${"1+".repeat(600_000)}1`, "longer than"],
  ])("is refused for %s", async (_name, query, message) => {
    const refused = await manage(service, "POST", "/api/endpoints", { name: "refused", query });
    expect(fieldsOf(refused).query?.[0]).toContain(message);
    expect((await manage(service, "GET", "/api/endpoints/refused")).status).toBe(404);
  });

  it.each([
    [{}, ["name", "query"]],
    [{ name: "0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11", query: "SELECT 1" }, ["name"]],
    [{ name: "x@3", query: "SELECT 1" }, ["name"]],
    [{ name: "filed", query: "SELECT 1" }, ["name"]],
    [{ name: "new", id: fileId, query: "SELECT 1" }, ["id"]],
    [{ name: "new", id: "7", query: "SELECT 1" }, ["id"]],
    [
      { name: "new", query: "SELECT 1", language: "pg_sql", enable_auth: false, backend_id: 3 },
      ["language", "enable_auth", "backend_id"],
    ],
    [{ name: "new", query: "SELECT 1", max_rows: 5, max_limit: 6 }, ["max_limit"]],
  ])("of %j is refused", async (document, fields) => {
    const refused = fieldsOf(await manage(service, "POST", "/api/endpoints", document));
    expect(Object.keys(refused).sort()).toEqual([...fields].sort());
  });

  it("is refused when its body is not a JSON object", async () => {
    expect(codeOf(await manage(service, "POST", "/api/endpoints", "{bad"))).toBe("400 invalid_body");
    expect(codeOf(await manage(service, "POST", "/api/endpoints", "[]"))).toBe("400 invalid_body");
    const form = await manage(service, "POST", "/api/endpoints", "a=b", { "content-type": "text/plain" });
    expect(codeOf(form)).toBe("415 unsupported_media_type");
  });

  it("may use undeclared parameters, which are optional and get their inferred types", async () => {
    const made = await create(service, {
      name: "inferring",
      query: "SELECT @n + 1 AS next, @text AS text, n FROM UNNEST([1, 2]) AS n WHERE n = @n",
    });
    expect([made.parameters, made.contract]).toMatchObject([
      {},
      {
        parameters: [
          { name: "n", type: "int64", required: false },
          { name: "text", type: "string", required: false },
        ],
      },
    ]);
    expect(await service.rows("inferring", { n: "1", text: "x" })).toEqual([{ next: 2, text: "x", n: 1 }]);
    expect(await service.rows("inferring", {})).toEqual([]);
    expect((await service.get("/api/endpoints/query/inferring", { n: "one" })).status).toBe(400);
    await create(service, { name: "inferring.reader", query: "SELECT next FROM inferring" });
    expect(await service.rows("inferring.reader", { n: "2" })).toEqual([{ next: 3 }]);
    const shown = await manage(service, "GET", "/api/endpoints/inferring");
    expect(shown.body).toEqual(made);
    const document = JSON.stringify((await manage(service, "GET", "/api/openapi.json")).body);
    expect(document).toContain('"name":"text","in":"query"');
    const misspelt = { name: "misspelling", query: "SELECT @projct", parameters: { project: {} } };
    expect(fieldsOf(await manage(service, "POST", "/api/endpoints", misspelt)).query).toEqual([
      "line 1, column 8: Query parameter @projct is not declared; did you mean @project?",
    ]);
  });

  it("can be validated without saving", async () => {
    const tried = await manage(service, "POST", "/api/endpoints/validate", { name: "tried", query: "SELECT 1 AS a" });
    expect([tried.status, tried.body.contract]).toEqual([
      200,
      { parameters: [], columns: [{ name: "a", type: "INT64" }] },
    ]);
    expect((await manage(service, "GET", "/api/endpoints/tried")).status).toBe(404);
    const query =
      "SELECT r.status_cod\nFROM edge, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE r.status_cod > 5";
    const doubtful = await manage(service, "POST", "/api/endpoints/validate", { name: "tried", query });
    expect([doubtful.status, doubtful.body.warnings]).toEqual([
      200,
      ["line 1, column 10: no event has carried r.status_cod; did you mean status_code?"],
    ]);
    expect(fieldsOf(await manage(service, "POST", "/api/endpoints/validate", { name: "tried" }))).toEqual({
      query: ["is missing"],
    });
  });
});

describe("an endpoint defined in a file", () => {
  it("cannot be changed over the API; the answer names the file", async () => {
    for (const [method, path] of [
      ["PUT", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/versions/1/rollback"],
    ] as const) {
      const refused = await manage(service, method, `/api/endpoints/filed${path}`, {
        name: "filed",
        query: "SELECT 2",
      });
      expect(codeOf(refused)).toBe("409 endpoint_read_only");
      expect(JSON.stringify(refused.body)).toContain(join(folder, "filed.sql"));
    }
    expect(await service.rows("filed", {})).toEqual([{ one: 1 }]);
  });

  it("has a version for each document that was loaded", async () => {
    await writeFile(join(folder, "filed.sql"), file("SELECT 2 AS one, 'x' AS two"));
    started.process.kill("SIGHUP");
    await expect.poll(() => service.rows("filed", {})).toEqual([{ one: 2, two: "x" }]);
    expect(await service.rows("filed@1", {})).toEqual([{ one: 1 }]);
    await service.stop();
    service = await startService({ dataDir, env: { LOGWEIR_ENDPOINTS_DIR: folder } });
    expect((await manage(service, "GET", "/api/endpoints/filed")).body).toMatchObject({ version: 2, origin: "file" });
    const versions = await manage(service, "GET", `/api/endpoints/${fileId}/versions`);
    expect(versions.body).toMatchObject([
      { version: 2, current: true, author: `file:${join(folder, "filed.sql")}`, changed: ["query"] },
      { version: 1, current: false },
    ]);
  });
});

describe("stored endpoints", () => {
  it("survive kill -9 with each save applied either completely or not at all", async () => {
    const killed = await mkdtemp(join(tmpdir(), "logweir-kill-"));
    const first = await startServiceProcess({ dataDir: killed });
    await create(first, { name: "survivor", query: "SELECT 0 AS n" });
    let acknowledged = 0;
    const writing = (async () => {
      for (let n = 1; ; n++) {
        const { status } = await manage(first, "PATCH", "/api/endpoints/survivor", { query: `SELECT ${n} AS n` });
        if (status === 204) acknowledged = n;
      }
    })().catch(() => undefined);
    await expect.poll(() => acknowledged).toBeGreaterThan(5);
    first.process.kill("SIGKILL");
    await writing;
    const second = await startService({ dataDir: killed });
    const [row] = await second.rows("survivor", {});
    expect([acknowledged, acknowledged + 1]).toContain(row?.n);
    const { body } = await manage(second, "GET", "/api/endpoints/survivor/versions");
    const versions = body as unknown as { version: number }[];
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => versions.length - index));
    expect((await manage(second, "GET", "/api/endpoints/survivor")).body.version).toBe(versions.length);
    await second.stop();
    await rm(killed, { recursive: true });
  });

  it("that became invalid report why, do not block the start, can be changed and run again once valid", async () => {
    const parent = await mkdtemp(join(tmpdir(), "logweir-broken-"));
    const endpoints = join(parent, "endpoints");
    await mkdir(endpoints);
    await writeFile(join(endpoints, "filed.sql"), file("SELECT 1 AS one"));
    const options = { dataDir: join(parent, "data"), env: { LOGWEIR_ENDPOINTS_DIR: endpoints } };
    const first = await startService(options);
    await create(first, { name: "reader", query: "SELECT one FROM filed" });
    expect(await first.rows("reader", {})).toEqual([{ one: 1 }]);
    await first.stop();
    await unlink(join(endpoints, "filed.sql"));
    const second = await startService(options);
    expect((await manage(second, "GET", "/api/endpoints/reader")).body.problem).toContain("Table not found: filed");
    expect(codeOf(await manage(second, "GET", "/api/endpoints/query/reader"))).toBe("500 endpoint_broken");
    const source = await manage(second, "POST", "/api/sources", { name: "filed" });
    expect(source.status).toBe(201);
    await expect.poll(() => second.rows("reader", {})).toEqual([]);
    expect((await manage(second, "PATCH", "/api/endpoints/reader", { query: "SELECT 3 AS one" })).status).toBe(204);
    expect(await second.rows("reader", {})).toEqual([{ one: 3 }]);
    await second.stop();
    await rm(parent, { recursive: true });
  });
});
