import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runningQuery } from "../../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import type { AuditRun } from "../../../audit/audit-event.ts";
import { EngineError } from "../../../engines/contract/query-engine.ts";
import { ServiceError } from "../../../shared/errors.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp();
});

afterEach(async () => {
  await test.app.close();
});

/** Sends a call and waits until it is recorded. */
async function call(url: string, key: string, headers: Record<string, string> = {}): Promise<void> {
  const before = test.audited.length;
  await test.app.inject({ url, headers: { "x-api-key": key, ...headers } });
  await expect.poll(() => test.audited.length).toBe(before + 1);
}

const path = "/api/endpoints/query";
const runs = () => test.audited as AuditRun[];

describe("a run of an endpoint", () => {
  it("is recorded with its actor, endpoint, version, parameters, redaction and outcome", async () => {
    test.engine.onRun = async () => runningQuery([[{ a: 1 }], [{ a: 2 }]]);
    await call(`${path}/open?project=abc&nonsense=1`, "query-token", { "lf-endpoint-redact-pii": "true" });
    expect(test.audited).toMatchObject([
      {
        action: "endpoint.run",
        actor: "q",
        endpoint: { id: "00000000-0000-4000-8000-00000000000a", name: "open" },
        version: 1,
        redactsPii: true,
        cache: "none",
        status: 200,
        rows: 2,
      },
    ]);
    expect(runs()[0]?.parameters.get("project")).toBe("abc");
    expect(runs()[0]).not.toHaveProperty("error");
    expect(runs()[0]).not.toHaveProperty("callKey");
  });

  it("is recorded with its pinned parameter and with the code of its error", async () => {
    test.engine.onRun = async () => Promise.reject(new EngineError("timeout", "too slow"));
    await call(`${path}/open`, "pinned-token");
    await call(`${path}/open`, "query-token");
    expect(runs().map(({ actor, error, status }) => [actor, error, status])).toEqual([
      ["n", "timeout", 504],
      ["q", "missing_parameter", 400],
    ]);
    expect(runs()[0]?.parameters.get("project")).toBe("abc");
  });

  it("that is answered from the cache is recorded with a key that equal calls share", async () => {
    for (const query of ["project=a", "project=a", "unknown=1&project=a", "project=b", "project=b"]) {
      await call(`${path}/cached?${query}`, "query-token");
    }
    expect(runs().map(({ cache }) => cache)).toEqual(["miss", "hit", "hit", "hit", "hit"]);
    const keys = runs().map(({ callKey }) => callKey);
    expect(keys[0]).toBeUndefined();
    expect(keys[1]).toBe(keys[2]);
    expect(keys[3]).not.toBe(keys[1]);
    expect(keys[4]).toBe(keys[3]);
  });
});

describe("a refused call", () => {
  it("is recorded with its route, and with its token when that is valid", async () => {
    await call("/api/endpoints/secret-name", "nobody");
    await call("/api/sources", "query-token");
    await call(`${path}/open`, "ingest-token");
    await call(`${path}/open?project=xyz`, "pinned-token");
    const refused = { action: "access.refused", method: "GET" };
    expect(test.audited).toEqual([
      { ...refused, error: "unauthorized", status: 401, route: "/api/endpoints/:endpoint" },
      { ...refused, error: "insufficient_scope", status: 401, route: "/api/sources", actor: "q" },
      { ...refused, error: "insufficient_scope", status: 401, route: `${path}/:name`, actor: "i" },
      { ...refused, error: "pinned_parameter", status: 403, route: `${path}/:name`, actor: "n" },
    ]);
  });

  it("is recorded as refused, not as a run, when its token exceeds its rate", async () => {
    for (let calls = 0; calls <= 100; calls++) await call(`${path}/open?project=xyz`, "query-token");
    const limited = { error: "rate_limited", status: 429, method: "GET", route: `${path}/:name`, actor: "q" };
    expect(test.audited.slice(99)).toMatchObject([
      { action: "endpoint.run" },
      { action: "access.refused", ...limited },
    ]);
  });
});

it("a change that the metadata did not confirm is recorded, and nothing that only reads is", async () => {
  await test.app.close();
  const away = async () => Promise.reject(new ServiceError("metadata_unavailable", "It does not answer"));
  const views = { add: away, listFor: away, remove: away };
  test = await createTestApp({ parts: { management: { metadata: {}, views, tokens: {} } as never } });
  const payload = { name: "a", endpoint: "open", state: "b" };
  for (const method of ["GET", "POST"] as const) {
    const sent = method === "GET" ? {} : { payload };
    const { statusCode } = await test.app.inject({
      method,
      url: "/api/views",
      headers: { "x-api-key": "query-token" },
      ...sent,
    });
    expect(statusCode).toBe(503);
  }
  const of = { method: "POST", route: "/api/views", actor: "q" };
  expect(test.audited).toEqual([{ action: "change.unconfirmed", error: "metadata_unavailable", status: 503, ...of }]);
});

it("clearing the cache is recorded", async () => {
  const response = await test.app.inject({
    method: "POST",
    url: "/api/cache/clear?endpoint=cached",
    headers: { "x-api-key": "private-token" },
  });
  expect(response.statusCode).toBe(200);
  expect(test.audited).toMatchObject([
    { action: "cache.clear", actor: "p", target: "cached", details: { cleared: 0 } },
  ]);
});
