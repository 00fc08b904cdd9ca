import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import type { AlertFigures } from "../../alerts/alert-counts.ts";
import type { Alerts } from "../../alerts/alerts.ts";
import type { Drains, RuleStatus } from "../../drains/drains.ts";

let test: TestApp;

const times = { createdAtMs: 0, updatedAtMs: 0 };
const status: RuleStatus = {
  backend: {
    id: "b1",
    name: "hook",
    description: "",
    type: "webhook",
    config: { url: "https://a.example/", headers: {}, gzip: false },
    metadata: {},
    ...times,
  },
  rule: { id: "r1", backendId: "b1", source: "edge", lql: "", createdAtMs: 0 },
  delivered: 13,
  refused: 2,
  dropped: 3,
  removed: 5,
  excluded: 7,
  looped: 11,
  failures: 17,
  waiting: 19,
  lastError: undefined,
  lastDeliveredAtMs: undefined,
};

function drainsWith(rules: readonly RuleStatus[]): Drains {
  const drains: Partial<Drains> = { backends: [], rules: [], status: () => rules, waitingBytes: 23 };
  return drains as Drains;
}

beforeEach(async () => {
  test = await createTestApp();
});

async function read(key = "metrics-token"): Promise<{ readonly status: number; readonly body: string }> {
  const { statusCode, body } = await test.app.inject({ url: "/metrics", headers: { "x-api-key": key } });
  return { status: statusCode, body };
}

describe("GET /metrics", () => {
  it("is for tokens of the scope metrics or private", async () => {
    const keys = ["metrics-token", "private-token", "query-token", "ingest-token", "nonsense"];
    expect(await Promise.all(keys.map(async (key) => (await read(key)).status))).toEqual([200, 200, 401, 401, 401]);
    expect((await test.app.inject("/metrics")).statusCode).toBe(401);
  });

  it("counts deleted events by source and reason", async () => {
    const deletedCounts = [{ source: "edge", reason: "size", count: 3 }] as const;
    const deletion = { count: async () => 0, delete: async () => ({ matched: 0, deleted: 0 }) };
    const forgetting = { ...deletion, deletedCounts, onRequest: () => undefined };
    test = await createTestApp({ parts: { forgetting } });
    expect((await read()).body).toContain('logweir_deleted_events_total{source="edge",reason="size"} 3');
  });

  it("gives the store's size as it was last known, where a deletion or a failure hides it", async () => {
    const sizes: (number | undefined | Error)[] = [undefined, 7, undefined, new Error("away"), 5];
    const space = async () => {
      const usedBytes = sizes.shift();
      if (usedBytes instanceof Error) throw usedBytes;
      return usedBytes === undefined ? undefined : { usedBytes, freeBytes: undefined };
    };
    test = await createTestApp({ space });
    const shown: (string | undefined)[] = [];
    while (sizes.length > 0) shown.push(/^logweir_store_used_bytes (\d+)$/m.exec((await read()).body)?.[1]);
    expect(shown).toEqual(["0", "7", "7", "7", "5"]);
  });

  it("needs no token when the setting opens it", async () => {
    const open = await createTestApp({ isMetricsOpen: true });
    const { statusCode, body } = await open.app.inject("/metrics");
    expect(statusCode).toBe(200);
    expect(body).toContain("logweir_queries_running 0");
  });

  it("counts calls, cache lookups and events", async () => {
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

  it("counts losses of the audit, syslog and drains, and what drains still have to deliver", async () => {
    const { app } = await createTestApp({
      auditDropped: 7,
      parts: { syslogCounts: () => ({ stored: 11, dropped: 5 }), drains: drainsWith([status]) },
    });
    const { body } = await app.inject({ url: "/metrics", headers: { "x-api-key": "metrics-token" } });
    for (const line of [
      "logweir_audit_dropped_total 7",
      'logweir_syslog_messages_total{outcome="stored"} 11',
      'logweir_syslog_messages_total{outcome="dropped"} 5',
      'logweir_drain_events_total{backend="hook",source="edge",outcome="delivered"} 13',
      'logweir_drain_events_total{backend="hook",source="edge",outcome="refused"} 2',
      'logweir_drain_events_total{backend="hook",source="edge",outcome="dropped"} 3',
      'logweir_drain_failures_total{backend="hook",source="edge"} 17',
      'logweir_drain_waiting_events{backend="hook",source="edge"} 19',
      "logweir_drain_waiting_bytes 23",
    ]) {
      expect(body.split("\n")).toContain(line);
    }
  });

  it("adds up rules of one source that send to backends of one name", async () => {
    const rules = [status, { ...status, delivered: 100 }, { ...status, rule: { ...status.rule, source: "auth" } }];
    const { app } = await createTestApp({ parts: { drains: drainsWith(rules) } });
    const { body } = await app.inject({ url: "/metrics", headers: { "x-api-key": "metrics-token" } });
    expect(body.split("\n").filter((line) => /^logweir.*(delivered|waiting_events\{)/.test(line))).toEqual([
      'logweir_drain_events_total{backend="hook",source="edge",outcome="delivered"} 113',
      'logweir_drain_events_total{backend="hook",source="auth",outcome="delivered"} 13',
      'logweir_drain_waiting_events{backend="hook",source="edge"} 38',
      'logweir_drain_waiting_events{backend="hook",source="auth"} 19',
    ]);
  });

  it("counts runs, notices and alerts", async () => {
    const figures = (): AlertFigures => ({
      runs: { met: 2, quiet: 3, failed: 5 },
      runSeconds: 1.5,
      notices: { delivered: 7, refused: 11, dropped: 13 },
      failures: 17,
      waiting: 19,
      lateSeconds: 2.5,
      alerts: { ok: 23, pending: 29, firing: 31, resolved: 37, failing: 41, off: 43 },
    });
    const { app } = await createTestApp({ parts: { alerts: { figures } as Alerts } });
    const lines = async () => {
      const { body } = await app.inject({ url: "/metrics", headers: { "x-api-key": "metrics-token" } });
      return body.split("\n").filter((line) => line.startsWith("logweir_alert"));
    };
    const expected = [
      ...['runs_total{outcome="met"} 2', 'runs_total{outcome="quiet"} 3', 'runs_total{outcome="failed"} 5'],
      "run_seconds_total 1.5",
      ...['notices_total{outcome="delivered"} 7', 'notices_total{outcome="refused"} 11'],
      ...['notices_total{outcome="dropped"} 13', "failures_total 17", "waiting_notices 19"],
      "late_seconds 2.5",
    ].map((line) => `logweir_alert_${line}`);
    const statuses = Object.entries(figures().alerts).map(([status, n]) => `logweir_alerts{status="${status}"} ${n}`);
    expect(await lines()).toEqual([...expected, ...statuses]);
    expect(await lines()).toEqual([...expected, ...statuses]);
  });

  it("contains no name, value, token or project that a caller made up", async () => {
    for (const url of ["/api/endpoints/query/made-up", "/made-up", "/api/endpoints/query/open?project=made-up"]) {
      await test.app.inject({ url, headers: { "x-api-key": "query-token" } });
    }
    const { body } = await read();
    expect(body).not.toContain("made-up");
    expect(body).not.toContain("query-token");
    expect(body).toContain('logweir_requests_total{endpoint="",status="404"} 2');
  });
});
