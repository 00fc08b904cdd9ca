import { once } from "node:events";
import { get, type RequestOptions } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import { EngineError, type RunRequest } from "../../engines/contract/query-engine.ts";

let test: TestApp;
let url: string;

const calls = [
  ["an endpoint", "/api/endpoints/query/open?project=a", "query-token"],
  ["an endpoint whose answers are cached", "/api/endpoints/query/cached", "query-token"],
  ["a query of an owner's", "/api/query?sql=select+1", "private-token"],
] as const;

beforeEach(async () => {
  test = await createTestApp();
  test.engine.compile = () => ({ sql: "SELECT 1", parameters: [], columns: [], tables: [] });
  url = await test.app.listen({ port: 0, host: "127.0.0.1" });
});

afterEach(async () => {
  vi.useRealTimers();
  await test.app.close();
});

/** The engine's next request; it ends when its signal is aborted, and not before. */
function nextRun(): Promise<RunRequest> {
  return new Promise((resolve) => {
    test.engine.onRun = (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(new EngineError("aborted", "The query was stopped")));
        resolve(request);
      });
  });
}

const send = (path: string, token: string, more: RequestOptions = {}) =>
  get(url + path, { ...more, headers: { "x-api-key": token, ...more.headers } });

it.each(calls)(
  "the engine stops as soon as the caller of %s disconnects, without waiting for a timer",
  async (_, path, token) => {
    // The service's timers do not run while they are faked: only the end of the connection can stop the engine.
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    const run = nextRun();
    const request = send(path, token).on("error", () => undefined);
    const { signal } = await run;
    expect(signal.aborted).toBe(false);
    const stopped = once(signal, "abort");
    request.destroy();
    await stopped;
    expect(signal.aborted).toBe(true);
  },
);

it.each(calls)(
  "a call of %s is cancelled when the time is over that its caller is willing to wait",
  async (_, path, token) => {
    const run = nextRun();
    const request = send(path, token, { headers: { prefer: "wait=0" } });
    const [answer] = await once(request, "response");
    answer.resume();
    expect([answer.statusCode, answer.headers["preference-applied"]]).toEqual([504, "wait=0"]);
    expect((await run).signal.aborted).toBe(true);
  },
);
