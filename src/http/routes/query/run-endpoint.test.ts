import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { runningQuery, toBatch } from "../../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import { EngineError } from "../../../engines/contract/query-engine.ts";

let test: TestApp;
const path = "/api/endpoints/query/open";
const key = { "x-api-key": "query-token" };

beforeEach(async () => {
  test = await createTestApp();
});

const get = (url: string, headers: Record<string, string> = key) => test.app.inject({ url, headers });

describe("running an endpoint", () => {
  it.each([
    path,
    "/endpoints/query/open",
    "/api/endpoints/query/name/open",
    "/api/endpoints/query/00000000-0000-4000-8000-00000000000A",
  ])("returns the rows in the envelope on GET %s", async (url) => {
    test.engine.onRun = async () => runningQuery([[{ a: 1 }, { a: 2 }], [], [{ a: 3 }]]);
    const response = await get(`${url}?project=abc`);
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.body).toBe('{"result":[{"a":1},{"a":2},{"a":3}]}');
  });

  it("plans a call once, whether its answer is uncached, cached or not modified", async () => {
    const plansOf = async (url: string, headers: Record<string, string> = key) => {
      test.planned.length = 0;
      const { statusCode, headers: answered } = await get(url, headers);
      return { plans: test.planned.length, statusCode, etag: String(answered.etag) };
    };
    expect(await plansOf(`${path}?project=abc`)).toMatchObject({ plans: 1, statusCode: 200 });
    const kept = "/api/endpoints/query/cached?project=abc";
    const { etag, ...miss } = await plansOf(kept);
    expect(miss).toEqual({ plans: 1, statusCode: 200 });
    expect(await plansOf(kept)).toMatchObject({ plans: 1, statusCode: 200 });
    expect(await plansOf(kept, { ...key, "if-none-match": etag })).toMatchObject({ plans: 1, statusCode: 304 });
  });

  it("returns an empty result as an empty array", async () => {
    expect((await get(`${path}?project=abc`)).body).toBe('{"result":[]}');
  });

  it("binds the parameters that the compiled query reads, by name in any letter case", async () => {
    const parameters = [
      { key: "since", type: { kind: "TIMESTAMP" } },
      { key: "PROJECT", type: { kind: "STRING" } },
    ] as const;
    test.onPlan = () => ({ sql: "", parameters, columns: [], tables: [] });
    await get(`${path}?project=a%27b&since=2026-08-20`);
    expect(test.engine.requests[0]?.values).toEqual(["1787184000000000", "a'b"]);
  });

  it("passes the limits of the service and the endpoint to the engine", async () => {
    await get(`${path}?project=abc&limit=7`);
    expect(test.planned[0]?.slice(1, 3)).toEqual([undefined, 7]);
    expect(test.engine.requests[0]?.limits).toEqual({ timeoutMs: 60_000, maxRows: 7, maxResultBytes: 1_000_000 });
  });

  it("lets the parameter limit only lower a consumer's query", async () => {
    await get(`${path}?project=abc&limit=7&sql=select+1`);
    expect(test.planned[0]?.slice(1, 3)).toEqual([{ language: "sql", text: "select 1" }, undefined]);
    expect(test.engine.requests[0]?.limits.maxRows).toBe(7);
  });

  it("uses the last value of a repeated parameter", async () => {
    await get(`${path}?project=abc&sql=select+1&sql=select+2`);
    expect(test.planned[0]?.[1]).toEqual({ language: "sql", text: "select 2" });
  });

  it("treats an empty sql as absent", async () => {
    expect((await get(`${path}?project=abc&sql=&lql=+`)).statusCode).toBe(200);
    expect(test.planned[0]?.[1]).toBeUndefined();
  });

  it("answers HEAD without a body", async () => {
    const response = await test.app.inject({ method: "HEAD", url: `${path}?project=abc`, headers: key });
    expect([response.statusCode, response.body]).toEqual([200, ""]);
  });

  it("accepts URLs of 256 KB", async () => {
    const sql = `select '${"x".repeat(256_000)}'`;
    await get(`${path}?project=abc&sql=${encodeURIComponent(sql)}`);
    expect(test.planned[0]?.[1]?.text).toBe(sql);
  });

  it("streams a result that is too large to buffer, completely and without a warning", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on("warning", warn);
    const rows = Array.from({ length: 50 }, (_, index) => [{ index, text: "x".repeat(50_000) }]);
    test.engine.onRun = async () => runningQuery(rows);
    const response = await get(`${path}?project=abc`);
    expect((response.json() as { result: unknown[] }).result).toEqual(rows.flat());
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });
});

