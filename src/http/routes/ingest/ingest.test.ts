import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import { EngineError } from "../../../engines/contract/query-engine.ts";
import { sourceId } from "../../../sources/source.ts";

let test: TestApp;
const json = { "content-type": "application/json" };

beforeEach(async () => {
  test = await createTestApp({ sources: ["otel", "otel_traces", "otel_metrics"] });
});

const post = (url: string, payload: string | Buffer, headers: Record<string, string> = json, key = "ingest-token") =>
  test.app.inject({ method: "POST", url, payload, headers: { "x-api-key": key, ...headers } });

describe("ingest", () => {
  it.each(["/api/logs", "/logs", "/api/events"])("stores events in the named source on POST %s", async (path) => {
    const response = await post(`${path}?source_name=cdn.logs`, '[{"id":"1"},{"id":"2"}]');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ message: "Logged!", accepted: 2 });
    expect(test.engine.appended.map(({ source, events }) => [source, events.map(({ id }) => id)])).toEqual([
      ["edge", ["1", "2"]],
    ]);
  });

  it("takes the source from the parameter source or from X-Source too", async () => {
    expect((await post("/api/logs?source=edge", "{}")).statusCode).toBe(200);
    expect((await post("/api/logs", "{}", { ...json, "x-source": "db" })).statusCode).toBe(200);
    expect(test.engine.appended.map(({ source }) => source)).toEqual(["edge", "db"]);
  });

  it.each([
    ["the URL", "/api/logs?source_name=edge", {}, "{}"],
    ["the URL's collection_name", "/api/logs?collection_name=cdn.logs", {}, "{}"],
    ["the URL's collection", "/api/logs?collection=edge", {}, "{}"],
    ["an id in the URL", `/api/logs?source=${sourceId("edge")}`, {}, "{}"],
    ["X-Collection", "/api/logs", { "x-collection": "edge" }, "{}"],
    ["a batch", "/api/logs", {}, '{"batch":[{"a":1}],"source":"edge"}'],
    ["an event", "/api/logs", {}, '{"a":1,"source_name":"edge"}'],
    ["the URL before the body", "/api/logs?source=edge", {}, '{"source":"db"}'],
  ])("finds the source in %s", async (_, url, headers, body) => {
    expect((await post(url, body, { ...json, ...headers })).statusCode).toBe(200);
    expect(test.engine.appended.map(({ source }) => source)).toEqual(["edge"]);
  });

  it("does not let a token write to a source named in the body that it may not write to", async () => {
    const response = await post("/api/logs", '{"batch":[{}],"source":"db"}', json, "edge-token");
    expect(response.json()).toMatchObject({ error: { code: "insufficient_scope" } });
    const unknown = await post("/api/logs", '{"batch":[{}],"source":"nowhere"}', json, "edge-token");
    expect(unknown.statusCode).toBe(404);
    expect(test.engine.appended).toEqual([]);
  });

  it.each([
    { authorization: "Bearer ingest-token" },
    { authorization: "Splunk ingest-token" },
    { authorization: "ApiKey ingest-token" },
    { authorization: `ApiKey ${btoa("some-id:ingest-token")}` },
    { authorization: `Basic ${btoa("user:ingest-token")}` },
    { authorization: `Basic ${btoa("ingest-token:")}` },
    { "dd-api-key": "ingest-token" },
  ])("takes the token from %j", async (headers) => {
    const post = (more: object) =>
      test.app.inject({
        method: "POST",
        url: "/api/logs?source=edge",
        payload: "{}",
        headers: { ...headers, ...more },
      });
    expect((await post({})).statusCode).toBe(200);
    expect((await post({ "x-api-key": "wrong" })).statusCode).toBe(401);
  });

  it.each(["api_key", "token", "dd-api-key"])("takes the token from the parameter %s", async (name) => {
    const url = `/api/logs?source=edge&${name}=ingest-token`;
    expect((await test.app.inject({ method: "POST", url, payload: "{}" })).statusCode).toBe(200);
  });

  it("reads a body whose content type was sent twice", async () => {
    const twice = { "content-type": "application/json, application/json" };
    expect((await post("/api/logs?source=edge", "{}", twice)).statusCode).toBe(200);
  });

  it("reports how many timestamps it could not read", async () => {
    const response = await post("/api/logs?source=edge", '[{"timestamp":"soon"},{}]');
    expect(response.json()).toEqual({ message: "Logged!", accepted: 2, untimed: 1 });
  });

  it("reads bodies without a content type, and compressed bodies", async () => {
    expect((await post("/api/logs?source=edge", "{}", {})).statusCode).toBe(200);
    expect(
      (await post("/api/logs?source=edge", gzipSync("[{},{}]"), { ...json, "content-encoding": "gzip" })).json(),
    ).toEqual({
      message: "Logged!",
      accepted: 2,
    });
  });

  it("reports rejected events by index and stores the others", async () => {
    const response = await post("/api/logs?source_name=edge", '[{"id":"1"},7,{"id":"2"}]');
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({
      message: "1 of 3 events were not stored",
      accepted: 2,
      rejected: [{ index: 1, reason: expect.stringContaining("not a JSON object") }],
    });
    expect(test.engine.appended[0]?.events).toHaveLength(2);
  });

  it("acknowledges events only once the store has them", async () => {
    test.engine.onAppend = async () => Promise.reject(new EngineError("unavailable", "gone", { retryAfterSeconds: 3 }));
    const response = await post("/api/logs?source_name=edge", "[{}]");
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("3");
  });

  it.each([
    ["disk_full", 507],
    ["overloaded", 429],
  ] as const)("answers %s with %i", async (code, status) => {
    test.engine.onAppend = async () => Promise.reject(new EngineError(code, "x"));
    expect((await post("/api/logs?source_name=edge", "[{}]")).json()).toMatchObject({ error: { code, status } });
  });

  it.each([
    ["memory_exceeded", "overloaded", 429, "The engine is short of memory for new events"],
    ["refused", "engine_unavailable", 503, "The engine is not available right now"],
  ] as const)("asks for events again that the engine did not store by %s", async (code, shown, status, message) => {
    test.engine.onAppend = async () => Promise.reject(new EngineError(code, "x", { limit: "maxMemoryBytes" }));
    const response = await post("/api/logs?source_name=edge", "[{}]");
    expect([response.statusCode, response.json().error]).toEqual([
      status,
      expect.objectContaining({ code: shown, message }),
    ]);
    expect(response.headers["retry-after"]).toBe("2");
  });

  it.each([
    ["an unknown source", "/api/logs?source_name=nowhere", "{}", "ingest-token", 404, "unknown_source"],
    ["another case of its name", "/api/logs?source_name=EDGE", "{}", "ingest-token", 404, "unknown_source"],
    ["no source", "/api/logs", "{}", "ingest-token", 400, "missing_parameter"],
    ["a wrong token", "/api/logs?source_name=edge", "{}", "nonsense", 401, "unauthorized"],
    ["a token for queries", "/api/logs?source_name=edge", "{}", "query-token", 401, "insufficient_scope"],
    ["a token for another source", "/api/logs?source_name=db", "{}", "edge-token", 401, "insufficient_scope"],
    ["broken JSON", "/api/logs?source_name=edge", "{", "ingest-token", 400, "invalid_body"],
    [
      "too large a body",
      "/api/logs?source_name=edge",
      `["${"x".repeat(100_000)}"]`,
      "ingest-token",
      413,
      "body_too_large",
    ],
  ])("refuses %s", async (_name, url, body, token, status, code) => {
    const response = await post(url, body, json, token);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error: { code, status } });
    expect(test.engine.appended).toEqual([]);
  });

  it("lets a client finish sending an oversized body before it refuses it", async () => {
    const address = await test.app.listen({ port: 0, host: "127.0.0.1" });
    const headers = { "x-api-key": "ingest-token", "content-type": "application/json" };
    for (const size of [100_001, 700_000]) {
      const response = await fetch(`${address}/api/logs?source=edge`, {
        method: "POST",
        headers,
        body: "x".repeat(size),
      });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { code: "body_too_large" } });
    }
    await test.app.close();
  });

  it("refuses a body that is too large only after decompression", async () => {
    const bomb = gzipSync(`["${"x".repeat(1_000_000)}"]`);
    const response = await post("/api/logs?source_name=edge", bomb, { ...json, "content-encoding": "gzip" });
    expect(response.json()).toMatchObject({ error: { code: "body_too_large", status: 413 } });
  });

  it("refuses unknown media types and encodings", async () => {
    expect((await post("/api/logs?source_name=edge", "x", { "content-type": "image/png" })).statusCode).toBe(415);
    expect((await post("/api/logs?source_name=edge", "x", { ...json, "content-encoding": "lzma" })).statusCode).toBe(
      415,
    );
  });

  it("lets a token for one source write to it under any of its names", async () => {
    expect((await post("/api/logs?source_name=cdn.logs", "{}", json, "edge-token")).statusCode).toBe(200);
  });
});

