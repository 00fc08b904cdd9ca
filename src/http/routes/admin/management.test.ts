import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp();
});

const owner = { "x-api-key": "private-token" };

describe("the management API", () => {
  it.each([
    ["GET", "/api/sources"],
    ["GET", "/api/sources/edge/schema"],
    ["GET", "/api/sources/edge/events"],
    ["POST", "/api/cache/clear"],
  ] as const)("allows %s %s to tokens of the scope private only", async (method, url) => {
    expect((await test.app.inject({ method, url })).statusCode).toBe(401);
    expect((await test.app.inject({ method, url, headers: { "x-api-key": "query-token" } })).statusCode).toBe(401);
    expect((await test.app.inject({ method, url, headers: owner })).statusCode).toBe(200);
  });

  it("lists sources with their newest event, and a source's fields by path", async () => {
    await test.app.inject({
      method: "POST",
      url: "/api/logs?source=edge",
      payload: '[{"timestamp":"2026-08-20T08:00:00Z"}]',
      headers: { "x-api-key": "ingest-token", "content-type": "application/json" },
    });
    const list = await test.app.inject({ url: "/api/sources", headers: owner });
    expect(list.json()).toMatchObject([
      { name: "edge", aliases: ["cdn.logs"], newest_event: "2026-08-20T08:00:00.000000Z", retention_days: null },
      { name: "db", aliases: [], newest_event: null },
      { name: "logweir.audit", newest_event: null, read_only: true },
      { name: "cdn.logs", aliases: [], alias_of: "edge" },
    ]);
    const schema = await test.app.inject({ url: "/api/sources/cdn.logs/schema", headers: owner });
    expect(schema.json()).toEqual({ name: "edge", fields: [] });
    expect((await test.app.inject({ url: "/api/sources/nope/schema", headers: owner })).statusCode).toBe(404);
  });

  it("clears the cached answers of one endpoint, or all of them", async () => {
    const ask = async () => {
      const response = await test.app.inject({ url: "/api/endpoints/query/cached", headers: owner });
      return response.headers["cache-status"];
    };
    const clear = async (query: string) =>
      (await test.app.inject({ method: "POST", url: `/api/cache/clear${query}`, headers: owner })).json();
    await ask();
    expect(await ask()).toContain("hit");
    expect(await clear("?endpoint=open")).toEqual({ cleared: 0 });
    expect(await ask()).toContain("hit");
    expect(await clear("?endpoint=cached")).toEqual({ cleared: 1 });
    expect(await ask()).toContain("miss");
    expect(await clear("")).toEqual({ cleared: 1 });
    expect(await ask()).toContain("miss");
    expect(await clear("?endpoint=nope")).toMatchObject({ error: { code: "unknown_endpoint" } });
  });

  it("clears the caches of other services too, and records what was cleared", async () => {
    let elsewhere = 0;
    test = await createTestApp({ parts: { clearElsewhere: async () => void elsewhere++ } });
    const clear = async (query: string) => {
      test.audited.length = 0;
      await test.app.inject({ url: "/api/endpoints/query/cached", headers: owner });
      test.audited.length = 0;
      const answer = await test.app.inject({ method: "POST", url: `/api/cache/clear${query}`, headers: owner });
      return [answer.statusCode, test.audited.filter(({ action }) => action === "cache.clear"), elsewhere] as const;
    };
    const cleared = { action: "cache.clear", actor: "p", details: { cleared: 1 } };
    const target = { target: "cached", targetId: "00000000-0000-4000-8000-00000000000c" };
    expect(await clear("")).toEqual([200, [cleared], 1]);
    expect(await clear("?endpoint=")).toEqual([200, [cleared], 2]);
    expect(await clear("?endpoint=open&endpoint=cached")).toEqual([200, [{ ...cleared, ...target }], 3]);
    const refused = await test.app.inject({
      method: "POST",
      url: `/api/cache/clear?endpoint=${"x".repeat(300)}`,
      headers: owner,
    });
    expect(refused.json()).toMatchObject({
      error: { code: "unknown_endpoint", message: `There is no endpoint ${"x".repeat(200)}` },
    });
    expect(elsewhere).toBe(3);
  });
});
