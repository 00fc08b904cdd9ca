import { get as sendGet } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runningQuery } from "../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import { commonHeaders, commonParameters } from "../openapi/common-components.ts";

let test: TestApp;
const path = "/api/endpoints/query/open";
const right = "query-token";

beforeEach(async () => {
  test = await createTestApp();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await test.app.close();
});

const get = (url: string, headers: Record<string, string | string[]> = { "x-api-key": right }) =>
  test.app.inject({ url, headers });

describe("a call's token is taken from X-API-KEY, else from Authorization, else from api_key", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  it.each<[string, Record<string, string | string[]>, string, number]>([
    ["X-API-KEY before Authorization", { "x-api-key": right, ...bearer("wrong") }, "", 200],
    ["X-API-KEY before Authorization, though it is wrong", { "x-api-key": "wrong", ...bearer(right) }, "", 401],
    ["X-API-KEY before api_key", { "x-api-key": right }, "&api_key=wrong", 200],
    ["X-API-KEY before api_key, though it is wrong", { "x-api-key": "wrong" }, `&api_key=${right}`, 401],
    ["Authorization before api_key", bearer(right), "&api_key=wrong", 200],
    ["Authorization before api_key, though it is wrong", bearer("wrong"), `&api_key=${right}`, 401],
    ["api_key alone", {}, `&api_key=${right}`, 200],
    ["two headers with a key each, which a proxy could read in another way", { "x-api-key": [right, right] }, "", 400],
    ["two parameters of different keys", {}, `&api_key=wrong&api_key=wrong`, 401],
  ])("%s", async (_, headers, query, status) => {
    expect((await get(`${path}?project=abc${query}`, headers)).statusCode).toBe(status);
  });
});

describe("the scope of one source holds under any of its names", () => {
  it.each([
    ["edge", 200],
    ["cdn.logs", 200],
    ["db", 401],
  ])("%s is answered with %i", async (name, status) => {
    const url = `/api/logs?source_name=${name}`;
    const payload = { event_message: "a" };
    const response = await test.app.inject({ method: "POST", url, headers: { "x-api-key": "edge-token" }, payload });
    expect(response.statusCode).toBe(status);
    expect(test.engine.appended.map(({ source }) => source)).toEqual(status === 200 ? ["edge"] : []);
  });
});

describe("a value other than the pinned one is refused wherever it is sent", () => {
  const pinned = { "x-api-key": "pinned-token" };
  it.each([
    ["in the URL", "?project=xyz", undefined],
    ["as the second of two", "?project=abc&project=xyz", undefined],
    ["in a JSON body", "", { project: "xyz" }],
    ["in a JSON body, beside the right one in the URL", "?project=abc", { project: "xyz" }],
    ["in the URL, beside the right one in a JSON body", "?project=xyz", { project: "abc" }],
    ["as a list in a JSON body", "", { project: ["abc"] }],
    ["as NULL in a JSON body", "", { project: null }],
    ["in a form", "", "project=xyz"],
  ])("%s", async (_, query, payload) => {
    const type = typeof payload === "string" ? { "content-type": "application/x-www-form-urlencoded" } : {};
    const url = path + query;
    const response =
      payload === undefined
        ? await get(url, pinned)
        : await test.app.inject({ method: "POST", url, headers: { ...pinned, ...type }, payload });
    expect(response.json()).toMatchObject({ error: { code: "pinned_parameter", status: 403, parameter: "project" } });
    expect(test.engine.requests).toEqual([]);
  });
});

it("a pinned parameter stays pinned beside an unknown parameter that differs only in letter case", async () => {
  test.onPlan = () => ({
    sql: "",
    parameters: [{ key: "project", type: { kind: "STRING" } }],
    columns: [],
    tables: [],
  });
  const headers = { "x-api-key": "pinned-token" };
  await get(`${path}?PROJECT=xyz`, headers);
  await test.app.inject({ method: "POST", url: path, headers, payload: { Project: "xyz" } });
  expect(test.engine.requests.map(({ values }) => values)).toEqual([["abc"], ["abc"]]);
});

describe("errors are never cached", () => {
  it.each([
    ["unauthorized", 401, path, {}],
    ["a missing parameter", 400, path, { "x-api-key": right }],
    ["an unknown endpoint", 404, "/api/endpoints/query/none", { "x-api-key": right }],
    ["an unknown route", 404, "/api/none", {}],
    ["a missing scope", 403, "/api/sources", { "x-api-key": right }],
    ["a failing engine", 500, `${path}?project=abc`, { "x-api-key": right }],
    ["a failing cached endpoint", 500, "/api/endpoints/query/cached", { "x-api-key": right }],
    ["an unknown format", 406, `${path}?project=abc`, { "x-api-key": right, accept: "image/png" }],
  ])("%s answers no-store", async (_, status, url, headers) => {
    test.engine.onRun = async () => Promise.reject(new Error("no"));
    const response = await get(url, headers as Record<string, string>);
    expect([response.statusCode >= 400, response.headers["cache-control"]]).toEqual([true, "no-store"]);
    expect([status, 401]).toContain(response.statusCode);
  });
});