describe("parameters in a body", () => {
  const post = (body: string | Buffer, headers: Record<string, string>, url = path) =>
    test.app.inject({ method: "POST", url, headers: { ...key, ...headers }, payload: body });
  const json = { "content-type": "application/json" };

  it("come from JSON and from forms, and override those of the URL", async () => {
    await post('{"project":"abc","sql":"select 1"}', json, `${path}?sql=select+2`);
    await post("project=abc&sql=select+3", { "content-type": "application/x-www-form-urlencoded" });
    expect(test.planned.map((asked) => asked[1]?.text)).toEqual(["select 1", "select 3"]);
  });

  it("may be compressed", async () => {
    const response = await post(gzipSync('{"project":"abc"}'), { ...json, "content-encoding": "gzip" });
    expect(response.statusCode).toBe(200);
  });

  it("may include the token", async () => {
    const response = await test.app.inject({
      method: "POST",
      url: path,
      headers: json,
      payload: '{"project":"abc","api_key":"query-token"}',
    });
    expect(response.statusCode).toBe(200);
  });

  it("of a GET count when the URL has no query", async () => {
    const withBody = (url: string) =>
      test.app.inject({ method: "GET", url, headers: { ...key, ...json }, payload: '{"sql":"select 1"}' });
    await withBody(`${path}?project=abc`);
    await withBody(`${path}?project=abc&sql=select+2`);
    expect(test.planned.map((asked) => asked[1]?.text)).toEqual(["select 1", "select 2"]);
  });

  it("may be announced by the content type of a GET without a body", async () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "nonsense", ""]) {
      expect((await get(`${path}?project=abc`, { ...key, "content-type": type })).statusCode, type).toBe(200);
    }
  });

  it.each([
    ["{", 400, "invalid_body"],
    ["[1]", 400, "invalid_body"],
    ['{"project":"abc","sql":["select 1"]}', 400, "invalid_parameter"],
    [`{"project":"${"x".repeat(100_000)}"}`, 413, "body_too_large"],
  ])("are refused when the body is %s", async (body, status, code) => {
    const response = await post(body, json);
    expect(response.json()).toMatchObject({ error: { status, code } });
    expect(response.statusCode).toBe(status);
  });

  it("are refused with another media type", async () => {
    expect((await post("<x/>", { "content-type": "text/xml" })).json()).toMatchObject({
      error: { status: 415, code: "unsupported_media_type" },
    });
  });
});

describe("access to an endpoint", () => {
  it.each([
    ["no token", {}, 401, "unauthorized"],
    ["an empty token", { "x-api-key": "" }, 401, "unauthorized"],
    ["a wrong token", { "x-api-key": "nonsense" }, 401, "unauthorized"],
    [
      "a wrong key before a right bearer",
      { "x-api-key": "x", authorization: "Bearer query-token" },
      401,
      "unauthorized",
    ],
    ["a token for ingest", { "x-api-key": "ingest-token" }, 401, "insufficient_scope"],
    ["a bearer token", { authorization: "Bearer query-token" }, 200, undefined],
    ["the scheme in lower case", { authorization: "bearer query-token" }, 200, undefined],
    ["a private token", { "x-api-key": "private-token" }, 200, undefined],
    ["a token for it alone", { "x-api-key": "one-token" }, 200, undefined],
  ])("with %s has the expected status", async (_name, headers, status, code) => {
    const response = await get(`${path}?project=abc`, headers as Record<string, string>);
    expect(response.statusCode).toBe(status);
    if (code !== undefined) expect(response.json()).toMatchObject({ error: { code, status } });
  });

  it("is taken from api_key in the URL", async () => {
    expect((await get(`${path}?project=abc&api_key=query-token`, {})).statusCode).toBe(200);
  });

  it("is denied on endpoints other than the token's own", async () => {
    expect((await get("/api/endpoints/query/closed", { "x-api-key": "one-token" })).statusCode).toBe(401);
  });

  it("reveals that an endpoint is unknown only to valid tokens", async () => {
    expect((await get("/api/endpoints/query/open.staging")).json()).toMatchObject({
      error: { code: "unknown_endpoint", status: 404 },
    });
    expect((await get("/api/endpoints/query/open.staging", {})).statusCode).toBe(401);
  });

  it("is restricted to a pinned parameter in the URL, in a body and when it is omitted", async () => {
    const parameters = [{ key: "project", type: { kind: "STRING" } }] as const;
    test.onPlan = () => ({ sql: "", parameters, columns: [], tables: [] });
    const pinned = { "x-api-key": "pinned-token" };
    await get(path, pinned);
    await get(`${path}?project=abc`, pinned);
    expect(test.engine.requests.map((request) => request.values)).toEqual([["abc"], ["abc"]]);
    for (const url of [`${path}?project=xyz`, `${path}?project=abc&project=xyz`, `${path}?project=`]) {
      expect((await get(url, pinned)).json()).toMatchObject({
        error: { code: "pinned_parameter", status: 403, parameter: "project" },
      });
    }
    const posted = await test.app.inject({
      method: "POST",
      url: `${path}?project=abc`,
      headers: { ...pinned, "content-type": "application/json" },
      payload: '{"project":"xyz"}',
    });
    expect(posted.statusCode).toBe(403);
    expect((await get("/api/endpoints/query/closed", pinned)).statusCode).toBe(403);
  });
});

