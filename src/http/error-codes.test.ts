import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import { createIssuer } from "../access/sign-in/issuer.ts";
import { Alerts } from "../alerts/alerts.ts";
import { createFileLog } from "../drains/drain-log.ts";
import { Drains } from "../drains/drains.ts";
import { createRemovals } from "../drains/removals.ts";
import { RunningRules } from "../drains/running-rules.ts";
import type { Planner } from "../endpoints/call/plan/plan.ts";
import { createPlanner } from "../endpoints/call/plan/planner.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { ManagedEndpoints } from "../endpoints/management/managed-endpoints.ts";
import { toNewVersion } from "../endpoints/management/stored-endpoints.ts";
import { EngineError, type EngineErrorCode } from "../engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../engines/duckdb/index.ts";
import { parseQuery } from "../googlesql/parse.ts";
import { createEndpointStore } from "../metadata/endpoint-store.ts";
import { openMetadata } from "../metadata/open-metadata.ts";
import { createTokenStore } from "../metadata/token-store.ts";
import { createViewStore } from "../metadata/view-store.ts";
import { type ErrorCode, errorCatalogue } from "../shared/error-catalogue.ts";
import { createManagedSources } from "../sources/managed-sources.ts";
import { openSources } from "../sources/source-registry.ts";
import { createRateLimiter } from "./request/rate-limiter.ts";
import { createShutdown } from "./request/shutdown.ts";
import { addAccessTokenRoutes } from "./routes/admin/access-tokens.ts";
import { addAlertRoutes } from "./routes/admin/alerts.ts";
import { addBackendRoutes, addRuleRoutes } from "./routes/admin/drains.ts";
import { addEndpointVersionRoutes } from "./routes/admin/endpoint-versions.ts";
import { addManagedEndpointRoutes } from "./routes/admin/managed-endpoints.ts";
import { addManagedSourceRoutes } from "./routes/admin/managed-sources.ts";
import { addViewRoutes } from "./routes/query/views.ts";
import { maxHeaderBytes } from "./server.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
}

const noTables = { findTable: () => undefined, tableNames: () => [] };

/** The secret of a token of the scope `private`. */
const owner = "private-token";
let test: TestApp;
let engine: DuckDbEngine;
let planner: Planner;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  planner = createPlanner({ engine, tables: noTables, nowMs: () => 0 });
});

afterAll(async () => {
  await engine.close();
});

beforeEach(async () => {
  test = await createTestApp();
});

const path = "/api/endpoints/query/open";
const savedText = "WITH t AS (SELECT 1 AS a), u AS (SELECT 1 AS a) SELECT * FROM t";

const audit = { level: "all", record: () => undefined, droppedCount: 0 } as const;

async function get(url: string, key = "query-token", headers: Record<string, string> = {}): Promise<Answer> {
  const response = await test.app.inject({ url, headers: { "x-api-key": key, ...headers } });
  return { status: response.statusCode, body: response.body };
}

async function post(
  url: string,
  payload: string,
  headers: Record<string, string>,
  key = "query-token",
): Promise<Answer> {
  const response = await test.app.inject({ method: "POST", url, payload, headers: { "x-api-key": key, ...headers } });
  return { status: response.statusCode, body: response.body };
}

/** A consumer's query, planned by the real planner over an endpoint with the tables t and u. */
async function ask(language: "sql" | "lql", text: string): Promise<Answer> {
  const saved = { savedQuery: parseQuery(savedText), sourceText: savedText };
  test.onPlan = (endpoint, consumer, limit) => planner.plan({ ...endpoint, ...saved }, consumer, limit);
  return get(`${path}?project=x&${language}=${encodeURIComponent(text)}`);
}

/** Returns the real planner's answer to a query for a tail. */
async function follow(text: string): Promise<Answer> {
  const saved = { savedQuery: parseQuery(savedText), sourceText: savedText };
  test.onPlan = (endpoint, consumer) => planner.plan({ ...endpoint, ...saved }, consumer, undefined, "follow");
  return get(`${path}?project=x&sql=${encodeURIComponent(text)}`);
}

/** Calls a service with one source of the API, which an endpoint reads. */
async function changeSource(method: "DELETE", url: string): Promise<Answer> {
  const source = { name: "own", aliases: [], kind: "x", description: "", retentionDays: undefined, knownFields: [] };
  addManagedSourceRoutes(test.app, {
    managedSources: createManagedSources({
      registry: await openSources([{ ...source, origin: { kind: "api" } }], test.engine.store),
      events: test.engine.store,
      documents: { put: async () => undefined, remove: async () => undefined },
      isEndpoint: () => false,
      findBroken: async () => ["logs.all"],
    }),
    audit,
  });
  const response = await test.app.inject({ method, url, headers: { "x-api-key": owner } });
  return { status: response.statusCode, body: response.body };
}

