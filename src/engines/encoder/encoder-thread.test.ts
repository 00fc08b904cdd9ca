import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { StoredBody } from "../contract/query-engine.ts";
import type { SchemaEntry } from "../schema/schema-entry.ts";
import {
  createSourceState,
  defineSource,
  growSourceState,
  resetSourceState,
  type SourceState,
} from "../schema/source/source-state.ts";
import { defaultStoreLimits } from "../schema/source/store-limits.ts";
import { EncoderThread } from "./encoder-thread.ts";

/**
 * A thread that answers each body with the messages it has received so far, instead of a batch; a body's text can
 * ask for something else.
 */
const SCRIPT = `
import { parentPort, threadId, workerData } from "node:worker_threads";
const told = [];
const held = new Map();
const textOf = (body) => Buffer.from(body.bytes).toString();
parentPort.on("message", (request) => {
  const { id, kind } = request;
  told.push(kind === "read" ? { ...request, body: textOf(request.body) } : request);
  if (kind === "read") held.set(id, textOf(request.body));
  if (kind !== "read" && kind !== "again") return;
  const text = held.get(id);
  if (text === "wait") return;
  if (text === "end") process.exit(1);
  if (text === "break") throw new Error("it broke");
  if (text === "memory") throw Object.assign(new Error("no memory"), { code: "ERR_WORKER_OUT_OF_MEMORY" });
  if (text === "refuse") {
    parentPort.postMessage({ kind: "refused", id, code: "invalid_body", message: "not JSON", index: 3 });
    return;
  }
  if (text === "fail") {
    parentPort.postMessage({ kind: "failed", id, message: "a defect" });
    return;
  }
  parentPort.postMessage({ kind: "encoded", id, body: {
    eventCount: 2, newestTimestampUs: 7n, keys: [{ id: kind, timestampUs: 7n, tenant: null }], rejected: [{ index: 1, reason: "odd" }],
    untimed: 1, receipt: [["a"]], loads: [{ tenant: "t", eventCount: 2, byteCount: 9 }],
    outcome: { batch: { threadId, workerData, told: [...told] } },
  } });
});
`;

/** The batch that the script returns for a body. */
interface Told {
  readonly threadId: number;
  readonly workerData: unknown;
  readonly told: readonly Readonly<Record<string, unknown>>[];
}

const none: ReadonlySet<string> = new Set();
const n: SchemaEntry = { role: "value", path: "n", type: "INT64", column: "c1" };
const m: SchemaEntry = { role: "value", path: "m", type: "STRING", column: "c2" };

function stateOf(name: string, entries: readonly SchemaEntry[] = []): SourceState {
  return createSourceState({ name, table: `t_${name}`, entries, tenants: [] }, defaultStoreLimits.schema);
}

function bodyOf(text: string, bytes: Uint8Array = new Uint8Array(Buffer.from(text))): StoredBody {
  const rest = {
    contentType: undefined,
    contentEncoding: undefined,
    id: randomUUID(),
    nowUs: 0n,
    maxBytes: 100,
    wantsKeys: true,
  };
  return { bytes, ...rest };
}