describe("an invalid call", () => {
  it.each([
    ["", 400, { code: "missing_parameter", parameter: "project" }],
    [
      "?project=abc&interval=weekly",
      400,
      { code: "invalid_parameter", parameter: "interval", allowed: ["hourly", "daily"] },
    ],
    ["?project=abc&since=noon", 400, { code: "invalid_parameter", parameter: "since" }],
    ["?project=abc&limit=1001", 400, { code: "invalid_parameter", parameter: "limit" }],
    ["?project=abc&sql=select+1&lql=error", 400, { code: "sql_and_lql" }],
  ])("%s is answered with %i", async (query, status, error) => {
    const response = await get(path + query);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error: { ...error, status } });
  });

  it.each(["sql=select+1", "lql=error"])("with %s on an endpoint without sandbox is 403", async (query) => {
    expect((await get(`/api/endpoints/query/closed?${query}`)).json()).toMatchObject({
      error: { code: "sandbox_disabled", status: 403 },
    });
  });
});

describe("a call that fails in the engine", () => {
  it.each([
    ["query_failed", 400, "query_failed"],
    ["timeout", 504, "timeout"],
    ["result_too_large", 422, "result_too_large"],
    ["memory_exceeded", 422, "memory_exceeded"],
    ["unavailable", 503, "engine_unavailable"],
    ["refused", 403, "query_refused"],
    ["internal", 500, "internal"],
  ] as const)("with %s is answered with %i", async (code, status, answered) => {
    test.engine.onRun = async () => Promise.reject(new EngineError(code, "division by zero"));
    const response = await get(`${path}?project=abc`);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error: { code: answered, status } });
    expect(response.headers["retry-after"]).toBe(status === 503 ? "2" : undefined);
  });

  it("after the first rows still has its true status", async () => {
    test.engine.onRun = async () => ({
      ...runningQuery([]),
      batches: (async function* () {
        yield toBatch([{ a: 1 }]);
        throw new EngineError("timeout", "too late");
      })(),
    });
    expect((await get(`${path}?project=abc`)).statusCode).toBe(504);
  });

  it("by a fault reveals neither stack nor message, and logs no values", async () => {
    test.engine.onRun = async () => Promise.reject(new TypeError("secret value"));
    const response = await get(`${path}?project=abc`);
    expect(response.json()).toMatchObject({
      error: { code: "internal", status: 500, message: "The service failed to answer" },
    });
    expect(response.body).not.toMatch(/secret|\.ts|at /);
    expect(test.logLines.join()).toContain("TypeError");
    expect(test.logLines.join()).not.toContain("secret");
  });

  it("frees its slot for other calls", async () => {
    test.engine.onRun = async () => Promise.reject(new EngineError("query_failed", "x"));
    for (let i = 0; i < 5; i++) await get(`${path}?project=abc`);
    test.engine.onRun = async () => runningQuery([[{ a: 1 }]]);
    expect((await get(`${path}?project=abc`)).statusCode).toBe(200);
  });
});

