import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { INT64, STRING } from "../../../googlesql/types.ts";
import { readPlainBody } from "../../../ingest/plain-body.ts";
import {
  type AppendResult,
  EngineError,
  type EventValue,
  type LogEvent,
  newestTimestampUs as newestOf,
  type PlainBody,
} from "../../contract/query-engine.ts";
import { createSourceState } from "../../schema/source/source-state.ts";
import { defaultStoreLimits } from "../../schema/source/store-limits.ts";
import { BatchEncoder } from "../batch/event-encoder.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost, JointResult } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { JointAppends } from "./joint-appends.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const core = {
  threads: 1,
  memoryLimitBytes: 256 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 1000, maxRows: 5000 },
};
const definition = {
  name: "edge",
  tenantField: "project",
  knownFields: [
    { path: "project", type: STRING },
    { path: "metadata.count", type: INT64 },
  ],
};

type Append = EngineHost["append"];

function eventOf(id: string, fields: LogEvent["fields"] = {}, some: Partial<LogEvent> = {}): LogEvent {
  return { id, hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields, ...some };
}

/** The events as a body; those with an id that was made bring none. */
async function bodyOf(events: readonly LogEvent[]): Promise<PlainBody> {
  const sent = events.map(({ id, hasGeneratedId, timestampUs, fields }) => ({
    ...(hasGeneratedId ? {} : { id }),
    timestamp: String(timestampUs),
    ...fields,
  }));
  const bytes = Buffer.from(JSON.stringify(sent));
  const rest = { contentType: "application/json", contentEncoding: undefined, nowUs: 0n, maxBytes: 1e6 };
  return (await readPlainBody({ bytes, id: randomUUID(), wantsKeys: false, ...rest })) ?? expect.unreachable();
}

/** Stores the events from the bytes of a body; those that have to be parsed as others. */
async function appendBytes(store: DuckDbStore, source: string, events: readonly LogEvent[]): Promise<AppendResult> {
  const result = await store.appendPlain?.(source, await bodyOf(events), signal);
  if (result === undefined) return store.append(source, events, signal);
  const { rejected, untimed, keys: _, newestTimestampUs, ...rest } = result;
  expect({ rejected, untimed }).toEqual({ rejected: [], untimed: 0 });
  expect(newestTimestampUs).toBe(newestOf(events));
  return rest;
}

