import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readStoredTexts } from "../support/stored-texts.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import {
  privateToken,
  publicToken,
  type Service,
  type ServiceProcess,
  startService,
  startServiceProcess,
} from "./service.ts";

/** A destination: records what it receives, and answers as configured. */
interface Hook {
  readonly url: string;
  readonly port: number;
  readonly events: Record<string, unknown>[];
  readonly headers: IncomingHttpHeaders[];
  answer: { status: number; headers?: Record<string, string> };
  requestCount: number;
  close(): Promise<void>;
}

/** The body of an error. */
interface Refusal {
  readonly error?: { readonly fields?: object };
}

const open: Server[] = [];

async function startHook(port = 0): Promise<Hook> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      hook.requestCount++;
      const body = Buffer.concat(chunks);
      if (hook.answer.status < 300) {
        const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
        hook.events.push(...(JSON.parse(text.toString()) as Record<string, unknown>[]));
        hook.headers.push(request.headers);
      }
      response.writeHead(hook.answer.status, hook.answer.headers).end("{}");
    });
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  open.push(server);
  const { port: bound } = server.address() as AddressInfo;
  const hook: Hook = {
    url: `http://127.0.0.1:${bound}/hook?key=s3cret-in-query`,
    port: bound,
    events: [],
    headers: [],
    answer: { status: 200 },
    requestCount: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return hook;
}

const until = (isTrue: () => boolean | Promise<boolean>, what: string) => waitUntil(isTrue, patienceMs, what);

async function call(service: Service, method: string, path: string, body?: object, token = privateToken) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (text === "" ? {} : JSON.parse(text)) as unknown };
}

/** A backend with one rule per source; an empty query selects all events. */
async function drain(service: Service, backend: object, sources: Readonly<Record<string, string>>): Promise<string> {
  const made = await call(service, "POST", "/api/backends", { name: "hook", ...backend });
  expect(made.status).toBe(201);
  const { id } = made.json as { readonly id: string };
  for (const [source, lql] of Object.entries(sources)) {
    const rule = await call(service, "POST", "/api/rules", { backend_id: id, source_id: source, lql_string: lql });
    expect(rule.status).toBe(201);
  }
  return id;
}

const edgeEvents = Array.from({ length: 40 }, (_, index) => ({
  id: `edge-${index}`,
  timestamp: `2026-08-20T09:00:${String(index).padStart(2, "0")}.000001Z`,
  event_message: `GET ${index}`,
  project: "abc",
  metadata: {
    request: { path: `/rest/v1/${index}` },
    response: { status_code: index % 4 === 0 ? 503 : 200 },
    tags: ["a", "b"],
  },
}));

const env = { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" };
let service: ServiceProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-drains-"));
  service = await startServiceProcess({ dataDir, env });
});

afterAll(async () => {
  await service.stop();
  for (const server of open) {
    server.closeAllConnections();
    server.close();
  }
  await rm(dataDir, { recursive: true, force: true });
});