/** Calls a service without tokens. */
async function askForTokens(method: "GET" | "POST", path: string): Promise<Answer> {
  const metadata = await openMetadata(":memory:");
  addAccessTokenRoutes(test.app, {
    tokens: createTokenStore(metadata, () => 0),
    audit,
    nowMs: () => 0,
  });
  const response = await test.app.inject({ method, url: `/api/access-tokens${path}`, headers: { "x-api-key": owner } });
  await metadata.close();
  return { status: response.statusCode, body: response.body };
}

async function askForDrains(url: string): Promise<Answer> {
  const running = new RunningRules({
    log: createFileLog({ folder: "", maxBytes: 0, warn: () => undefined }),
    serviceId: "",
    removals: createRemovals({ findSource: () => undefined, nowMs: () => 0 }),
    graceMs: 0,
    send: async () => ({ kind: "taken" }),
    clock: { nowMs: () => 0, steadyMs: () => 0, random: () => 0, sleep: async () => undefined },
    warn: () => undefined,
  });
  const nothing = async () => undefined;
  const dependencies = {
    drains: new Drains({
      documents: { putBackend: nothing, removeBackend: nothing, putRule: nothing, removeRule: nothing },
      running,
      findSource: () => undefined,
      nowMs: () => 0,
      findAddressProblem: async () => undefined,
    }),
    audit,
  };
  addBackendRoutes(test.app, dependencies);
  addRuleRoutes(test.app, dependencies);
  const response = await test.app.inject({ method: "GET", url, headers: { "x-api-key": owner } });
  return { status: response.statusCode, body: response.body };
}

async function askForAlerts(method: "GET" | "DELETE", url: string): Promise<Answer> {
  const find = () => undefined;
  const nothing = async () => undefined;
  const figures = () => {
    throw new Error("no figures");
  };
  addAlertRoutes(test.app, {
    alerts: new Alerts({
      alerts: [{ id: "a", form: { name: "filed" }, file: "alerts/filed.yaml", createdAtMs: 0, updatedAtMs: 0 }],
      documents: { put: nothing, remove: nothing },
      running: {
        ...{ replaceAll: find, put: find, remove: find, figures },
        stateOf: () => Promise.reject(new Error("no state")),
      },
      queries: {
        findProblems: () => ({}),
        ...{ redactionsOf: () => ({}), isRedactedSo: () => true },
        run: async () => ({ rows: [], isCut: false, sources: [] }),
      },
      ...{
        findBackend: find,
        findAddressProblem: nothing,
        nowMs: () => 0,
        amongServices: (work) => work(),
        canMail: false,
      },
    }),
    rates: createRateLimiter(1, () => 0),
    shutdown: createShutdown(),
    audit,
  });
  const response = await test.app.inject({ method, url, headers: { "x-api-key": owner } });
  return { status: response.statusCode, body: response.body };
}

async function askForViews(method: "GET" | "DELETE", path: string): Promise<Answer> {
  const metadata = await openMetadata(":memory:");
  addViewRoutes(test.app, {
    views: createViewStore(metadata, () => 0),
    endpoints: test.endpoints,
    sources: { find: () => undefined },
    audit,
  });
  const response = await test.app.inject({ method, url: `/api/views${path}`, headers: { "x-api-key": owner } });
  await metadata.close();
  return { status: response.statusCode, body: response.body };
}

async function failWith(code: EngineErrorCode): Promise<Answer> {
  test.engine.onRun = async () => Promise.reject(new EngineError(code, "it failed"));
  return get(`${path}?project=x`);
}

async function storeWith(code: EngineErrorCode): Promise<Answer> {
  test.engine.onAppend = async () => Promise.reject(new EngineError(code, "it failed"));
  return post("/api/logs?source=edge", "{}", {}, "ingest-token");
}

/** Sends raw text to a listening service and returns its answer. */
async function exchange(text: string): Promise<Answer> {
  const address = new URL(await test.app.listen({ port: 0, host: "127.0.0.1" }));
  const answer = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(Number(address.port), address.hostname, () => socket.write(text));
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("close", () => resolve(received));
    socket.on("error", (error) => (received === "" ? reject(error) : resolve(received)));
  });
  await test.app.close();
  return { status: Number(answer.slice(9, 12)), body: answer.slice(answer.indexOf("\r\n\r\n") + 4) };
}

