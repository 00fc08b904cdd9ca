import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp();
});

async function read(key = "metrics-token"): Promise<{ readonly status: number; readonly body: string }> {
  const { statusCode, body } = await test.app.inject({ url: "/metrics", headers: { "x-api-key": key } });
  return { status: statusCode, body };
}

describe("metrics", () => {
  it("are for tokens of the scope metrics or private", async () => {
    const keys = ["metrics-token", "private-token", "query-token", "ingest-token", "nonsense"];
    expect(await Promise.all(keys.map(async (key) => (await read(key)).status))).toEqual([200, 200, 401, 401, 401]);
    expect((await test.app.inject("/metrics")).statusCode).toBe(401);
  });

  it("are for everybody where the setting says so", async () => {
    const open = await createTestApp({ isMetricsOpen: true });
    const { statusCode, body } = await open.app.inject("/metrics");
    expect(statusCode).toBe(200);
    expect(body).toContain("logweir_queries_running 0");
  });

  it("count calls, lookups in the cache and events", async () => {
    const url = "/api/endpoints/query/cached";
    const call = () => test.app.inject({ url, headers: { "x-api-key": "query-token" } });
    await call();
    await call();
    const payload = '[{"event_message":"a"},{"event_message":"b"},1]';
    await test.app.inject({
      method: "POST",
      url: "/api/logs?source=cdn.logs",
      payload,
      headers: { "x-api-key": "ingest-token", "content-type": "application/json" },
    });
    const { body } = await read();
    expect(body).toContain('logweir_requests_total{endpoint="cached",status="200"} 2');
    expect(body).toContain('logweir_cache_lookups_total{result="hit"} 1');
    expect(body).toContain('logweir_cache_lookups_total{result="miss"} 1');
    expect(body).toContain('logweir_request_duration_seconds_count{endpoint="cached",cache="hit"} 1');
    expect(body).toContain('logweir_ingest_events_total{source="edge",outcome="stored"} 2');
    expect(body).toContain('logweir_ingest_events_total{source="edge",outcome="rejected"} 1');
    expect(body).toContain("logweir_queries_running 0");
    expect(body).toContain("logweir_cache_entries 1");
    expect(body).toMatch(/logweir_source_newest_event_timestamp_seconds\{source="edge"\} \d/);
  });

  it("show no name, value, token or project that a caller made up", async () => {
    for (const url of ["/api/endpoints/query/made-up", "/made-up", "/api/endpoints/query/open?project=made-up"]) {
      await test.app.inject({ url, headers: { "x-api-key": "query-token" } });
    }
    const { body } = await read();
    expect(body).not.toContain("made-up");
    expect(body).not.toContain("query-token");
    expect(body).toContain('logweir_requests_total{endpoint="",status="404"} 2');
  });
});