describe("log drains", () => {
  it("send a webhook the events that match a rule's query, as they were received", async () => {
    const hook = await startHook();
    const config = { url: hook.url, headers: { Authorization: "Bearer s3cret-in-header" } };
    const id = await drain(
      service,
      { type: "webhook", config },
      { "cloudflare.logs.prod": "m.response.status_code:>=500" },
    );
    await service.ingest("edge", edgeEvents);
    await until(() => hook.events.length >= 10, "ten events");
    const wanted = edgeEvents.filter(({ metadata }) => metadata.response.status_code >= 500);
    expect(hook.events).toEqual(
      wanted.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) * 1_000 + 1 })),
    );
    expect(hook.headers[0]).toMatchObject({
      authorization: "Bearer s3cret-in-header",
      "content-type": "application/json",
      "content-encoding": "gzip",
      "x-logweir-source": "edge",
    });
    const metrics = await (await service.get("/metrics")).text();
    expect(metrics).toContain('logweir_drain_events_total{backend="hook",source="edge",outcome="delivered"} 10');
    expect((await call(service, "DELETE", `/api/backends/${id}`)).status).toBe(204);
    expect((await call(service, "GET", "/api/rules")).json).toEqual([]);
  });

  it("lose no event when the destination is unreachable and the process is killed, even with long bodies", async () => {
    const first = await startHook();
    const { port } = first;
    await first.close();
    await drain(service, { type: "webhook", config: { url: `http://127.0.0.1:${port}/`, gzip: false } }, { db: "" });
    const events = Array.from({ length: 1_500 }, (_, index) => ({
      ...(index % 2 === 0 ? { id: `db-${index}` } : {}),
      event_message: `${index} ${"x".repeat(100)}`,
      project: "abc",
    }));
    await service.ingest("db", events.slice(0, 10));
    await service.ingest("db", events.slice(10));
    await until(
      async () =>
        /"last_error":"the destination cannot be reached/.test((await call(service, "GET", "/api/backends")).text),
      "an error",
    );
    const ended = once(service.process, "exit");
    service.process.kill("SIGKILL");
    await ended;
    service = await startServiceProcess({ dataDir, env });
    const hook = await startHook(port);
    await until(() => new Set(hook.events.map(({ event_message: message }) => message)).size === 1_500, "all events");
    expect(new Set(hook.events.map(({ id }) => id)).size).toBe(1_500);
    await until(async () => /"waiting":0/.test((await call(service, "GET", "/api/backends")).text), "nothing waits");
  });

  it("do not follow redirects", async () => {
    const [from, to] = [await startHook(), await startHook()];
    from.answer = { status: 307, headers: { location: to.url } };
    const id = await drain(service, { type: "webhook", config: { url: from.url } }, { auth: "" });
    await service.ingest("auth", [{ id: "r1", event_message: "x", project: "abc" }]);
    await until(() => from.requestCount > 0, "a request");
    await until(
      async () => /redirects \(307\)/.test((await call(service, "GET", `/api/backends/${id}`)).text),
      "the reason",
    );
    expect(to.requestCount).toBe(0);
    await call(service, "DELETE", `/api/backends/${id}`);
  });

  it("forward events to another Logweir with ids, times and fields, directly, by Loki's push API and by OTLP", async () => {
    const far = await startService({ env });
    try {
      const config = { url: far.url, token: privateToken };
      await drain(service, { type: "logweir", config }, { edge: "" });
      await drain(
        service,
        { type: "loki", config: { url: far.url, username: "any", password: privateToken } },
        { edge: "" },
      );
      const headers = { "X-API-KEY": privateToken };
      await drain(service, { type: "otlp", config: { url: far.url, headers } }, { edge: "" });
      const events = edgeEvents.map((event) => ({ ...event, id: `far-${event.id}` }));
      await service.ingest("edge", events);
      const columns = "id, timestamp, event_message, metadata";
      const read = (from: Service) =>
        from.rows("logs.all", {
          project: "abc",
          sql: `select ${columns} from edge_logs where id like 'far-%' order by id`,
        });
      await until(async () => (await read(far)).length === 40, "all events there");
      expect(await read(far)).toEqual(await read(service));
      const pushed = async () => {
        const response = await far.get("/api/query", { sql: "select count(*) as n from loki" });
        return ((await response.json()) as { result: { n: number }[] }).result[0]?.n;
      };
      await until(async () => (await pushed()) === 40, "all pushed");
      const exported = async () => {
        const sql =
          "select o.timestamp, o.event_message, a.project from otel as o cross join unnest(o.metadata) as m " +
          "cross join unnest(m.attributes) as a order by o.timestamp";
        return ((await (await far.get("/api/query", { sql })).json()) as { result?: readonly object[] }).result;
      };
      await until(async () => (await exported())?.length === 40, "all exported");
      const sent = await service.rows("logs.all", {
        project: "abc",
        sql: "select timestamp, event_message, 'abc' as project from edge_logs where id like 'far-%' order by timestamp",
      });
      expect(await exported()).toEqual(sent);
    } finally {
      await far.stop();
    }
  });

  it("are for owners only, and no answer, log or file reveals their secrets", async () => {
    for (const path of ["/api/backends", "/api/rules"]) {
      expect((await call(service, "GET", path, undefined, publicToken)).status).toBe(401);
      expect((await call(service, "POST", path, {}, publicToken)).status).toBe(401);
    }
    const hook = await startHook();
    const config = { url: hook.url, headers: { "X-Key": "s3cret-in-header" } };
    const made = await call(service, "POST", "/api/backends", {
      name: "quiet",
      type: "webhook",
      config,
      metadata: { type: "log-drain" },
    });
    const { id } = made.json as { readonly id: string };
    const listed = await call(service, "GET", "/api/backends?metadata[type]=log-drain");
    expect((listed.json as { name: string }[]).map(({ name }) => name)).toEqual(["quiet"]);
    const shown = await call(service, "PUT", `/api/backends/${id}`, { ...(made.json as object), name: "renamed" });
    expect(shown.status).toBe(200);
    await drainOf(id, "realtime");
    await service.ingest("realtime", [{ event_message: "x", metadata: { project: "abc" } }]);
    await until(() => hook.events.length === 1, "the event, with the secrets that were kept");
    expect(hook.headers[0]).toMatchObject({ "x-key": "s3cret-in-header" });
    const contents = await readStoredTexts(dataDir);
    for (const text of [made.text, listed.text, shown.text, service.output(), ...contents]) {
      expect(text.includes("s3cret-in-")).toBe(false);
    }
    await until(() => service.output().includes('"action":"backend.update"'), "the audit of the change");
    expect(service.output().includes("s3cret-in-")).toBe(false);
  });

  it("report the errors of a document by field", async () => {
    const backend = await call(service, "POST", "/api/backends", { type: "bigquery" });
    expect(backend.status).toBe(422);
    expect(Object.keys((backend.json as { error: { fields: object } }).error.fields)).toEqual([
      "type",
      "name",
      "config",
      "config.url",
    ]);
    const rule = await call(service, "POST", "/api/rules", {
      backend_id: "no",
      source_id: "edge",
      lql_string: "f:auth x",
    });
    expect(Object.keys((rule.json as { error: { fields: object } }).error.fields)).toEqual([
      "backend_id",
      "lql_string",
    ]);
    expect((await call(service, "GET", "/api/backends/no")).status).toBe(404);
  });

  it("test a backend with a request without events, within the limits of all requests", async () => {
    const hook = await startHook();
    const config = { url: hook.url };
    const made = await call(service, "POST", "/api/backends", { name: "tried", type: "webhook", config });
    const { id } = made.json as { readonly id: string };
    const test = async (token = privateToken) => {
      const { status, json } = await call(service, "POST", `/api/backends/${id}/test`, undefined, token);
      return [status, json];
    };
    expect(await test()).toEqual([200, { connected: true }]);
    expect([hook.requestCount, hook.events]).toEqual([1, []]);
    hook.answer = { status: 401 };
    expect(await test()).toEqual([200, { connected: false, reason: "the destination answered 401 Unauthorized" }]);
    hook.answer = { status: 422 };
    const reason = "the destination answered 422 Unprocessable Entity";
    expect(await test()).toEqual([200, { connected: true, reason }]);
    expect((await test(publicToken))[0]).toBe(401);
    expect(hook.requestCount).toBe(3);
    await hook.close();
    expect(await test()).toEqual([
      200,
      { connected: false, reason: "the destination cannot be reached: ECONNREFUSED" },
    ]);
    await until(() => service.output().includes('"action":"backend.test"'), "the audit of the test");
    expect((await call(service, "DELETE", `/api/backends/${id}`)).status).toBe(204);
    expect((await test())[0]).toBe(404);
  });

  it.each([
    "~(",
    "~a**b",
    "~[z-a]",
    '~"(?<=a)b"',
    "m.request.path:~(",
    "-m.request.path:~[",
    "m.tags:@>~(",
    'm.none.such:~"\\8"',
    "fine OR m.request.path:~a{2,1}",
  ])("do not save a rule whose pattern cannot be compiled: %s", async (lql) => {
    const config = { url: "http://127.0.0.1:9/" };
    const made = await call(service, "POST", "/api/backends", { name: "unsent", type: "webhook", config });
    const { id } = made.json as { readonly id: string };
    const document = { backend_id: id, source_id: "edge", lql_string: "fine" };
    const rule = (await call(service, "POST", "/api/rules", document)).json as { readonly id: string };
    for (const [method, path, body] of [
      ["POST", "/api/rules", { ...document, lql_string: lql }],
      ["PUT", `/api/rules/${rule.id}`, { ...document, lql_string: lql }],
      ["PATCH", `/api/rules/${rule.id}`, { lql_string: lql }],
    ] as const) {
      const answer = await call(service, method, path, body);
      expect([method, answer.status, Object.keys((answer.json as Refusal).error?.fields ?? {})]).toEqual([
        ...[method, 422],
        ["lql_string"],
      ]);
    }
    const { json } = await call(service, "GET", `/api/rules?backend_id=${id}`);
    expect(json).toMatchObject([{ id: rule.id, lql_string: "fine" }]);
    expect((await call(service, "DELETE", `/api/backends/${id}`)).status).toBe(204);
  });
});

async function drainOf(id: string, source: string): Promise<void> {
  const rule = await call(service, "POST", "/api/rules", { backend_id: id, source_id: source, lql_string: "" });
  expect(rule.status).toBe(201);
}
