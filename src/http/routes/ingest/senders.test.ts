import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import { EngineError } from "../../../engines/contract/query-engine.ts";
import { protocols } from "../../../ingest/protocols/index.ts";

const sources = "otel otel_traces otel_metrics loki elastic splunk datadog syslog journald webhooks".split(" ");
let test: TestApp;

beforeEach(async () => {
  test = await createTestApp({ sources });
});

const json = { "content-type": "application/json" };

function post(
  url: string,
  payload: string,
  headers: Record<string, string> = { ...json, "x-api-key": "ingest-token" },
) {
  return test.app.inject({ method: "POST", url, payload, headers });
}

const forms = [
  "json",
  "vector",
  "typecasts",
  "vercel",
  "zeit",
  "netlify",
  "browser/reports",
  "cloudflare",
  "github",
] as const;

describe("the routes of senders", () => {
  const routes: readonly (readonly [url: string, body: string, source: string, status: number])[] = [
    ["/v1/logs", "{}", "otel", 200],
    ["/v1/traces", "{}", "otel_traces", 200],
    ["/v1/metrics", "{}", "otel_metrics", 200],
    ["/loki/api/v1/push", '{"streams":[]}', "loki", 204],
    ["/_bulk", '{"index":{}}\n{"a":1}\n', "elastic", 200],
    ["/web/_bulk", '{"index":{}}\n{"a":1}\n', "elastic", 200],
    ["/services/collector", '{"event":"a"}', "splunk", 200],
    ["/services/collector/event/1.0", '{"event":"a"}', "splunk", 200],
    ["/services/collector/raw?source=web.log", "a line", "splunk", 200],
    ["/api/v2/logs", '[{"message":"a"}]', "datadog", 202],
    ["/v1/input", "{}", "datadog", 202],
    ["/upload", "MESSAGE=a\n", "journald", 200],
    ["/api/logs/syslogs", "<13>app: a", "syslog", 200],
    ["/logs/logplex", "8 <13>a: b", "syslog", 200],
    ["/api/logs/cloud-event", '{"id":"1","type":"t","source":"s"}', "webhooks", 200],
    ["/webhooks/cloudflare/v1", "{}", "webhooks", 200],
    ...["/api/logs", "/logs", "/api/events"].flatMap((base) =>
      forms.map((form) => [`${base}/${form}`, "{}", "webhooks", 200] as const),
    ),
  ];

  it.each(routes)("store events on POST %s of %j in %s", async (url, body, source, status) => {
    const response = await post(url, body);
    expect([response.statusCode, response.body.length < 300 && response.body]).toMatchObject([
      status,
      expect.anything(),
    ]);
    expect(test.engine.appended.map((each) => each.source)).toEqual([source]);
    await post(url, body, { ...json, "x-api-key": "ingest-token", "x-source": "edge" });
    expect(test.engine.appended.at(-1)?.source).toBe("edge");
  });

  it.each(["/elixir/logger", "/erlang", "/erlang/logger", "/erlang/lager"])(
    "read the source from the body of POST /logs%s",
    async (path) => {
      const batch = { batch: [{ message: "a", metadata: { level: "info" } }], source: "db" };
      expect((await post(`/logs${path}`, JSON.stringify(batch))).statusCode).toBe(200);
      expect(test.engine.appended.map((each) => each.source)).toEqual(["db"]);
      const bert = await post(`/logs${path}?source=db`, "x", {
        "content-type": "application/bert",
        "x-api-key": "ingest-token",
      });
      expect([bert.statusCode, bert.json().error.message]).toEqual([
        415,
        expect.stringContaining("set the sender to JSON"),
      ]);
    },
  );

  it("accept PUT for _bulk, as some clients send it", async () => {
    const headers = { authorization: "ApiKey ingest-token", "content-type": "application/x-ndjson" };
    const response = await test.app.inject({
      method: "PUT",
      url: "/_bulk",
      payload: '{"create":{"_id":"a"}}\n{}\n',
      headers,
    });
    expect(response.headers["x-elastic-product"]).toBe("Elasticsearch");
    expect(response.json()).toMatchObject({ errors: false, items: [{ create: { _id: "a", status: 201 } }] });
  });

  it("accept a token in Datadog's path", async () => {
    expect((await post("/v1/input/ingest-token", "[{}]", json)).statusCode).toBe(202);
    expect((await post("/v1/input/wrong", "[{}]", json)).statusCode).toBe(403);
  });
});

describe("senders", () => {
  it.each([
    ["/v1/logs", 401, { code: 16 }],
    ["/_bulk", 401, { error: { type: "security_exception" }, status: 401 }],
    ["/services/collector", 403, { text: "Invalid token", code: 4 }],
    ["/api/v2/logs", 403, { errors: [{ status: "403" }] }],
    ["/api/logs/json", 401, { error: { code: "unauthorized" } }],
  ])("are refused in their own protocol at %s", async (url, status, body) => {
    const response = await post(url, "{}", { ...json, "x-api-key": "wrong" });
    expect([response.statusCode, response.json()]).toMatchObject([status, body]);
  });

  it("without a token are refused in the format of Splunk's collector", async () => {
    const response = await post("/services/collector", "{}", json);
    expect([response.statusCode, response.json()]).toEqual([401, { text: "Token is required", code: 2 }]);
  });

  it("are refused in plain text where Loki would", async () => {
    const response = await post("/loki/api/v1/push", "{", undefined);
    expect([response.statusCode, response.headers["content-type"]]).toEqual([400, "text/plain; charset=utf-8"]);
  });

  it.each(["/v1/logs", "/loki/api/v1/push", "/_bulk", "/services/collector", "/api/v2/logs"])(
    "get a retryable code at %s when the store cannot take events",
    async (url) => {
      const body =
        url === "/loki/api/v1/push" ? '{"streams":[]}' : url === "/_bulk" ? '{"index":{}}\n{}' : '{"event":"x"}';
      for (const code of ["unavailable", "disk_full", "overloaded", "memory_exceeded", "refused"] as const) {
        test.engine.onAppend = async () => Promise.reject(new EngineError(code, "x", { retryAfterSeconds: 3 }));
        const { statusCode, headers } = await post(url, body);
        expect([429, 503]).toContain(statusCode);
        expect(headers["retry-after"]).toBe("3");
      }
    },
  );
});

describe("handshakes", () => {
  it("identify the service to clients of Elasticsearch", async () => {
    const root = await test.app.inject({ url: "/" });
    expect(root.headers["x-elastic-product"]).toBe("Elasticsearch");
    expect(root.json()).toMatchObject({
      version: { number: expect.stringMatching(/^8\./) },
      tagline: "You Know, for Search",
    });
    expect((await test.app.inject({ url: "/_license" })).json()).toMatchObject({ license: { status: "active" } });
  });

  it("report a healthy collector to Splunk's senders, and whether the key is valid to Datadog's", async () => {
    expect((await test.app.inject({ url: "/services/collector/health" })).json()).toEqual({
      text: "HEC is healthy",
      code: 17,
    });
    const validate = (key: string) => test.app.inject({ url: "/api/v1/validate", headers: { "dd-api-key": key } });
    expect((await validate("ingest-token")).json()).toEqual({ valid: true });
    expect((await validate("wrong")).statusCode).toBe(401);
  });
});

it("every protocol has a unique name", () => {
  expect(new Set([...protocols.values()].map(({ name }) => name)).size).toBe(protocols.size);
});