describe("requests whose events are stored together", () => {
  const hosts: EngineHost[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });

  /** A store whose appends go through `through` to the host. */
  async function openStore(through: (append: Append) => Append = (append) => append) {
    const { host } = await openCore(core, {
      onFatal: () => expect.unreachable(),
      onProblem: () => expect.unreachable(),
    });
    hosts.push(host);
    const rowCounts: number[] = [];
    const append = through((...call) => {
      rowCounts.push(call[1].header.rowCount);
      return host.append(...call);
    });
    const methods = { createSources: host.createSources, defineSource: host.defineSource, addEntries: host.addEntries };
    const bound = Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, method.bind(host)]));
    const encoder = { read: () => expect.unreachable() };
    const store = new DuckDbStore(() => ({ ...bound, append }) as EngineHost, { encoder });
    await store.ensureSource(definition);
    const readRows = async (source = "edge") => {
      const text = `SELECT id, project, TO_JSON_STRING(metadata) FROM ${source} ORDER BY id, project`;
      const tables = { findTable: (name: string) => store.describe(name), tableNames: () => [source] };
      const query = compileQuery(resolveQuery(parseQuery(text), text, { tables }), store.layoutOf, { text });
      const limits = { timeoutMs: 60_000, maxRows: 1000, maxResultBytes: 1e6 };
      const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
      const rows: unknown[] = [];
      for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
      return rows;
    };
    return { store, rowCounts, readRows };
  }

  it("share a batch when they come while others are being stored, each with a result of its own", async () => {
    let begin = (): void => undefined;
    let held = Promise.resolve();
    const { store, rowCounts } = await openStore((append) => async (...call) => {
      begin();
      await held;
      return append(...call);
    });
    await store.append("edge", [eventOf("known")], signal);
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = store.append("edge", [eventOf("a", { project: "p" })], signal);
    await begun;
    const later = [
      [eventOf("b", { project: "p" }, { timestampUs: 9n }), eventOf("c", { project: "q" })],
      [eventOf("known"), eventOf("d")],
      [],
      [eventOf("b", { project: "p" }), eventOf("b", { project: "q", metadata: { count: "many" } })],
    ].map((events) => store.append("edge", events, signal));
    release();
    expect(await Promise.all([first, ...later])).toEqual([
      { stored: 1, repeated: 0, newestByTenant: new Map([["p", 1n]]) },
      { stored: 2, repeated: 0, newestByTenant: new Map(Object.entries({ p: 9n, q: 1n })) },
      { stored: 1, repeated: 1, tenantless: 2, newestByTenant: new Map() },
      { stored: 0, repeated: 0 },
      { stored: 1, repeated: 1, mistyped: 1, newestByTenant: new Map(Object.entries({ p: 1n, q: 1n })) },
    ]);
    expect(rowCounts).toEqual([1, 1, 6]);
  });

  it("wait for those that the answers to the last ones bring, until a pause brings none", async () => {
    const happens = new EventEmitter();
    const joint = new JointAppends(
      new BatchEncoder(),
      (...[, , , rowCounts]) => new Promise((answer) => happens.emit("sent", rowCounts, answer)),
      () => new Promise((resume) => happens.emit("paused", resume)),
    );
    const schema = { name: "edge", table: "edge", entries: [], tenants: [] };
    const state = createSourceState(schema, defaultStoreLimits.schema);
    const ask = (...ids: readonly string[]) => {
      for (const id of ids) void joint.append(state, { events: [eventOf(id)], full: new Set(), mayBeStored: false });
    };
    /** Answers the batch of so many requests that is sent once `go` is called. */
    const batch = async (count: number, go: () => void) => {
      const sent = once(happens, "sent");
      go();
      const [rowCounts, answer] = (await sent) as [readonly number[], (result: JointResult) => void];
      expect(rowCounts).toEqual(Array(count).fill(1));
      const result = { stored: 1, repeated: 0 };
      return () => answer({ ...result, parts: rowCounts.map(() => result) });
    };
    /** Ends the pause that is made once `go` is called. */
    const pause = async (go: () => void) => {
      const paused = once(happens, "paused");
      go();
      return ((await paused) as [() => void])[0];
    };

    const first = await batch(1, () => ask("a"));
    ask("b", "c");
    // Three senders: the one that is answered is waited for.
    const forFirst = await pause(first);
    ask("a");
    const all = await batch(3, forFirst);
    const forSecond = await pause(() => {
      all();
      ask("a");
    });
    ask("b");
    const forThird = await pause(forSecond);
    // It left.
    const both = await batch(2, forThird);
    const one = await batch(
      1,
      await pause(() => {
        both();
        ask("a");
      }),
    );
    one();
    await new Promise(setImmediate);
    // A sender of its own waits for nobody.
    await batch(1, () => ask("a"));
  });

  it("go in several batches where they are many, each whole", async () => {
    const { store, rowCounts } = await openStore();
    const sizes = [200, 56, 1, 300, 256];
    const appends = sizes.map((size, n) =>
      store.append(
        "edge",
        Array.from({ length: size }, (_, i) => eventOf(`${n} ${i}`)),
        signal,
      ),
    );
    const results = await Promise.all(appends);
    expect(results.map(({ stored }) => stored)).toEqual(sizes);
    expect(rowCounts).toEqual([256, 1, 300, 256]);
  });

  it("fail alone: what the engine refuses of one is stored of the others, once", async () => {
    const holds = (call: Parameters<Append>) => call[1].payload.includes("poison");
    const { store, readRows } = await openStore((append) => async (...call) => {
      if (holds(call)) throw new EngineError("internal", "The rows cannot be stored");
      return append(...call);
    });
    const appends = ["a", "poison", "b"].map((id) => store.append("edge", [eventOf(id)], signal));
    const results = await Promise.allSettled(appends);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "internal" } });
    expect(await readRows()).toHaveLength(2);
  });

  it("fail together for want of room, and are not tried again", async () => {
    let calls = 0;
    const { store } = await openStore(() => async () => {
      calls++;
      throw new EngineError("disk_full", "The disk is full");
    });
    const results = await Promise.allSettled(["a", "b"].map((id) => store.append("edge", [eventOf(id)], signal)));
    for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { code: "disk_full" } });
    expect(calls).toBe(1);
  });

  it("whose events cannot be encoded are refused alone", async () => {
    const { store, readRows } = await openStore();
    const odd = eventOf("odd", { rank: 1 });
    Object.defineProperty(odd.fields, "late", {
      enumerable: true,
      get: () => {
        throw new RangeError("no");
      },
    });
    await store.append("edge", [eventOf("known", { rank: 1 })], signal);
    const batch = [[eventOf("a", { rank: 2 })], [eventOf("b"), odd], [eventOf("c", { rank: 3 })]];
    const results = await Promise.allSettled(batch.map((events) => store.append("edge", events, signal)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await readRows()).toEqual([expect.arrayContaining(["a"]), expect.arrayContaining(["c"]), expect.anything()]);
  });

  it("whose answer is lost are stored once, whether their ids were made here or not", async () => {
    let isLost = true;
    const { store, rowCounts, readRows } = await openStore((append) => async (...call) => {
      const result = await append(...call);
      if (!isLost) return result;
      isLost = false;
      throw new EngineError("unavailable", "The engine stopped", { isLost: true });
    });
    const made = { hasGeneratedId: true };
    const bodies = [await bodyOf([eventOf("", { rank: 1 }, made)]), await bodyOf([eventOf("own")])];
    const appends = [eventOf("a"), eventOf("b", {}, made)].map((event) => store.append("edge", [event], signal));
    const sent = bodies.map((body) => store.appendPlain?.("edge", body, signal));
    const results = await Promise.all([...appends, ...sent]);
    // The last one's fields are known, and are stored with the others of the first batch.
    expect(results).toEqual([0, 0, 1, 0].map((stored) => expect.objectContaining({ stored, repeated: 1 - stored })));
    expect(await readRows()).toHaveLength(4);
    expect(rowCounts).toEqual([3, 3, 1]);
  });

  it("store what they would store one after the other", async () => {
    const value: fc.Arbitrary<EventValue> = fc.oneof(fc.integer(), fc.constant("text"), fc.boolean());
    const event = fc.record({
      id: fc.integer({ min: 0, max: 12 }).map((n) => `id ${n}`),
      project: fc.constantFrom("p", "q", undefined),
      fields: fc.dictionary(fc.constantFrom("a", "b", "c", "count"), value, { maxKeys: 3 }),
      time: fc.integer({ min: 1, max: 3 }).map((us) => 1_790_000_000_000_000 + us),
      isPlain: fc.boolean(),
    });
    const [{ store: alone, readRows: readAlone }, { store: together, readRows: readTogether }] = [
      await openStore(),
      await openStore(),
    ];
    let run = 0;
    const requests = fc.array(fc.array(event, { maxLength: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(requests, fc.array(fc.boolean(), { maxLength: 12 }), async (bodies, pauses) => {
        const all = bodies.map((body) =>
          body.map(({ id, project, fields, time }) =>
            eventOf(
              id,
              { ...(project === undefined ? {} : { project }), metadata: fields },
              { timestampUs: BigInt(time) },
            ),
          ),
        );
        const name = `edge${++run}`;
        for (const store of [alone, together]) await store.ensureSource({ ...definition, name });
        const expected: AppendResult[] = [];
        for (const events of all) expected.push(await alone.append(name, events, signal));
        const appends: Promise<AppendResult>[] = [];
        for (const [index, events] of all.entries()) {
          const isPlain = bodies[index]?.[0]?.isPlain === true;
          appends.push(isPlain ? appendBytes(together, name, events) : together.append(name, events, signal));
          if (pauses[index] === true) await new Promise(setImmediate);
        }
        const found = await Promise.all(appends);
        // Which of two requests with the same id brings it is open where one of them brings new fields.
        const comparable = ({ stored, repeated, ...rest }: AppendResult) => ({ ...rest, count: stored + repeated });
        expect(found.map(comparable)).toEqual(expected.map(comparable));
        const sum = (results: readonly AppendResult[]) => results.reduce((total, { stored }) => total + stored, 0);
        expect(sum(found)).toBe(sum(expected));
        const idsOf = (rows: readonly unknown[]) => rows.map((row) => (row as unknown[])[0]);
        expect(idsOf(await readTogether(name))).toEqual(idsOf(await readAlone(name)));
      }),
      { numRuns: sampleSize(5, 300) },
    );
  });
});