it("an endpoint refuses more queries than may run and wait", async () => {
  const held = new AbortController();
  test.engine.onRun = async () => {
    await once(held.signal, "abort");
    return runningQuery([]);
  };
  const two = [get(`${path}?project=abc`), get(`${path}?project=abc`)];
  await expect.poll(() => test.engine.requests.length).toBe(2);
  const third = await get(`${path}?project=abc`);
  expect(third.json()).toMatchObject({ error: { code: "too_many_queries", status: 429 } });
  expect(third.headers["retry-after"]).toBe("1");
  held.abort();
  expect((await Promise.all(two)).map((response) => response.statusCode)).toEqual([200, 200]);
});

describe("the redaction header", () => {
  const rows = [[{ ip: "10.0.0.1", metadata: [{ deep: ["x ::1"] }] }]];

  it.each(["true", "TRUE", " true "])("redacts addresses at every depth when it is %j", async (value) => {
    test.engine.onRun = async () => runningQuery(rows);
    const response = await get(`${path}?project=abc`, { ...key, "lf-endpoint-redact-pii": value });
    expect(response.json()).toEqual({ result: [{ ip: "REDACTED", metadata: [{ deep: ["x REDACTED"] }] }] });
  });

  it.each(["false", "1", ""])("does not redact when it is %j", async (value) => {
    test.engine.onRun = async () => runningQuery(rows);
    const response = await get(`${path}?project=abc`, { ...key, "lf-endpoint-redact-pii": value });
    expect(response.json()).toEqual({ result: rows[0] });
  });

  it("applies to error messages too", async () => {
    test.engine.onRun = async () => Promise.reject(new EngineError("query_failed", "Bad int64 value: 10.0.0.1"));
    const response = await get(`${path}?project=abc`, { ...key, "lf-endpoint-redact-pii": "true" });
    expect(response.json()).toMatchObject({ error: { message: "Bad int64 value: REDACTED" } });
  });

  it.each([
    ["query-token", {}, true],
    ["query-token", { "lf-endpoint-redact-pii": "false" }, true],
    ["private-token", {}, true],
    ["private-token", { "lf-endpoint-redact-pii": "false" }, false],
  ])("of an endpoint that redacts: for %s with %j the answer is redacted: %s", async (token, headers, isRedacted) => {
    test.engine.onRun = async () => runningQuery(rows);
    const sent = { "x-api-key": token, ...headers } as Record<string, string>;
    const response = await get("/api/endpoints/query/closed", sent);
    expect(response.body.includes("REDACTED")).toBe(isRedacted);
  });
});

it("an endpoint interrupts the engine when the caller disconnects", async () => {
  const caller = new AbortController();
  const interrupted = new Promise<void>((resolve) => {
    test.engine.onRun = (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => {
          resolve();
          reject(new EngineError("aborted", "aborted"));
        });
        caller.abort();
      });
  });
  const address = await test.app.listen({ port: 0, host: "127.0.0.1" });
  await expect(fetch(`${address}${path}?project=abc`, { headers: key, signal: caller.signal })).rejects.toThrow();
  await interrupted;
  await test.app.close();
  expect(JSON.parse(test.logLines.at(-1) ?? "")).toMatchObject({ status: 499, endpoint: "open", level: "info" });
});

it("an endpoint finishes running calls when the service stops, and cuts off those that take too long", async () => {
  const started: (() => void)[] = [];
  test.engine.onRun = (request) =>
    new Promise((resolve, reject) => {
      request.signal.addEventListener("abort", () => reject(new EngineError("aborted", "aborted")));
      started.push(() => resolve(runningQuery([[{ a: 1 }]])));
    });
  const calls = [get(`${path}?project=abc`), get(`${path}?project=abc`)];
  await expect.poll(() => started.length).toBe(2);
  const stopped = test.shutdown.stop(50);
  expect((await get(`${path}?project=abc`)).statusCode).toBe(503);
  started[0]?.();
  const [first, second] = await Promise.all(calls);
  expect(first?.body).toBe('{"result":[{"a":1}]}');
  expect(second?.json()).toMatchObject({ error: { code: "shutting_down", status: 503 } });
  await stopped;
});
