import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EngineError, type LogEvent, type StoredBody } from "../../contract/query-engine.ts";
import { EncoderThread } from "../../encoder/encoder-thread.ts";
import { defaultStoreLimits } from "../../schema/source/store-limits.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import { BatchEncoder } from "../batch/event-encoder.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost } from "../host/protocol.ts";
import { DuckDbStore } from "./store.ts";

function layoutOf(store: DuckDbStore) {
  const table = store.describe("edge");
  return table === undefined ? undefined : store.layoutOf(table);
}

const signal = new AbortController().signal;
const core = {
  threads: 2,
  memoryLimitBytes: 512 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 1000, maxRows: 5000 },
};

function eventOf(id: string, fields: LogEvent["fields"]): LogEvent {
  return { id, hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields };
}

function bodyOf(content: unknown, some: Partial<StoredBody> = {}): StoredBody {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return {
    bytes: new TextEncoder().encode(text),
    id: randomUUID(),
    contentType: "application/json",
    contentEncoding: undefined,
    nowUs: 5_000_000n,
    maxBytes: 1_000_000,
    wantsKeys: false,
    ...some,
  };
}

describe("bodies read by the encoder thread", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function openStore(path?: string) {
    const log: string[] = [];
    const encoder = new EncoderThread<EncodedBatch>({
      engine: "duckdb",
      log: (_, message) => log.push(message),
      ...(path === undefined ? {} : { path }),
    });
    const { host } = await openCore(core, {
      onFatal: () => expect.unreachable(),
      onProblem: () => expect.unreachable(),
    });
    closers.push(async () => {
      await encoder.close();
      await host.close();
    });
    const store = new DuckDbStore(() => host, { encoder });
    await store.ensureSource({ name: "edge", knownFields: [] });
    const send = (body: StoredBody) => store.appendBody?.("edge", body, signal) ?? expect.unreachable();
    return { store, send, log };
  }

  it("are stored with new fields, and the answer counts repeats and lists bad events by index", async () => {
    const { store, send } = await openStore();
    const events = [{ id: "a", metadata: { n: 1 } }, 7, { id: "b", timestamp: "2026-01-01T00:00:00Z" }, { id: "a" }];
    expect(await send(bodyOf(events))).toEqual({
      stored: 2,
      repeated: 1,
      rejected: [{ index: 1, reason: "not a JSON object but a number" }],
      untimed: 0,
      newestTimestampUs: BigInt(Date.parse("2026-01-01T00:00:00Z")) * 1000n,
    });
    expect(layoutOf(store)?.leaves.has("metadata.n")).toBe(true);
    expect(await send(bodyOf(events))).toMatchObject({ stored: 0, repeated: 3 });
    expect(await send(bodyOf([]))).toEqual({
      stored: 0,
      repeated: 0,
      rejected: [],
      untimed: 0,
      newestTimestampUs: undefined,
    });
  });

  it("are measured by tenant, and a body that is not admitted stores neither events nor fields", async () => {
    const { store } = await openStore();
    const body = bodyOf([{ project: "a", odd: 1 }, { project: "b" }, { project: "a" }, 7], {
      measure: { tenantField: "project" },
    });
    const told: unknown[] = [];
    const refused = store.appendBody?.("edge", { ...body }, signal, (loads) => {
      told.push(loads);
      throw new Error("not now");
    });
    await expect(refused).rejects.toThrow("not now");
    expect(told).toEqual([
      [
        { tenant: "a", eventCount: 2, byteCount: 23 + 15 },
        { tenant: "b", eventCount: 1, byteCount: 15 },
      ],
    ]);
    expect(layoutOf(store)?.leaves.has("odd")).toBe(false);
    expect((await store.statistics(signal)).map(({ rowCount }) => rowCount)).toEqual([0]);
  });

  it("bring new fields concurrently, and each field gets one column", async () => {
    const { store, send } = await openStore();
    const sent = Array.from({ length: 12 }, (_, body) =>
      send(bodyOf(Array.from({ length: 20 }, (_, i) => ({ metadata: { [`f${(body + i) % 24}`]: i, shared: body } })))),
    );
    const local = { id: "x", hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields: { other: true } };
    sent.push(
      store
        .append("edge", [local], signal)
        .then((result) => ({ ...result, rejected: [], untimed: 0, keys: undefined, newestTimestampUs: 1n })),
    );
    const results = await Promise.all(sent);
    expect(results.reduce((sum, { stored }) => sum + stored, 0)).toBe(12 * 20 + 1);
    const leaves = [...(layoutOf(store)?.leaves.keys() ?? [])].filter((path) => path.startsWith("metadata."));
    expect(leaves).toHaveLength(25);
    const [table] = await store.statistics(signal);
    expect(table?.rowCount).toBe(12 * 20 + 1);
  });

  it.each([
    ["broken JSON", bodyOf("[{]"), "invalid_body"],
    ["an unknown type", bodyOf("a=1", { contentType: "text/csv" }), "unsupported_media_type"],
    ["a body beyond the size limit", bodyOf([{ id: "a" }], { maxBytes: 3 }), "body_too_large"],
    ["a body that does not match its Content-Encoding", bodyOf("plain", { contentEncoding: "gzip" }), "invalid_body"],
  ])("are rejected as a whole: %s", async (_, body, code) => {
    const { store, send } = await openStore();
    await expect(send(body)).rejects.toMatchObject({ name: "BodyError", code });
    expect(await send(bodyOf([{ id: "after" }]))).toMatchObject({ stored: 1 });
    expect((await store.statistics(signal))[0]?.rowCount).toBe(1);
  });

  it("fail with a retry time when the thread ends, and a new thread starts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "logweir-encoder-"));
    const path = join(folder, "ends.mjs");
    writeFileSync(
      path,
      'import { parentPort } from "node:worker_threads"; parentPort.once("message", () => process.exit(1));',
    );
    closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    const { send } = await openStore(path);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(send(bodyOf([{ id: "a" }]))).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
    }
  });

  it("rename the columns of new fields when the engine restarts with more fields than were known", async () => {
    const { host } = await openCore(core, { onFatal: () => undefined, onProblem: () => undefined });
    closers.push(() => host.close());
    const events = [eventOf("a", { n: 1 })];
    let asked = 0;
    const store: DuckDbStore = new DuckDbStore(() => host, {
      encoder: {
        read: async () => ({
          count: 1,
          remarks: { rejected: [], untimed: 0 },
          newestTimestampUs: 1n,
          keys: undefined,
          release: () => undefined,
          encode: async ({ tree, table }) => {
            const encoded = new BatchEncoder().encode({ tree, full: new Set() }, events);
            if (++asked === 2) {
              // As after a kill between the commit of new fields and its acknowledgement.
              const entries = [{ role: "value", path: "other", type: "INT64", column: "c1" }] as const;
              await host.addEntries("edge", entries);
              store.load({ sources: [{ name: "edge", table, entries, tenants: [] }] });
            }
            return encoded;
          },
        }),
      },
    });
    await store.ensureSource({ name: "edge", knownFields: [] });
    expect(await store.appendBody?.("edge", bodyOf([]), signal)).toMatchObject({ stored: 1 });
    expect([...(layoutOf(store)?.leaves.keys() ?? [])]).toEqual(expect.arrayContaining(["other", "n"]));
  });

  it("are stored once where the answer is lost and another host reports the schema, ids that were made among them", async () => {
    const { host } = await openCore(core, { onFatal: () => undefined, onProblem: () => undefined });
    const encoder = new EncoderThread<EncodedBatch>({ engine: "duckdb", log: () => undefined });
    closers.push(async () => {
      await encoder.close();
      await host.close();
    });
    let answers = 0;
    const append: EngineHost["append"] = async (...call) => {
      const result = await host.append(...call);
      if (++answers > 1) return result;
      const { table, entries } = store.stateOf("edge");
      store.load({ sources: [{ name: "edge", table, entries, tenants: [] }] });
      throw new EngineError("unavailable", "The engine ended", { isLost: true });
    };
    const methods = { createSources: host.createSources, defineSource: host.defineSource, addEntries: host.addEntries };
    const bound = Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, method.bind(host)]));
    const store = new DuckDbStore(() => ({ ...bound, append }) as EngineHost, { encoder });
    await store.ensureSource({ name: "edge", knownFields: [] });
    const body = bodyOf([{ a: 1 }, { id: "own", a: 2 }, { a: 3, b: [{ c: null }, "d"] }]);
    expect(await store.appendBody?.("edge", body, signal)).toMatchObject({ stored: 0, repeated: 3 });
    expect(answers).toBe(2);
  });

  it("are rejected while too many bytes are pending", async () => {
    const encoder = new EncoderThread<EncodedBatch>({ engine: "duckdb", log: () => undefined });
    const { host } = await openCore(core, { onFatal: () => undefined, onProblem: () => undefined });
    closers.push(async () => {
      await encoder.close();
      await host.close();
    });
    const store = new DuckDbStore(() => host, { encoder, limits: { ...defaultStoreLimits, maxPendingBytes: 100 } });
    await store.ensureSource({ name: "edge", knownFields: [] });
    const first = store.appendBody?.("edge", bodyOf([{ id: "x".repeat(200) }]), signal);
    await expect(store.appendBody?.("edge", bodyOf([{ id: "b" }]), signal)).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(await first).toMatchObject({ stored: 1 });
  });
});