describe("a page of any origin", () => {
  const listOf = (value: unknown) => String(value).toLowerCase().split(/,\s*/);
  const preflight = async () => {
    const asked = { origin: "https://a.example", "access-control-request-method": "PUT" };
    return await test.app.inject({ method: "OPTIONS", url: "/api/endpoints/a", headers: asked });
  };

  it("may send every header that the OpenAPI document names, and those of other senders", async () => {
    const named = Object.values(commonParameters).flatMap((one) => (one.in === "header" ? [String(one.name)] : []));
    const allowed = listOf((await preflight()).headers["access-control-allow-headers"]);
    expect(named.length).toBeGreaterThan(3);
    const senders = ["x-source", "x-collection", "x-api-key", "authorization", "content-encoding"];
    expect(allowed).toEqual(expect.arrayContaining([...named.map((name) => name.toLowerCase()), ...senders]));
  });

  it("may read the response headers that carry information", async () => {
    const exposed = listOf((await get(`${path}?project=abc`)).headers["access-control-expose-headers"]);
    expect(exposed).toEqual(expect.arrayContaining(["etag", "link", "age", "retry-after", "x-request-id"]));
    expect(Object.keys(commonHeaders).length).toBeGreaterThan(0);
  });
});

it("GET /health answers within a second even when the engine never does", async () => {
  const asked: number[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    asked.push(ms);
    return AbortSignal.abort(new Error("too late"));
  });
  test.engine.onPing = () => new Promise(() => undefined);
  const response = await get("/health", {});
  expect([response.statusCode, response.json()]).toMatchObject([200, { status: "degraded", engine: "unavailable" }]);
  expect(asked.every((ms) => ms < 1_000)).toBe(true);
});

it("Parquet is never compressed, whether cached or not, even when the client accepts it", async () => {
  const rows = Array.from({ length: 500 }, () => ({ a: "much the same text" }));
  test.onPlan = () => ({ sql: "", parameters: [], columns: [{ name: "a", type: { kind: "STRING" } }], tables: [] });
  test.engine.onRun = async () => runningQuery([rows]);
  const headers = { "x-api-key": right, "accept-encoding": "gzip, br" };
  for (const url of [`${path}?project=abc`, "/api/endpoints/query/cached?"]) {
    for (let i = 0; i < 2; i++) {
      const parquet = await get(`${url}&format=parquet`, headers);
      expect([parquet.statusCode, parquet.headers["content-encoding"]]).toEqual([200, undefined]);
      expect(parquet.rawPayload.subarray(0, 4).toString()).toBe("PAR1");
      expect((await get(`${url}&format=csv`, headers)).headers["content-encoding"]).toBeDefined();
    }
  }
});

it("GET /events of a source returns the events after a given time", async () => {
  test.onPlan = () => {
    const columns = ["id", "timestamp", "event_message", "body"].map((name) => ({
      name,
      type: { kind: "STRING" } as const,
    }));
    return { sql: "", parameters: [{ key: "after", type: { kind: "TIMESTAMP" } }], columns, tables: [] };
  };
  const headers = { "x-api-key": "private-token" };
  expect((await get("/api/sources/edge/events?after=2026-08-20T09:00:00Z", headers)).statusCode).toBe(200);
  expect((await get("/api/sources/cdn.logs/events?after=2026-08-20", headers)).statusCode).toBe(200);
  expect((await get("/api/sources/edge/events?after=2026-08-20&after=2026-08-21", headers)).statusCode).toBe(200);
  expect(test.engine.requests.map(({ values }) => values)).toEqual([
    ["1787216400000000"],
    ["1787184000000000"],
    ["1787270400000000"],
  ]);
  expect((await get("/api/sources/edge/events?after=noon", headers)).json()).toMatchObject({
    error: { code: "invalid_parameter", status: 400, parameter: "after" },
  });
});

it("a call whose caller disconnected counts as 499", async () => {
  const url = await test.app.listen({ port: 0, host: "127.0.0.1" });
  const begun = new Promise<void>((resolve) => {
    test.engine.onRun = (run) =>
      new Promise((_, reject) => {
        run.signal.addEventListener("abort", () => reject(new Error("stopped")));
        resolve();
      });
  });
  const call = sendGet(`${url}${path}?project=abc`, { headers: { "x-api-key": right } }).on("error", () => undefined);
  await begun;
  call.destroy();
  const metrics = async () => (await get("/metrics", { "x-api-key": "metrics-token" })).body;
  await expect.poll(metrics).toMatch(/logweir_requests_total\{endpoint="open",status="499"\} 1/);
});
