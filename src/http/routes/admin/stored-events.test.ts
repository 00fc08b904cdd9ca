import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import { createServiceEvents } from "../../../cli/moving/service-events.ts";
import { createServiceClient } from "../../../cli/service-call.ts";
import { EngineError, type LogEvent, type StoredEvents, WideNumber } from "../../../engines/contract/query-engine.ts";
import { addStoredEventRoutes } from "./stored-events.ts";

const signal = new AbortController().signal;
const range = { fromUs: -(2n ** 61n), toUs: 2n ** 61n };
const event: LogEvent = {
  id: "\u2028\n",
  hasGeneratedId: false,
  timestampUs: -1n,
  eventMessage: null,
  fields: { a: 2n ** 64n, b: new WideNumber("1e400"), c: { "10": [1, { x: "ä" }], "2": true } },
};

let test: TestApp;
const calls: unknown[] = [];
let failsAfter = Number.POSITIVE_INFINITY;

const stored: StoredEvents = {
  slices: async (...call) => {
    calls.push(call.slice(0, 3));
    return [{ startUs: -86_400_000_000n, eventCount: 2_500, fingerprint: "f" }];
  },
  async *read(source, { fromUs, toUs }, _, tenant) {
    calls.push([source, fromUs, toUs, ...(tenant === undefined ? [] : [tenant])]);
    for (let batch = 0; batch < 25; batch++) {
      if (batch >= failsAfter) throw new EngineError("unavailable", "The engine stopped");
      yield Array.from({ length: 100 }, () => event);
    }
  },
};

/** The redaction of the calling token. */
let redaction: "fixed" | "required";

async function openClient(): Promise<StoredEvents> {
  addStoredEventRoutes(test.app, {
    engine: { ...test.engine, storedEvents: stored },
    audit: { record: (entry) => void calls.push([entry.action, "target" in entry && entry.target]) },
    shutdown: test.shutdown,
  });
  return clientOf(await test.app.listen({ port: 0, host: "127.0.0.1" }));
}

function clientOf(url: string): StoredEvents {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const context = { input: new PassThrough(), output, errors, packageDir: ".", workingDir: ".", environment: {} };
  return createServiceEvents(createServiceClient({ ...context, url, token: "any" }));
}

async function readAll(client: StoredEvents): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for await (const batch of client.read("a & b", range, signal)) events.push(...batch);
  return events;
}

beforeEach(async () => {
  redaction = "fixed";
  test = await createTestApp({
    parts: {
      authenticator: {
        authenticate: async () => ({ tokenId: "t", scopes: ["private"], pins: {}, budget: {}, redaction }),
        recall: () => undefined,
      },
    },
  });
  calls.length = 0;
  failsAfter = Number.POSITIVE_INFINITY;
});

afterEach(() => test.app.close());

describe("stored events over HTTP", () => {
  it("arrive unchanged, and the audit records the read", async () => {
    const client = await openClient();
    const events = await readAll(client);
    expect(events).toHaveLength(2_500);
    expect(events.at(-1)).toEqual(event);
    expect(calls).toEqual([
      ["a & b", range.fromUs, range.toUs],
      ["store.read", "a & b"],
    ]);
    expect(await client.slices("s", range, 5n, signal)).toEqual([
      { startUs: -86_400_000_000n, eventCount: 2_500, fingerprint: "f" },
    ]);
    expect(calls.at(-1)).toEqual(["s", range, 5n]);
    for await (const _ of client.read("s", range, signal, "a & b"));
    expect(calls).toContainEqual(["s", range.fromUs, range.toUs, "a & b"]);
  });

  it("are refused to tokens whose answers must be redacted", async () => {
    redaction = "required";
    await expect(readAll(await openClient())).rejects.toThrow(/must see redacted data/);
  });

  it.each(["source=s", "source=s&from_us=0&to_us=x", "source=s&from_us=0&to_us=5.5"])(
    "are refused for %s, because its time range is invalid",
    async (query) => {
      await openClient();
      const response = await test.app.inject({ url: `/api/store/events?${query}`, headers: { "x-api-key": "any" } });
      expect([response.statusCode, response.json()]).toMatchObject([400, { error: { code: "invalid_parameter" } }]);
    },
  );

  it("are not mistaken for complete when the answer was cut off", async () => {
    const client = await openClient();
    failsAfter = 20;
    await expect(readAll(client)).rejects.toThrow();
    // As a proxy may end it, with only the last line missing.
    const cut = createServer((_, response) =>
      response.end('{"id":"a","timestamp_us":"1","event_message":null,"fields":{}}\n'),
    );
    await new Promise<void>((resolve) => cut.listen(0, "127.0.0.1", resolve));
    const early = clientOf(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`);
    await expect(readAll(early)).rejects.toThrow(/ended its answer early/);
    cut.close();
  });
});