/** Calls a service where `own` is read by another endpoint and `filed` lives in a file. */
async function changeEndpoint(
  method: "POST" | "DELETE",
  url: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { endpoints } = test;
  const [some] = endpoints.endpoints;
  if (some === undefined) throw new Error("There is no endpoint");
  const make = (name: string, more: Partial<Endpoint>): Endpoint => {
    const id = `00000000-0000-4000-8000-0000000000${name === "own" ? "01" : name.length}`;
    return { ...some, origin: { kind: "api" }, ...more, definition: { ...some.definition, id, name } };
  };
  const own = make("own", {});
  endpoints.put(own, make("thereader", { reads: [own.definition.id] }), make("filedaways", { origin: some.origin }));
  const metadata = await openMetadata(":memory:");
  const store = createEndpointStore(metadata, () => 0);
  await store.save(toNewVersion(own, { author: "p", action: "create", changed: [] }), undefined);
  const routes = {
    managed: new ManagedEndpoints({ registry: endpoints, store, engine, tables: noTables }),
    audit,
  };
  addManagedEndpointRoutes(test.app, routes);
  addEndpointVersionRoutes(test.app, { ...routes, endpoints, store });
  const response = await test.app.inject({
    method,
    url: `/api/endpoints${url}`,
    headers: { "x-api-key": owner, ...headers },
  });
  await metadata.close();
  return { status: response.statusCode, body: response.body };
}

