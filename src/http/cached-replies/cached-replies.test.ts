import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyQuery, runningQuery } from "../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";

let test: TestApp;
let url: string;
/** Whether the planner considers its plan current. */
let isCurrent: boolean;
const text = "rows and rows ".repeat(200);

beforeEach(async () => {
  test = await createTestApp();
  isCurrent = true;
  test.onPlan = () => ({
    ...emptyQuery,
    columns: [{ name: "a", type: { kind: "STRING" } }],
    isCurrent: () => isCurrent,
  });
  test.engine.onRun = async () => runningQuery([[{ a: text }]]);
  url = `${await test.app.listen({ port: 0, host: "127.0.0.1" })}/api/endpoints/query/cached`;
});

afterEach(async () => {
  await test.app.close();
});

const key = { "x-api-key": "query-token" };
const plain = { ...key, "accept-encoding": "identity" };
const get = (headers: Record<string, string> = plain, path = "") => fetch(url + path, { headers });

/** How often a call was planned: a cached reply needs no planner. */
const wholeCalls = () => test.planned.length;

/** Repeats a call until it is answered from the cached replies, and checks that it is. */
async function beGivenAhead(): Promise<void> {
  await get();
  await get();
  const planned = wholeCalls();
  expect((await get()).headers.get("cache-status")).toMatch(/^logweir; hit/);
  expect(wholeCalls()).toBe(planned);
}

describe("a repeated call whose answer is cached", () => {
  it("is answered without planning, with the same headers except those of the individual call", async () => {
    const first = await get();
    await get();
    const planned = wholeCalls();
    const second = await get();
    expect(wholeCalls()).toBe(planned);
    expect(await second.text()).toBe(await first.text());
    const own = ["age", "cache-status", "date", "server-timing", "x-request-id", "keep-alive"];
    const others = ({ headers }: Response) => [...headers].filter(([name]) => !own.includes(name));
    expect(others(second)).toEqual(others(first));
    expect(second.headers.get("cache-status")).toBe("logweir; hit; ttl=900");
    expect(second.headers.get("server-timing")).toMatch(/^auth;dur=/);
    expect(second.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });

  it("is answered with 304 and no representation headers, however often it asks", async () => {
    const etag = String((await get()).headers.get("etag"));
    for (let i = 0; i < 2; i++) {
      const response = await get({ ...plain, "if-none-match": `W/${etag}` });
      expect(response.status).toBe(304);
      expect(response.headers.get("etag")).toBe(etag);
    }
    expect((await get({ ...plain, "if-none-match": '"other"' })).status).toBe(200);
  });

  it.each([
    ["another token", { ...plain, "x-api-key": "private-token" }, ""],
    ["another format by Accept", { ...plain, accept: "text/csv" }, ""],
    ["redaction", { ...plain, "lf-endpoint-redact-pii": "true" }, ""],
    ["another encoding", { ...key, "accept-encoding": "gzip" }, ""],
    ["another parameter", plain, "?project=x"],
    ["a deadline of its own", { ...plain, prefer: "wait=5" }, ""],
  ])("is processed in full with %s", async (_, headers, path) => {
    await beGivenAhead();
    const planned = wholeCalls();
    expect((await get(headers, path)).status).toBe(200);
    expect(wholeCalls()).toBeGreaterThan(planned);
  });

  it("is processed in full once its endpoint was replaced, and then cached again", async () => {
    await beGivenAhead();
    const planned = wholeCalls();
    const endpoint = test.endpoints.find("cached");
    if (endpoint !== undefined) test.endpoints.put({ ...endpoint });
    expect((await get()).status).toBe(200);
    const again = wholeCalls();
    expect(again).toBeGreaterThan(planned);
    expect((await get()).status).toBe(200);
    expect(wholeCalls()).toBe(again);
  });

  it("is matched correctly on a connection that carries other tokens and parameters", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const asked = [
      ["query-token", ""],
      ["private-token", ""],
      ["query-token", "?project=x"],
    ] as const;
    const ask = async ([token, path]: (typeof asked)[number]) => {
      const sent = request(url + path, { agent, headers: { "x-api-key": token, "accept-encoding": "identity" } });
      const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return response.headers["cache-status"];
    };
    for (const call of [...asked, ...asked]) await ask(call);
    const planned = wholeCalls();
    for (const call of [...asked, ...asked]) expect(await ask(call)).toBe("logweir; hit; ttl=900");
    agent.destroy();
    expect(wholeCalls()).toBe(planned);
    await test.app.close();
    const lines = test.logLines.map((line) => JSON.parse(line) as { readonly tokenId?: string });
    expect(lines.flatMap(({ tokenId }) => tokenId ?? [])).toEqual(Array(4).fill(["q", "p", "q"]).flat());
  });

  it("is processed in full once its plan is outdated", async () => {
    await beGivenAhead();
    isCurrent = false;
    const planned = wholeCalls();
    await get();
    expect(wholeCalls()).toBeGreaterThan(planned);
  });

  it("runs again when its cached answer was cleared", async () => {
    await beGivenAhead();
    await fetch(new URL("/api/cache/clear", url), { method: "POST", headers: { "x-api-key": "private-token" } });
    expect((await get()).headers.get("cache-status")).toBe("logweir; fwd=miss; stored");
    expect(test.engine.requests).toHaveLength(2);
  });

  it("is refused when the token exceeds its rate", async () => {
    await beGivenAhead();
    for (let i = 0; i < 97; i++) expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
  });

  it("is refused when the service is stopping", async () => {
    await beGivenAhead();
    void test.shutdown.stop(0);
    expect((await get()).status).toBe(503);
  });

  it("is counted in metrics and in the log", async () => {
    for (let i = 0; i < 3; i++) await get();
    await get({ ...plain, "x-request-id": "mine" });
    await test.app.close();
    const lines = test.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ reqId }) => reqId === "mine")).toMatchObject({
      route: "/api/endpoints/query/:name",
      status: 200,
      tokenId: "q",
      endpoint: "cached",
      cache: "hit",
    });
  });
});