describe("OTLP", () => {
  const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "hi" } }] }] }] });

  it("stores log records in otel unless another source is named, and answers in the request's format", async () => {
    const response = await post("/v1/logs", logs);
    expect([response.statusCode, response.json()]).toEqual([200, {}]);
    await post("/v1/logs", gzipSync(logs), { ...json, "content-encoding": "gzip", "x-source": "edge" });
    const inBytes = await post("/v1/logs", Buffer.from([]), { "content-type": "application/x-protobuf" });
    expect([inBytes.statusCode, inBytes.headers["content-type"], inBytes.rawPayload]).toEqual([
      200,
      "application/x-protobuf",
      Buffer.from([]),
    ]);
    expect(
      test.engine.appended.map(({ source, events }) => [source, events.map((event) => event.eventMessage)]),
    ).toEqual([
      ["otel", ["hi"]],
      ["edge", ["hi"]],
      ["otel", []],
    ]);
  });

  it("answers errors as a Status message", async () => {
    const wrong = await post("/v1/logs", logs, json, "wrong");
    expect([wrong.statusCode, wrong.json()]).toEqual([401, { code: 16, message: "The access token is not valid" }]);
    const broken = await post("/v1/logs", "\xff\xff", { "content-type": "application/x-protobuf" });
    expect([broken.statusCode, broken.headers["content-type"]]).toEqual([400, "application/x-protobuf"]);
    test.engine.onAppend = async () => Promise.reject(new EngineError("disk_full", "x"));
    expect((await post("/v1/logs", logs)).statusCode).toBe(503);
  });
});