/** One way to each error. A code that is added without one does not compile. */
const ways: Readonly<Record<ErrorCode, () => Promise<Answer>>> = {
  invalid_body: () => post(path, "{", { "content-type": "application/json" }),
  missing_parameter: () => get(path),
  invalid_parameter: () => get(`${path}?project=x&since=noon`),
  sql_and_lql: () => get(`${path}?project=x&sql=select+1&lql=x`),
  malformed_request: () => get("/%zz"),
  not_found: () => get("/nowhere"),
  not_acceptable: () => get(`${path}?project=x`, "query-token", { accept: "image/png" }),
  body_too_large: () => post("/api/logs?source=edge", "x".repeat(100_001), {}, "ingest-token"),
  unsupported_media_type: () => post(path, "x", { "content-type": "text/xml" }),
  // No more than the server reads before it answers: closing with unread bytes would discard the answer.
  request_too_large: () => exchange(`GET /${"x".repeat(maxHeaderBytes)} HTTP/1.1\r\n\r\n`),
  unauthorized: () => get(path, "nonsense"),
  insufficient_scope: () => get(path, "ingest-token"),
  pinned_parameter: () => get(`${path}?project=x`, "pinned-token"),
  issuer_unavailable: async () => {
    await test.app.close();
    const issuer = createIssuer({
      ...{ issuer: new URL("http://127.0.0.1:9/"), clientId: "a", clientSecret: undefined },
      ...{ onFailure: () => undefined, now: () => 0 },
    });
    test = await createTestApp({ parts: { signIn: { oidc: { issuer, publicUrl: undefined } as never } } });
    return get("/api/sign-in/start");
  },
  foreign_origin: () => post("/mcp", "{}", { origin: "https://elsewhere.example" }),
  unknown_endpoint: () => get("/api/endpoints/query/nope"),
  unknown_version: () => changeEndpoint("POST", "/own/versions/7/rollback"),
  endpoint_read_only: () => changeEndpoint("DELETE", "/filedaways"),
  endpoint_in_use: () => changeEndpoint("DELETE", "/own"),
  version_conflict: () => changeEndpoint("DELETE", "/own", { "if-match": '"7"' }),
  endpoint_broken: () => {
    test.endpoints.put(...test.endpoints.endpoints.map((endpoint) => ({ ...endpoint, problem: "it is broken" })));
    return get(`${path}?project=x`);
  },
  unknown_source: () => post("/api/logs?source=nope", "{}", {}, "ingest-token"),
  source_read_only: () => post("/api/logs?source=logweir.audit", "{}", {}, "ingest-token"),
  source_in_use: () => changeSource("DELETE", "/api/sources/own"),
  unknown_token: () => askForTokens("GET", "/nobody"),
  unknown_backend: () => askForDrains("/api/backends/none"),
  unknown_rule: () => askForDrains("/api/rules/none"),
  unknown_alert: () => askForAlerts("GET", "/api/alerts/none"),
  alert_read_only: () => askForAlerts("DELETE", "/api/alerts/filed"),
  unknown_view: () => askForViews("DELETE", "/nobody"),
  validation_failed: () => askForTokens("POST", ""),
  syntax_error: () => ask("sql", "select"),
  query_too_long: () => ask("sql", `select ${"x".repeat(300_000)}`),
  too_complex: () => ask("sql", `select ${"(".repeat(500)}1${")".repeat(500)}`),
  unknown_table: () => get("/api/query?sql=select+1+from+nope", "private-token"),
  unknown_column: () => ask("sql", "select b from t"),
  unknown_function: () => ask("sql", "select nope(1)"),
  unsupported: () => ask("sql", "select session_user()"),
  unknown_parameter: () => ask("sql", "select @nope"),
  ambiguous_name: () => ask("sql", "select a from t, u"),
  duplicate_name: () => ask("sql", "with x as (select 1), x as (select 2) select * from x"),
  type_mismatch: () => ask("sql", "select 1 + 'a' || true"),
  invalid_query: () => ask("sql", "select a, count(*) from t"),
  invalid_lql: () => ask("lql", "m.level:"),
  query_failed: () => failWith("query_failed"),
  not_followable: () => follow("select a from t"),
  sandbox_disabled: () => get("/api/endpoints/query/closed?sql=select+1"),
  sandbox_table_denied: () => ask("sql", "select * from v"),
  query_refused: () => failWith("refused"),
  result_too_large: () => failWith("result_too_large"),
  memory_exceeded: () => failWith("memory_exceeded"),
  limit_exceeded: () => failWith("limit_exceeded"),
  residual_too_large: () => failWith("residual_too_large"),
  too_many_queries: async () => {
    test.engine.onRun = () => new Promise(() => undefined);
    void get(`${path}?project=x`);
    void get(`${path}?project=x`);
    await expect.poll(() => test.engine.requests.length).toBe(2);
    return get(`${path}?project=x`);
  },
  rate_limited: async () => {
    for (let call = 0; call < 100; call++) await get(`${path}?project=x`, "one-token");
    return get(`${path}?project=x`, "one-token");
  },
  method_not_allowed: async () => {
    const response = await test.app.inject({ method: "DELETE", url: path, headers: { "x-api-key": "query-token" } });
    expect(response.headers.allow).toBe("GET, HEAD, POST");
    return { status: response.statusCode, body: response.body };
  },
  request_timeout: async () => {
    const address = new URL(await test.app.listen({ port: 0, host: "127.0.0.1" }));
    const socket = connect(Number(address.port), address.hostname);
    socket.write(`POST ${path}?project=x HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Length: 50\r\n\r\n{`);
    let text = "";
    for await (const piece of socket) text += String(piece);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    await test.app.close();
    return { status: Number(head.split(" ")[1]), body };
  },
  held_back: async () => {
    test.engine.onRun = async ({ onEngineEnded }) => {
      onEngineEnded?.();
      throw new EngineError("memory_exceeded", "too much");
    };
    await get(`${path}?project=x`);
    return get(`${path}?project=x`);
  },
  tenant_limit: async () => {
    test = await createTestApp({ tenantField: "project", quotas: { tenantRates: { events: 1 } } });
    return post("/api/logs?source=edge", '[{"project":"a"},{"project":"a"}]', {}, "ingest-token");
  },
  overloaded: () => storeWith("overloaded"),
  timeout: () => failWith("timeout"),
  internal: () => failWith("internal"),
  metadata_unavailable: async () => {
    test = await createTestApp({ nodeState: () => "outdated" });
    return get(path);
  },
  engine_unavailable: () => failWith("unavailable"),
  shutting_down: async () => {
    await test.shutdown.stop(0);
    return get(path);
  },
  disk_full: () => storeWith("disk_full"),
};

describe("the error code", () => {
  it.each(Object.keys(errorCatalogue) as ErrorCode[])(
    "%s is answered with its status in the common error shape",
    async (code) => {
      const { status, body } = await ways[code]();
      const { error } = JSON.parse(body) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ code, status });
      expect(status).toBe(errorCatalogue[code].status);
      expect(String(error.message).length).toBeGreaterThan(5);
      const known = [
        "code",
        "message",
        "status",
        "parameter",
        "line",
        "column",
        "hint",
        "allowed",
        "fields",
        "current_version",
        "limit",
      ];
      expect(Object.keys(error).filter((key) => !known.includes(key))).toEqual([]);
    },
  );
});

it("docs/errors.md has exactly one section for each code, with its status", async () => {
  const page = await readFile("docs/errors.md", "utf8");
  const documented = [...page.matchAll(/^## (\w+)\n\n\*\*(\d+)\.\*\*/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(documented).toEqual(Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]));
});