describe("an answer that is being computed", () => {
  /** Runs finish when the test says so. */
  function holdRuns(): (text: string) => void {
    const waiting: ((text: string) => void)[] = [];
    test.engine.onRun = () =>
      new Promise((resolve) => waiting.push((answer) => resolve(runningQuery([[{ a: answer }]]))));
    return (answer) => waiting.shift()?.(answer);
  }

  const isRunning = async (count: number) => {
    while (test.engine.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
  };

  it("is returned once but not cached when the cache is cleared meanwhile", async () => {
    const finish = holdRuns();
    const before = get();
    await isRunning(1);
    const clear = new URL("/api/cache/clear", url);
    expect((await fetch(clear, { method: "POST", headers: { "x-api-key": "private-token" } })).status).toBe(200);
    finish("of before");
    expect(await (await before).text()).toContain("of before");
    const after = get();
    await isRunning(2);
    finish("of after");
    expect(await (await after).text()).toContain("of after");
    expect((await get()).headers.get("cache-status")).toMatch(/^logweir; hit/);
    expect(await (await get()).text()).toContain("of after");
  });

  it("is not reused for the new version when its endpoint changes meanwhile", async () => {
    const finish = holdRuns();
    const before = get();
    await isRunning(1);
    const endpoint = test.endpoints.find("cached");
    if (endpoint !== undefined) test.endpoints.put({ ...endpoint, version: 7 });
    finish("of before");
    expect(await (await before).text()).toContain("of before");
    const after = get();
    await isRunning(2);
    finish("of after");
    expect(await (await after).text()).toContain("of after");
  });

  it("is still returned when the service stops, while cached answers are refused", async () => {
    const finish = holdRuns();
    const before = get();
    await isRunning(1);
    void test.shutdown.stop(10_000);
    finish("of before");
    expect(await (await before).text()).toContain("of before");
    for (let i = 0; i < 2; i++) expect((await get()).status).toBe(503);
    expect(test.engine.requests).toHaveLength(1);
  });
});

describe("a response in another format", () => {
  it("has an entity tag of its own, whether it is encoded or not, which is the same on a repeated call", async () => {
    const tagOf = async (accept: string, encoding: string) => {
      const headers = { ...key, accept, "accept-encoding": encoding };
      const response = await test.app.inject({ url: new URL(url).pathname, headers });
      expect(response.statusCode).toBe(200);
      return String(response.headers.etag);
    };
    const json = (await tagOf("application/json", "identity")).slice(0, -1);
    for (let times = 0; times < 2; times++) {
      expect(await tagOf("application/json", "identity")).toBe(`${json}"`);
      expect(await tagOf("application/json", "gzip")).toBe(`${json}.gzip"`);
      expect(await tagOf("text/csv", "identity")).toBe(`${json}.csv"`);
      expect(await tagOf("text/csv", "gzip")).toBe(`${json}.csv.gzip"`);
    }
  });
});

describe("an encoded response", () => {
  it("has an entity tag and bytes of its own, which are the same on a repeated call", async () => {
    const identity = await get();
    const read = async () => {
      const { body, headers } = await test.app
        .inject({ url: new URL(url).pathname, headers: { ...key, "accept-encoding": "gzip" } })
        .then((response) => ({ body: response.rawPayload, headers: response.headers }));
      return { body, encoding: headers["content-encoding"], etag: headers.etag };
    };
    const [first, second] = [await read(), await read()];
    expect(first.encoding).toBe("gzip");
    expect(first.body.length).toBeLessThan(500);
    expect(gunzipSync(first.body).toString()).toBe(await identity.text());
    expect(first.etag).toBe(String(identity.headers.get("etag")).replace(/"$/, '.gzip"'));
    expect(second).toEqual(first);
  });
});
