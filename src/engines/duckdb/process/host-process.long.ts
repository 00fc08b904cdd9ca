import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { STRING } from "../../../googlesql/types.ts";
import { EngineError, type LogEvent, type QueryLimits } from "../../contract/query-engine.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import type { HostQuery } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "../store/store.ts";
import { HostProcess } from "./host-process.ts";

const MEBIBYTE = 1024 ** 2;
const signal = new AbortController().signal;
const limits: QueryLimits = { timeoutMs: 60_000, maxRows: 1_000_000, maxResultBytes: 1e9 };

interface OpenStore {
  readonly host: HostProcess;
  readonly store: DuckDbStore;
  readonly log: string[];
}

describe("the engine host", () => {
  const opened: HostProcess[] = [];
  const folders: string[] = [];

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((host) => host.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "logweir-store-"));
    folders.push(folder);
    return folder;
  }

  async function openStore(
    directory: string,
    some: {
      limits?: StoreLimits;
      maxResidentBytes?: number;
      lockPatienceMs?: number;
      hostPath?: string;
      maxQueries?: number;
    } = {},
  ): Promise<OpenStore> {
    const log: string[] = [];
    const store: DuckDbStore = new DuckDbStore(
      () => host.client(),
      some.limits === undefined ? {} : { limits: some.limits },
    );
    const host = new HostProcess({
      core: {
        directory,
        threads: 2,
        memoryLimitBytes: 512 * MEBIBYTE,
        checkpointBytes: MEBIBYTE,
        compaction: { minRows: 1000, maxRows: 5000 },
        // So that ids go to files, which kills interrupt too.
        maxHeldIds: 200,
        ...(some.maxQueries === undefined ? {} : { maxQueries: some.maxQueries }),
      },
      ...(some.hostPath === undefined ? {} : { hostPath: some.hostPath }),
      lockPatienceMs: some.lockPatienceMs ?? 0,
      maxResidentBytes: some.maxResidentBytes ?? 4096 * MEBIBYTE,
      log: (level, message) => log.push(`${level} ${message}`),
      onReady: (opened) => store.load(opened),
    });
    opened.push(host);
    await host.start();
    return { host, store, log };
  }

  function eventOf(id: string, fields: LogEvent["fields"] = {}): LogEvent {
    return { id, hasGeneratedId: false, timestampUs: 1_000_000n, eventMessage: "m", fields };
  }

  const plain = { parameters: [], columns: [{ name: "v", type: STRING }], encoding: "cells", limits } as const;

  function kill(host: HostProcess): void {
    if (host.pid !== undefined) process.kill(host.pid, "SIGKILL");
  }

  /** Calls until it succeeds, like a client that gets a 503. */
  async function persist<T>(host: HostProcess, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isTemporary = error instanceof EngineError && error.code === "unavailable";
        if (!isTemporary || host.cannotStart) throw error;
        // On a busy machine a start takes longer than a call waits.
        await host.ready().catch(() => undefined);
      }
    }
  }

  function start(host: HostProcess, sql: string, some: Partial<QueryLimits> = {}, abort: AbortSignal = signal) {
    const query = { sql, parameters: [], columns: [{ name: "v", type: STRING }], tables: [] };
    return runQuery(host.client(), {
      query,
      values: [],
      encoding: "cells",
      limits: { ...limits, ...some },
      signal: abort,
    });
  }

  async function query(host: HostProcess, sql: string): Promise<string[]> {
    const values: string[] = [];
    for await (const { json } of (await start(host, sql)).batches) {
      for (const [value] of JSON.parse(`[${json}]`) as [string][]) values.push(value);
    }
    return values;
  }

  it("loses no acknowledged event when killed during ingest, and stores none twice", async () => {
    const { host, store } = await openStore(newFolder());
    await store.ensureSource({ name: "edge", knownFields: [] });
    const acknowledged: string[] = [];
    let killsLeft = sampleSize(1, 12);
    let next = 0;
    const client = async () => {
      while (killsLeft > 0) {
        const ids = Array.from({ length: 20 }, () => `event ${next++}`);
        const events = ids.map((id) =>
          eventOf(id, { metadata: { text: "x".repeat(500), [`field_${next % 10}`]: next } }),
        );
        await persist(host, () => store.append("edge", events, signal));
        acknowledged.push(...ids);
      }
    };
    const killer = async () => {
      for (; killsLeft > 0; killsLeft--) {
        const before = acknowledged.length;
        while (acknowledged.length < before + 100) await new Promise((resolve) => setImmediate(resolve));
        kill(host);
      }
    };
    await Promise.all([client(), client(), client(), client(), killer()]);
    const stored = await persist(host, () => query(host, "SELECT id FROM events_1"));
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((id) => !new Set(stored).has(id))).toEqual([]);
    const again = acknowledged.map((id) => eventOf(id));
    const repeated = await persist(host, () => store.append("edge", again, signal));
    expect(repeated).toMatchObject({ stored: 0, repeated: acknowledged.length });
  }, 180_000);

  it("stores every event once when killed during compaction, a checkpoint or a table change", async () => {
    const { host, store } = await openStore(newFolder());
    await store.ensureSource({ name: "edge", knownFields: [{ path: "project", type: STRING }] });
    const eventAt = (n: number) =>
      eventOf(`event ${n}`, { project: `p${n % 5}`, metadata: { text: "x".repeat(200), [`f${n >> 12}`]: n } });
    let next = 0;
    const append = () => {
      const events = Array.from({ length: 1500 }, () => eventAt(next++));
      return persist(host, () => store.append("edge", events, signal));
    };
    for (let kills = 0; kills < sampleSize(1, 8); kills++) {
      await append();
      const compacting = persist(host, () => host.client().maintain()).catch(() => false);
      const appending = append();
      // A different moment each time, counted in turns of the event loop.
      for (let turns = kills * 6000; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      kill(host);
      await Promise.all([compacting, appending]);
    }
    const counts = await persist(host, () => query(host, "SELECT count(*) || ' ' || count(DISTINCT id) FROM events_1"));
    expect(counts).toEqual([`${next} ${next}`]);
    const again = Array.from({ length: next }, (_, n) => eventAt(n));
    const repeated = await persist(host, () => store.append("edge", again, signal));
    expect(repeated).toMatchObject({ stored: 0, repeated: next });
  }, 180_000);

  it("fails pending calls when killed, and answers again after a restart", async () => {
    const { host, store, log } = await openStore(newFolder());
    await store.ensureSource({ name: "edge", knownFields: [] });
    await store.append("edge", [eventOf("a")], signal);
    const { batches } = await start(host, "SELECT repeat('x', 1000) FROM unnest(range(1000)), unnest(range(1000))");
    const iterator = batches[Symbol.asyncIterator]();
    await iterator.next();
    kill(host);
    const readToEnd = async () => {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next());
    };
    await expect(readToEnd()).rejects.toMatchObject({ code: "unavailable" });
    expect(await persist(host, () => query(host, "SELECT id FROM events_1"))).toEqual(["a"]);
    expect(log.join("\n")).toContain("SIGKILL");
  });

  it("streams only as far as the reader asks, and stops when the reader does", async () => {
    const { host } = await openStore(newFolder());
    const { batches } = await start(host, "SELECT repeat('x', 1000) FROM unnest(range(10000)), unnest(range(1000))", {
      maxRows: 1e8,
    });
    const iterator = batches[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.rowCount).toBe(256);
    await iterator.return?.();
    expect(host.client().oldestOverdueMs()).toBeDefined();
    while (host.client().oldestOverdueMs() !== undefined) await query(host, "SELECT 'next'");
  });

  it("exits when the service is gone, so that the store is free again", async () => {
    const script = fileURLToPath(new URL("../../../../dist/engine-host.js", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
    const exited = once(child, "exit");
    (child.stdio[3] as Duplex).end();
    expect(await exited).toEqual([0, null]);
  });

  it("runs several queries at once", async () => {
    const { host } = await openStore(newFolder());
    const controller = new AbortController();
    const slow = start(
      host,
      "SELECT count(*)::VARCHAR FROM unnest(range(30000)) a(i), unnest(range(30000)) b(j), " +
        "unnest(range(9000)) c(k) WHERE i + j * k = 7",
      {},
      controller.signal,
    );
    const failed = expect(slow).rejects.toMatchObject({ code: "aborted" });
    const quick = await Promise.all(Array.from({ length: 5 }, (_, i) => query(host, `SELECT '${i}'`)));
    expect(quick).toEqual([["0"], ["1"], ["2"], ["3"], ["4"]]);
    controller.abort();
    await failed;
  });

  it("rejects a query that needs more memory than allowed", async () => {
    const { host, log } = await openStore(newFolder(), { maxResidentBytes: 600 * MEBIBYTE });
    const { pid } = host;
    const limited = start(host, "SELECT list(i || repeat('x', 100))::VARCHAR FROM unnest(range(8000000)) t(i)");
    await expect(limited).rejects.toMatchObject({ code: "memory_exceeded" });
    expect([host.pid, log]).toEqual([pid, []]);
  });

  it("reports the running query when the process ends unexpectedly", async () => {
    const { host } = await openStore(newFolder());
    const { pid = 0 } = host;
    let blamed = 0;
    const query: HostQuery = { sql: "SELECT 'x' FROM unnest(range(1000000))", ...plain };
    const running = host.client().run(query, signal, () => blamed++);
    await running.next();
    process.kill(pid, "SIGABRT");
    const readToEnd = async () => {
      for (let step = await running.next(); step.done !== true; step = await running.next());
    };
    await expect(readToEnd()).rejects.toMatchObject({ code: "memory_exceeded" });
    expect(blamed).toBe(1);
    await persist(host, async () => host.client());
    expect(host.pid).not.toBe(pid);
  });

  it("is restarted when its output cannot be parsed", async () => {
    const hostPath = fileURLToPath(new URL("../../../../test/security/stubborn-host.mjs", import.meta.url));
    const { host, log } = await openStore(newFolder(), { hostPath });
    await expect(start(host, "SELECT 'garbled'")).rejects.toMatchObject({ code: "unavailable" });
    expect(await persist(host, () => query(host, "SELECT 'back'"))).toEqual(["back"]);
    expect(log.join("\n")).toContain("ending the engine host: what it sends cannot be read: A frame cannot have");
  });

  it("lets a query be aborted while it waits for a connection", async () => {
    const { host } = await openStore(newFolder(), { maxQueries: 1 });
    const { batches } = await start(host, "SELECT 'x' FROM unnest(range(1000000))");
    const controller = new AbortController();
    const waiting = start(host, "SELECT 'waits'", {}, controller.signal);
    const refused = expect(waiting).rejects.toMatchObject({ code: "aborted" });
    controller.abort();
    await refused;
    await expect.poll(() => host.client().oldestOverdueMs()).toBeUndefined();
    await batches[Symbol.asyncIterator]().return?.();
    expect(await query(host, "SELECT 'next'")).toEqual(["next"]);
  });

  it("rejects events beyond the limit of pending rows", async () => {
    const tight = { ...defaultStoreLimits, maxPendingRows: 10 };
    const { store } = await openStore(newFolder(), { limits: tight });
    await store.ensureSource({ name: "edge", knownFields: [] });
    const events = Array.from({ length: 10 }, (_, i) => eventOf(`${i}`));
    const first = store.append("edge", events, signal);
    await expect(store.append("edge", [eventOf("late")], signal)).rejects.toMatchObject({
      code: "overloaded",
      retryAfterSeconds: 1,
    });
    expect(await first).toEqual({ stored: 10, repeated: 0 });
    expect(await store.append("edge", [eventOf("late")], signal)).toEqual({ stored: 1, repeated: 0 });
  });

  it("rejects a store that another process has open", async () => {
    const folder = newFolder();
    await openStore(folder);
    await expect(openStore(folder)).rejects.toThrow(/Another process \(\d+\) uses the store/);
  });

  it("waits for a store that another process is closing", async () => {
    const folder = newFolder();
    const first = await openStore(folder);
    const second = openStore(folder, { lockPatienceMs: 20_000 });
    await first.host.close();
    await expect(second).resolves.toBeDefined();
  });
});
