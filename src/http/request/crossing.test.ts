import { beforeAll, describe, expect, it } from "vitest";
import { runningQuery } from "../../../test/support/fake-engine.ts";
import { sampleOf } from "../../../test/support/sample-size.ts";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import { cacheKey } from "../../endpoints/cache/cache-key.ts";
import type { PlannedQuery } from "../../endpoints/call/plan/planned-query.ts";
import type { PreparedCall } from "../../endpoints/call/prepare/query-call.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { STRING } from "../../googlesql/types.ts";

/** A caller of an endpoint whose answers are cached. */
interface Asker {
  readonly key: string;
  readonly path: string;
  readonly redaction: string | undefined;
}

const byName = "/api/endpoints/query/cached";
const byId = "/api/endpoints/query/00000000-0000-4000-8000-00000000000C";

const askers: readonly Asker[] = ["private-token", "query-token", "pinned-token", "one-token"].flatMap((key) =>
  ["true", "false", undefined].flatMap((redaction) =>
    [
      byName,
      `${byId}?project=abc&junk=1`,
      `${byName}?project=xyz`,
      `${byName}?project=abc&limit=7`,
      `${byName}?project=abc&sql=select+1`,
      `${byName}?project=abc&sql=select+2&format=csv`,
      `${byName}?project=abc&format=ndjson`,
    ].map((path) => ({ key, path, redaction })),
  ),
);

/** A call's answer; the engine's rows contain the whole request to the engine, and an address. */
async function ask(test: TestApp, { key, path, redaction }: Asker): Promise<string> {
  const headers = { "x-api-key": key, ...(redaction === undefined ? {} : { "lf-endpoint-redact-pii": redaction }) };
  const response = await test.app.inject({ url: path, headers });
  const type = String(response.headers["content-type"]);
  return [response.statusCode, type, response.body, response.headers.etag].join("\n");
}

/** The same over a port, where repeated calls are answered in the first hook. */
async function askOverPort(url: string, { key, path, redaction }: Asker): Promise<string> {
  const headers = { "x-api-key": key, ...(redaction === undefined ? {} : { "lf-endpoint-redact-pii": redaction }) };
  const response = await fetch(url + path, { headers: { ...headers, "accept-encoding": "identity" } });
  const type = String(response.headers.get("content-type"));
  return [response.status, type, await response.text(), response.headers.get("etag") ?? undefined].join("\n");
}

async function setUp(options: Parameters<typeof createTestApp>[0] = {}): Promise<TestApp> {
  const test = await createTestApp(options);
  test.onPlan = (endpoint, consumer, limit): PlannedQuery => ({
    sql: `${endpoint.definition.name} ${consumer?.text ?? "own"} ${limit ?? "all"}`,
    parameters: [{ key: "project", type: STRING }],
    columns: [{ name: "told", type: STRING }],
    tables: [],
    isCurrent: () => true,
  });
  test.engine.onRun = async ({ query, values, limits }) =>
    runningQuery([[{ told: `${query.sql} ${JSON.stringify(values)} ${limits.maxRows} 10.1.2.3` }]]);
  return test;
}

describe("a cached answer", () => {
  const alone = new Map<Asker, string>();

  beforeAll(async () => {
    const test = await setUp({ cacheBytes: 0 });
    for (const asker of askers) alone.set(asker, await ask(test, asker));
  });

  it("differs between callers in enough ways to tell them apart", () => {
    const bodies = new Set(alone.values());
    expect(bodies.size).toBeGreaterThan(15);
    expect([...bodies].filter((body) => body.includes("10.1.2.3")).length).toBeGreaterThan(5);
    expect([...bodies].filter((body) => body.includes("REDACTED")).length).toBeGreaterThan(5);
    expect([...bodies].filter((body) => body.startsWith("403")).length).toBeGreaterThan(0);
  });

  it("is never another caller's, whichever caller asked before", async () => {
    const wrong: string[] = [];
    for (const first of sampleOf(askers, 0.02)) {
      const test = await setUp();
      await ask(test, first);
      // All callers ask next: a wrong answer that one of them left in the cache would be found by another as well.
      for (const next of askers) {
        if ((await ask(test, next)) !== alone.get(next))
          wrong.push(`${JSON.stringify(first)} then ${JSON.stringify(next)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is never another caller's when it is served in the first hook", async () => {
    const { app } = await setUp();
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const wrong: string[] = [];
    for (const order of [askers, askers.toReversed(), askers]) {
      for (const asker of order) {
        if ((await askOverPort(url, asker)) !== alone.get(asker)) wrong.push(JSON.stringify(asker));
      }
    }
    await app.close();
    expect(wrong).toEqual([]);
  });

  it("is cached by its endpoint and the endpoint's version", () => {
    const query = { sql: "SELECT 1", parameters: [], columns: [], tables: [] };
    const call: PreparedCall = { query, values: [], maxRows: 1, redactsPii: false, cursorScope: "" };
    const endpoint = (id: string, version: number) => ({
      definition: { id } as Parameters<typeof cacheKey>[0]["definition"],
      version,
      savedQuery: parseQuery("SELECT 1"),
      sourceText: "",
      origin: { kind: "api" } as const,
      contract: { parameters: [], columns: [] },
      reads: [],
    });
    const keys = [endpoint("a", 1), endpoint("a", 2), endpoint("b", 1)].map((each) => cacheKey(each, call));
    expect(new Set(keys).size).toBe(3);
  });
});
