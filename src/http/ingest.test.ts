import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import { EngineError } from "../engines/engine.ts";

let test: TestApp;
const json = { "content-type": "application/json" };

beforeEach(async () => {
  test = await createTestApp();
});

const post = (url: string, payload: string | Buffer, headers: Record<string, string> = json, key = "ingest-token") =>
  test.app.inject({ method: "POST", url, payload, headers: { "x-api-key": key, ...headers } });

describe("ingest", () => {
  it.each(["/api/logs", "/logs", "/api/events"])("POST %s stores events in the source that is named", async (path) => {
    const response = await post(`${path}?source_name=cdn.logs`, '[{"id":"1"},{"id":"2"}]');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ message: "Logged!", accepted: 2 });
    expect(test.engine.appended.map(({ source, events }) => [source, events.map(({ id }) => id)])).toEqual([
      ["edge", ["1", "2"]],
    ]);
  });

  it("takes the source from source or X-Source too", async () => {
    expect((await post("/api/logs?source=edge", "{}")).statusCode).toBe(200);
    expect((await post("/api/logs", "{}", { ...json, "x-source": "db" })).statusCode).toBe(200);
    expect(test.engine.appended.map(({ source }) => source)).toEqual(["edge", "db"]);
  });

  it("reads bodies without a content type, and compressed ones", async () => {
    expect((await post("/api/logs?source=edge", "{}", {})).statusCode).toBe(200);
    expect(
      (await post("/api/logs?source=edge", gzipSync("[{},{}]"), { ...json, "content-encoding": "gzip" })).json(),
    ).toEqual({
      message: "Logged!",
      accepted: 2,
    });
  });

  it("names rejected events and stores the others", async () => {
    const response = await post("/api/logs?source_name=edge", '[{"id":"1"},7,{"id":"2"}]');
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({
      message: "1 of 3 events were not stored",
      accepted: 2,
      rejected: [{ index: 1, reason: expect.stringContaining("not a JSON object") }],
    });
    expect(test.engine.appended[0]?.events).toHaveLength(2);
  });

  it("acknowledges only once the store has the events", async () => {
    test.engine.onAppend = async () => Promise.reject(new EngineError("unavailable", "gone", { retryAfterSeconds: 3 }));
    const response = await post("/api/logs?source_name=edge", "[{}]");
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("3");
  });

  it.each([
    ["disk_full", 507],
    ["overloaded", 429],
  ] as const)("answers %s as %i", async (code, status) => {
    test.engine.onAppend = async () => Promise.reject(new EngineError(code, "x"));
    expect((await post("/api/logs?source_name=edge", "[{}]")).json()).toMatchObject({ error: { code, status } });
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

  it("lets a client send too large a body to its end before it refuses it", async () => {
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

  it("refuses a body that is too large only once unpacked", async () => {
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

  it("lets a token for one source write there, by any of its names", async () => {
    expect((await post("/api/logs?source_name=cdn.logs", "{}", json, "edge-token")).statusCode).toBe(200);
  });
});