describe("the encoder thread", () => {
  let folder = "";
  const threads: EncoderThread<Told>[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "logweir-encoder-"));
    writeFileSync(join(folder, "thread.mjs"), SCRIPT);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    vi.useRealTimers();
    for (const thread of threads.splice(0)) await thread.close();
  });

  function startThread() {
    const log: string[] = [];
    const thread = new EncoderThread<Told>({
      engine: "some engine",
      path: join(folder, "thread.mjs"),
      log: (level, message) => log.push(`${level}: ${message}`),
    });
    threads.push(thread);
    /** The messages that the thread received since the last body, found by reading one more body and releasing it. */
    const ask = async (state: SourceState) => {
      const events = await thread.read(state, bodyOf("ask"));
      const { batch } = await events.encode(state, none);
      events.release();
      return batch ?? expect.unreachable();
    };
    return { thread, log, ask };
  }

  it("returns the contents of a body, and runs the named engine's encoder", async () => {
    const { thread } = startThread();
    const state = stateOf("edge");
    const events = await thread.read(state, bodyOf("some"));
    expect(events).toMatchObject({
      count: 2,
      newestTimestampUs: 7n,
      remarks: {
        rejected: [{ index: 1, reason: "odd" }],
        untimed: 1,
        receipt: [["a"]],
        loads: [{ tenant: "t", eventCount: 2, byteCount: 9 }],
      },
      keys: [{ id: "read", timestampUs: 7n, tenant: null }],
    });
    expect(Object.keys(events.remarks).sort()).toEqual(["loads", "receipt", "rejected", "untimed"]);
    const { batch } = await events.encode(state, none);
    expect(batch?.workerData).toBe("some engine");
    expect(batch?.told.at(-1)).toMatchObject({ kind: "read", source: "edge", body: "some" });
  });

  it("transfers the bytes of a body, and copies those that lie in a larger buffer", async () => {
    const { thread, ask } = startThread();
    const state = stateOf("edge");
    const whole = new Uint8Array(Buffer.from("whole"));
    await thread.read(state, bodyOf("", whole));
    expect(whole.byteLength).toBe(0);
    const around = new Uint8Array(Buffer.from("a part of it"));
    await thread.read(state, bodyOf("", around.subarray(2, 6)));
    expect(Buffer.from(around).toString()).toBe("a part of it");
    expect((await ask(state)).told).toContainEqual(expect.objectContaining({ kind: "read", body: "part" }));
  });

  it("receives a schema once, then only its additions, and all of it again after a reset", async () => {
    const { ask } = startThread();
    const state = stateOf("edge", [n]);
    const schemasOf = ({ told }: Told) => told.filter(({ kind }) => kind === "schema");
    const first = { kind: "schema", source: "edge", full: new Set(), tenantField: null };
    const declaration = { fields: new Map(), tenant: undefined };
    const expected: unknown[] = [{ ...first, isNew: true, entries: [n], declaration }];
    for (let time = 0; time < 2; time++) expect(schemasOf(await ask(state))).toEqual(expected);

    growSourceState(state, [m]);
    expected.push({ ...first, isNew: false, entries: [m] });
    for (let time = 0; time < 2; time++) expect(schemasOf(await ask(state))).toEqual(expected);

    state.rules = { tenantField: "project", fields: [] };
    expected.push({ ...first, isNew: false, entries: [], tenantField: "project" });
    for (let time = 0; time < 2; time++) expect(schemasOf(await ask(state))).toEqual(expected);

    defineSource(state, { name: "edge", knownFields: [], tenantField: "project" });
    const declared = { isNew: true, entries: [n, m], tenantField: "project", declaration: { tenant: ["project"] } };
    expect(schemasOf(await ask(state)).slice(expected.length)).toMatchObject([declared]);
    expected.push(expect.anything());

    resetSourceState(state, { name: "edge", table: "t_edge", entries: [m], tenants: [] });
    expect(schemasOf(await ask(state)).slice(expected.length)).toMatchObject([{ isNew: true, entries: [m] }]);
    expected.push(expect.anything());

    const other = { ...first, source: "other", isNew: true, entries: [], declaration };
    expect(schemasOf(await ask(stateOf("other"))).slice(expected.length)).toEqual([other]);
  });

  it("encodes a body again only if the schema has changed or tenants are full", async () => {
    const { thread } = startThread();
    const state = stateOf("edge", [n]);
    const events = await thread.read(state, bodyOf("some"));
    const kindsOf = async (full = none) => (await events.encode(state, full)).batch?.told.map(({ kind }) => kind);
    const start = ["schema", "read"];
    expect(await kindsOf()).toEqual(start);
    expect(events.keys).toEqual([{ id: "read", timestampUs: 7n, tenant: null }]);
    growSourceState(state, [m]);
    for (let time = 0; time < 2; time++) expect(await kindsOf()).toEqual([...start, "schema", "again"]);
    expect(events.keys).toEqual([{ id: "again", timestampUs: 7n, tenant: null }]);
    state.rules = { tenantField: "project", fields: [] };
    for (let time = 0; time < 2; time++)
      expect(await kindsOf()).toEqual([...start, "schema", "again", "schema", "again"]);
    const { batch } = await events.encode(state, new Set(["a"]));
    expect(batch?.told.at(-1)).toEqual({ kind: "again", id: 1, full: new Set(["a"]) });
    expect(await kindsOf(new Set(["a"]))).toHaveLength(8);
  });

  it("releases a body once, however often release is called, and also one that was rejected", async () => {
    const { thread, ask } = startThread();
    const state = stateOf("edge");
    const events = await thread.read(state, bodyOf("some"));
    events.release();
    events.release();
    await expect(thread.read(state, bodyOf("refuse"))).rejects.toMatchObject({
      name: "BodyError",
      code: "invalid_body",
      message: "not JSON",
      index: 3,
    });
    const released = (await ask(state)).told.filter(({ kind }) => kind === "release");
    expect(released).toEqual([
      { kind: "release", id: 1 },
      { kind: "release", id: 2 },
    ]);
  });

  it("reports a defect of its own as an internal error", async () => {
    const { thread } = startThread();
    const error = await thread.read(stateOf("edge"), bodyOf("fail")).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "EngineError", code: "internal", message: "The events could not be encoded" });
    expect(error).toMatchObject({ cause: { message: "a defect" } });
  });

  it("fails pending bodies when it ends, and a new thread without state reads the next body", async () => {
    const { thread, log, ask } = startThread();
    const state = stateOf("edge", [n]);
    const { threadId } = await ask(state);
    const kept = await thread.read(state, bodyOf("some"));
    const failed = [thread.read(state, bodyOf("wait")), thread.read(state, bodyOf("break"))];
    for (const read of failed)
      await expect(read).rejects.toMatchObject({
        name: "EngineError",
        code: "unavailable",
        message: "The thread that reads events ended",
        retryAfterSeconds: 1,
      });
    expect(log).toEqual(["warn: the thread that reads events failed: it broke"]);
    const next = await ask(state);
    expect(next.threadId).not.toBe(threadId);
    expect(next.told.map(({ kind }) => kind)).toEqual(["schema", "read"]);
    await expect(kept.encode(state, new Set(["a"]))).rejects.toMatchObject({ code: "unavailable" });
    kept.release();
    expect((await ask(state)).threadId).toBe(next.threadId);
  });

  it("blames the body that has waited longest when memory runs out", async () => {
    const { thread, log } = startThread();
    const state = stateOf("edge");
    const [first, second] = [thread.read(state, bodyOf("wait")), thread.read(state, bodyOf("memory"))];
    await Promise.all([
      expect(first).rejects.toMatchObject({
        name: "BodyError",
        code: "body_too_large",
        message: "The body holds more than can be read at once; send its events in smaller bodies",
      }),
      expect(second).rejects.toMatchObject({ code: "unavailable" }),
    ]);
    expect(log).toEqual(["warn: the thread that reads events failed: no memory"]);
  });

  it("ends a minute after the last body is released", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { thread, ask } = startThread();
    const state = stateOf("edge");
    const held = await thread.read(state, bodyOf("some"));
    const { threadId } = await ask(state);
    vi.advanceTimersByTime(60_001);
    expect((await ask(state)).threadId).toBe(threadId);
    held.release();
    vi.advanceTimersByTime(59_999);
    expect((await ask(state)).threadId).toBe(threadId);
    vi.advanceTimersByTime(59_999);
    const again = await thread.read(state, bodyOf("some"));
    vi.advanceTimersByTime(60_001);
    again.release();
    expect((await ask(state)).threadId).toBe(threadId);
    vi.advanceTimersByTime(60_000);
    expect((await ask(state)).threadId).not.toBe(threadId);
  });

  it("ends and fails pending bodies when closed", async () => {
    const { thread, log } = startThread();
    const waiting = expect(thread.read(stateOf("edge"), bodyOf("wait"))).rejects.toMatchObject({ code: "unavailable" });
    await thread.close();
    await waiting;
    expect(log).toEqual([]);
  });
});
