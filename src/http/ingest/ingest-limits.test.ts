import { afterEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import { EngineError } from "../../engines/contract/query-engine.ts";

const sources = "otel loki elastic splunk datadog syslog journald webhooks".split(" ");
const json = { "content-type": "application/json" };
const clock = { ms: 0 };
let test: TestApp;

afterEach(async () => test.app.close());

async function open(tenantRates: { events?: number; bytes?: number }, tenantField = "project") {
  clock.ms = 0;
  const limits = { quotas: { tenantRates, nowMs: () => clock.ms } };
  test = await createTestApp({ sources, ...limits, ...(tenantField === "" ? {} : { tenantField }) });
}

function send(url: string, body: unknown, key = "ingest-token", headers: Record<string, string> = json) {
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  return test.app.inject({ method: "POST", url, payload, headers: { "x-api-key": key, ...headers } });
}

const logs = "/api/logs?source_name=edge";
const of = (...projects: string[]) => projects.map((project) => ({ project, event_message: "m" }));
const storedCount = () => test.engine.appended.reduce((sum, { events }) => sum + events.length, 0);

describe("a tenant's limit", () => {
  it("accepts events up to the limit, then refuses them until the announced time", async () => {
    await open({ events: 3 });
    expect((await send(logs, of("a", "a", "a"))).statusCode).toBe(200);
    const refused = await send(logs, of("a"));
    expect([refused.statusCode, refused.headers["retry-after"], refused.json()]).toEqual([
      429,
      "20",
      {
        error: {
          code: "tenant_limit",
          status: 429,
          message: "The tenant a of the source edge: too many events, 3 a minute are allowed",
          limit: "max_tenant_events_per_minute",
          hint: expect.stringContaining("Nothing of the body was stored"),
        },
      },
    ]);
    clock.ms = 20_000;
    expect((await send(logs, of("a"))).statusCode).toBe(200);
    expect(storedCount()).toBe(4);
  });

  it("does not affect other tenants or other sources", async () => {
    await open({ events: 1 });
    expect((await send(logs, of("a"))).statusCode).toBe(200);
    expect((await send(logs, of("a"))).statusCode).toBe(429);
    expect((await send(logs, of("b"))).statusCode).toBe(200);
    expect((await send("/api/logs?source_name=db", of("a"))).statusCode).toBe(200);
  });

  it("refuses a body of several tenants as a whole, stores nothing, and names the tenant over its limit", async () => {
    await open({ events: 2 });
    const refused = await send(logs, of("a", "b", "b", "b"));
    expect(refused.json().error).toMatchObject({
      code: "tenant_limit",
      message: "The tenant b of the source edge: the body holds 3 events, and 2 a minute are allowed",
      hint: "Nothing of it was stored. Send its events in smaller bodies.",
    });
    expect(storedCount()).toBe(0);
    expect((await send(logs, of("a", "a", "b", "b"))).statusCode).toBe(200);
  });

  it("bounds bytes too", async () => {
    await open({ bytes: 100 });
    expect((await send(logs, [{ project: "a", text: "x".repeat(60) }])).statusCode).toBe(200);
    const refused = await send(logs, [{ project: "a", text: "x".repeat(60) }]);
    expect(refused.json().error).toMatchObject({ code: "tenant_limit", limit: "max_tenant_bytes_per_minute" });
    expect((await send(logs, [{ project: "b", text: "x".repeat(60) }])).statusCode).toBe(200);
  });

  it("does not apply to events without a tenant or to a source without tenants", async () => {
    await open({ events: 1 });
    expect((await send(logs, [{ a: 1 }, { project: { a: 1 } }, ...of("a")])).statusCode).toBe(200);
    expect((await send(logs, [{ b: 1 }])).statusCode).toBe(200);
    expect((await send(logs, of("a"))).statusCode).toBe(429);
    await test.app.close();
    await open({ events: 1 }, "");
    expect((await send(logs, of("a", "a"))).statusCode).toBe(200);
  });

  it("is not consumed by events that were not stored", async () => {
    await open({ events: 1 });
    test.engine.onAppend = async () => Promise.reject(new EngineError("disk_full", "full"));
    expect((await send(logs, of("a"))).statusCode).toBe(507);
    expect((await send(logs, '[{"project":"a"')).statusCode).toBe(400);
    test.engine.onAppend = async () => undefined;
    expect((await send(logs, of("a"))).statusCode).toBe(200);
  });

  it("distinguishes tenants whatever their names and however long they are", async () => {
    await open({ events: 1 });
    const long = "x".repeat(5_000);
    const names = ["a", "=a", " a", `${long}1`, `${long}2`, "a ", "A"];
    for (const name of names) expect((await send(logs, of(name))).statusCode).toBe(200);
    for (const name of names) expect((await send(logs, of(name))).statusCode).toBe(429);
  });
});

describe("a token's limit", () => {
  it("bounds its events over all sources and tenants, without affecting other tokens", async () => {
    await open({});
    expect((await send(logs, of("a", "b"), "bound-token")).statusCode).toBe(200);
    const beyond = await send("/api/logs?source_name=db", of("a", "b"), "bound-token");
    expect([beyond.statusCode, beyond.headers["retry-after"], beyond.json().error]).toMatchObject([
      429,
      "20",
      {
        code: "rate_limited",
        message: "This token: too many events, 3 a minute are allowed",
        limit: "max_ingest_events_per_minute",
      },
    ]);
    expect((await send("/api/logs?source_name=db", of("a"), "bound-token")).statusCode).toBe(200);
    expect((await send(logs, of("a", "b", "c", "d"))).statusCode).toBe(200);
    expect(storedCount()).toBe(7);
  });

  it("bounds its bytes", async () => {
    await open({});
    expect((await send(logs, { text: "x".repeat(900) }, "bound-token")).statusCode).toBe(200);
    const beyond = await send(logs, { text: "x".repeat(900) }, "bound-token");
    expect(beyond.json().error).toMatchObject({ code: "rate_limited", limit: "max_ingest_bytes_per_minute" });
  });

  it("refuses a token that has exhausted it before the body is read", async () => {
    await open({});
    expect((await send(logs, of("a", "b", "c"), "bound-token")).statusCode).toBe(200);
    expect((await send(logs, "not JSON", "bound-token")).json().error.code).toBe("rate_limited");
  });
});

describe("a sender over a limit gets a retryable error in its own protocol", () => {
  const otlp = (project: string) => ({
    resourceLogs: [
      {
        resource: { attributes: [{ key: "project", value: { stringValue: project } }] },
        scopeLogs: [{ logRecords: [{ body: { stringValue: "a" } }, { body: { stringValue: "b" } }] }],
      },
    ],
  });
  const streams = [{ stream: { project: "a" }, values: ["1", "2"].map((at) => [`179000000000000000${at}`, "x"]) }];
  const bulk = '{"create":{}}\n{"project":"a"}\n{"create":{}}\n{"project":"a"}\n';
  const hec = '{"event":"a","fields":{"project":"a"}}{"event":"b","fields":{"project":"a"}}';
  const lines = "<13>app: a\n<13>app: b\n";
  const said = expect.stringContaining("2 events");
  const datadog = [
    { message: "a", ddtags: "project:a" },
    { message: "b", project: "a" },
  ];
  const cases: readonly (readonly [name: string, url: string, body: unknown, status: number, answer: unknown])[] = [
    ["OTLP", "/v1/logs", otlp("a"), 429, { code: 8, message: said }],
    ["Loki", "/loki/api/v1/push", { streams }, 429, said],
    ["Elasticsearch", "/_bulk", bulk, 429, { error: { reason: said }, status: 429 }],
    ["Splunk", "/services/collector", hec, 503, { code: 9, text: said }],
    ["Datadog", "/api/v2/logs", datadog, 429, { errors: [{ title: "tenant_limit", detail: said }] }],
    ["webhooks", "/api/logs/json", of("a", "a"), 429, { error: { code: "tenant_limit", message: said } }],
  ];
  const byApp: typeof cases = [
    ["syslog over HTTP", "/api/logs/syslogs", lines, 429, { error: { code: "tenant_limit" } }],
    ["logplex", "/api/logs/logplex", "11 <13>app: a\n11 <13>app: b\n", 429, { error: { code: "tenant_limit" } }],
  ];

  it.each([...cases, ...byApp])("%s", async (name, url, body, status, answer) => {
    await open({ events: 1 }, byApp.some(([each]) => each === name) ? "metadata.app" : "project");
    const response = await send(url, body);
    const isJson = String(response.headers["content-type"]).includes("json");
    expect([response.statusCode, isJson ? response.json() : response.body]).toMatchObject([status, answer]);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    expect(storedCount()).toBe(0);
  });

  it.each([
    [
      "Splunk in lines",
      "/services/collector/raw",
      "a\nb\nc\nd",
      503,
      { code: 9, text: expect.stringMatching(/4 events/) },
    ],
    ["journald", "/upload", "MESSAGE=a\n\n".repeat(4), 429, { error: { code: "rate_limited" } }],
    ["browsers", "/api/logs/browser/reports", [{}, {}, {}, {}], 429, { error: { code: "rate_limited" } }],
  ])("%s, for a token", async (_name, url, body, status, answer) => {
    await open({});
    const response = await send(url, body, "bound-token");
    expect([response.statusCode, response.json()]).toMatchObject([status, answer]);
    expect(storedCount()).toBe(0);
  });
});
