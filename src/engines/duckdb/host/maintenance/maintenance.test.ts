import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { sampleSize } from "../../../../../test/support/sample-size.ts";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import type { LogEvent, OutputColumn } from "../../../contract/query-engine.ts";
import { runQuery } from "../../run-query.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";
import type { CompactionSize } from "./compaction.ts";

const signal = new AbortController().signal;

describe("store maintenance", () => {
  const folders: string[] = [];
  const hosts: EngineHost[] = [];

  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function open(compaction: Partial<CompactionSize> = {}): Promise<{ host: EngineHost; store: DuckDbStore }> {
    const directory = mkdtempSync(join(tmpdir(), "logweir-maintenance-"));
    folders.push(directory);
    const { host } = await openCore(
      {
        directory,
        threads: 2,
        memoryLimitBytes: 512 * 1024 ** 2,
        checkpointBytes: 16 * 1024,
        // Only when a test says so: what changes a table beside a compaction may end it.
        compaction: { minRows: 375, maxRows: 1250, everyMs: 3_600_000, ...compaction },
      },
      { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
    );
    hosts.push(host);
    const store = new DuckDbStore(() => host);
    await store.ensureSource({
      name: "edge",
      tenantField: "project",
      knownFields: [{ path: "project", type: STRING }],
    });
    return { host, store };
  }

  let made = 0;
  function makeEvents(count: number): LogEvent[] {
    return Array.from({ length: count }, () => {
      const n = made++;
      return {
        id: `e${n}`,
        hasGeneratedId: false,
        timestampUs: BigInt(n) * 1000n,
        eventMessage: `message ${n}`,
        fields: { project: `p${n % 7}`, metadata: { n, text: "x".repeat(100) } },
      };
    });
  }

  async function query(host: EngineHost, sql: string, columns: readonly OutputColumn[]): Promise<unknown[][]> {
    const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const compiled = { sql, parameters: [], columns, tables: [] };
    const { batches } = await runQuery(host, { query: compiled, values: [], encoding: "cells", limits, signal });
    const rows: unknown[][] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[][]));
    return rows;
  }

  const one: OutputColumn = { name: "n", type: INT64 };

  async function expectOnce(host: EngineHost, count: number): Promise<void> {
    const rows = await query(host, "SELECT count(*), count(DISTINCT id), count(DISTINCT j3) FROM events_1", [
      one,
      one,
      one,
    ]);
    expect(rows).toEqual([[count, count, count]]);
  }

  it("rewrites the tail sorted by tenant and time, with each row once", async () => {
    const { host, store } = await open();
    made = 0;
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    expect(await host.maintain()).toBe(true);
    await expectOnce(host, 1000);
    expect((await host.statistics())[0]).toMatchObject({ rowCount: 1000, tailRowCount: 0 });
    const projects = await query(host, "SELECT c1 FROM events_1", [{ name: "project", type: STRING }]);
    expect(projects).toEqual([...projects].sort());
    expect(await host.maintain()).toBe(false);
  });

  it("lets the log grow beside a statement that keeps it, says so to who makes a backup, and then goes on", async () => {
    const { host, store } = await open();
    made = 0;
    await store.append("edge", makeEvents(5000), signal);
    const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const compiled = {
      sql: "SELECT j3 FROM events_1",
      parameters: [],
      columns: [{ name: "j", type: STRING }],
      tables: [],
    };
    const { batches } = await runQuery(host, { query: compiled, values: [], encoding: "cells", limits, signal });
    const reader = batches[Symbol.asyncIterator]();
    await reader.next();
    // A column more: no checkpoint can be made beside a statement that does not know it.
    const fresh = makeEvents(1001).map((event) => ({ ...event, fields: { ...event.fields, fresh: 1 } }));
    await store.append("edge", fresh, signal);
    await host.maintain();
    expect((await host.report()).logBytes).toBeGreaterThan(0);
    await expect(store.snapshot(signal)).rejects.toMatchObject({
      ...{ code: "overloaded", retryAfterSeconds: 10 },
      message: expect.stringContaining("a statement runs that began before a field was added"),
    });
    await expectOnce(host, 6001);
    await reader.return?.();
    await (await store.snapshot(signal)).release();
    expect((await host.report()).logBytes).toBe(0);
    while (await host.maintain());
    await expectOnce(host, 6001);
  });

  it("leaves a short tail unsorted", async () => {
    const { host, store } = await open();
    await store.append("edge", makeEvents(250), signal);
    expect(await host.maintain()).toBe(false);
  });

  it("merges a short last run with the rows after it", async () => {
    const { host, store } = await open();
    made = 0;
    for (const count of [500, 500]) {
      await store.append("edge", makeEvents(count), signal);
      expect(await host.maintain()).toBe(true);
    }
    await expectOnce(host, 1000);
    const [source] = (await host.report()).sources;
    expect(source).toMatchObject({ rowCount: 1000, tailRowCount: 0, runCount: 1 });
    const projects = await query(host, "SELECT c1 FROM events_1", [{ name: "project", type: STRING }]);
    expect(projects).toEqual([...projects].sort());
    await store.append("edge", makeEvents(500), signal);
    expect(await host.maintain()).toBe(true);
    await expectOnce(host, 1500);
    expect((await host.report()).sources[0]).toMatchObject({ tailRowCount: 0, runCount: 2 });
  });

  it("sorts a short tail and checkpoints the log when no events arrive", async () => {
    const { host, store } = await open({ minQuietRows: 100, quietMs: 0, everyMs: 5 });
    made = 0;
    const events = makeEvents(1200);
    for (let from = 0; from < 1200; from += 300) await store.append("edge", events.slice(from, from + 300), signal);
    await expect.poll(async () => (await host.statistics())[0]?.tailRowCount).toBe(0);
    await expectOnce(host, 1200);
    const late = { ...makeEvents(1)[0], timestampUs: 5n } as LogEvent;
    await store.append("edge", [late], signal);
    expect(await store.append("edge", events, signal)).toMatchObject({ stored: 0, repeated: 1200 });
    await expectOnce(host, 1201);
  });

  it("sorts a short tail that spans many row groups", async () => {
    const { host, store } = await open({ minRows: 1_000_000, maxRows: 50_000, everyMs: 600_000 });
    made = 0;
    // Over 16 KB of log each, so that each is followed by a checkpoint, which ends a row group.
    for (let i = 0; i < 63; i++) await store.append("edge", makeEvents(70), signal);
    expect(await host.maintain()).toBe(false);
    await store.append("edge", makeEvents(70), signal);
    expect(await host.maintain()).toBe(true);
    await expectOnce(host, 64 * 70);
    expect((await host.report()).sources[0]).toMatchObject({ tailRowCount: 0, runCount: 1 });
    expect(await host.maintain()).toBe(false);
  });

  it("runs concurrently with appends and queries", async () => {
    const { host, store } = await open();
    made = 0;
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    const compacting = host.maintain();
    const counts: number[] = [];
    for (let i = 0; i < 10; i++) {
      await store.append("edge", makeEvents(10), signal);
      const [[count] = []] = await query(host, "SELECT count(*) FROM events_1", [one]);
      counts.push(Number(count));
    }
    expect(counts).toEqual(Array.from({ length: 10 }, (_, i) => 1010 + i * 10));
    expect(await compacting).toBe(true);
    await expectOnce(host, 1100);
  });

  it("survives a concurrent change of the table, and compacts afterwards", async () => {
    const { host, store } = await open();
    made = 0;
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    const compacting = host.maintain().catch((error: unknown) => error);
    await store.append("edge", [{ ...makeEvents(1)[0], fields: { metadata: { fresh: 1 } } } as LogEvent], signal);
    await compacting;
    await host.maintain();
    const rows = await query(host, "SELECT count(*), count(DISTINCT id) FROM events_1", [one, one]);
    expect(rows).toEqual([[1001, 1001]]);
    expect((await host.statistics())[0]?.tailRowCount).toBeLessThan(100);
  });

  it("deletes events older than a time and accepts their ids again", async () => {
    const { host, store } = await open();
    made = 0;
    const events = makeEvents(100);
    await store.append("edge", events, signal);
    expect(await host.deleteEvents("edge", { toUs: "40000" })).toEqual({ matched: 40, deleted: 40 });
    await expectOnce(host, 60);
    expect(await store.append("edge", events, signal)).toMatchObject({ stored: 40, repeated: 60 });
    await expectOnce(host, 100);
  });

  it("recognises events again that came in while older ones of their times were deleted", async () => {
    const { host, store } = await open();
    made = 0;
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    let isDone = false;
    const deleting = host.deleteEvents("edge", { toUs: String(10 * 3600e6) }).finally(() => {
      isDone = true;
    });
    const late: LogEvent[] = [];
    while (!isDone) {
      const [event] = makeEvents(1);
      if (event === undefined) break;
      await store.append("edge", [event], signal);
      late.push(event);
    }
    await deleting;
    await store.append("edge", late, signal);
    const [count] = await query(host, "SELECT count(*), count(DISTINCT id) FROM events_1", [
      { name: "n", type: INT64 },
      { name: "ids", type: INT64 },
    ]);
    expect(count?.[0]).toBe(count?.[1]);
  });

  it("tells no size while deleted events keep their space, and their space once it is free", async () => {
    const { host, store } = await open();
    made = 0;
    const texts = makeEvents(900).map((event) => ({ ...event, eventMessage: randomBytes(8_000).toString("base64") }));
    await store.append("edge", texts, signal);
    const snapshot = await store.snapshot(signal);
    await snapshot.release();
    const usedBytes = async () => (await store.space(signal))?.usedBytes;
    const full = (await usedBytes()) ?? 0;
    expect(full).toBeGreaterThan(7e6);
    const held = await store.snapshot(signal);
    expect(await host.deleteEvents("edge", { toUs: String(900_000) })).toEqual({ matched: 900, deleted: 900 });
    expect(await usedBytes()).toBeUndefined();
    await held.release();
    expect(await usedBytes()).toBeLessThan(full / 2);
  });

  it("reuses the space of deleted events", async () => {
    const { host, store } = await open();
    made = 0;
    const fill = async () => {
      for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
      await host.maintain();
    };
    const sizes: number[] = [];
    for (let round = 1; round <= sampleSize(3, 12); round++) {
      await fill();
      expect(await host.deleteEvents("edge", { toUs: String(made * 1000) })).toEqual({ matched: 1000, deleted: 1000 });
      sizes.push(statSync(join(folders.at(-1) ?? "", "events.duckdb")).size);
    }
    expect(sizes.at(-1)).toBeLessThan(2 * (sizes[0] ?? 0));
    await expectOnce(host, 0);
  });

  it("leaves the file unchanged while a snapshot is open, and still stores events", async () => {
    const { host, store } = await open();
    made = 0;
    await store.append("edge", makeEvents(750), signal);
    const snapshot = await store.snapshot(signal);
    const [file] = snapshot.files;
    const before = readFileSync(file?.path ?? "");
    expect(snapshot.sources).toEqual([{ name: "edge", rowCount: 750 }]);
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    expect(await host.deleteEvents("edge", { toUs: "250000" })).toEqual({ matched: 250, deleted: 250 });
    expect(await host.maintain()).toBe(false);
    await expect(store.snapshot(signal)).rejects.toMatchObject({ code: "overloaded" });
    expect(readFileSync(file?.path ?? "").equals(before)).toBe(true);
    await snapshot.release();
    expect(await host.maintain()).toBe(true);
    await expectOnce(host, 1500);
  });

  it("reports sizes, field counts and run counts", async () => {
    const { host, store } = await open();
    made = 0;
    for (let i = 0; i < 4; i++) await store.append("edge", makeEvents(250), signal);
    await host.maintain();
    const report = await store.inspect(signal);
    expect(report).toMatchObject({
      sources: [{ name: "edge", rowCount: 1000, figures: { runs: 1, tail_rows: 0 }, fieldCount: 4 }],
    });
    const directory = folders.at(-1) ?? "";
    const bytesOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
    expect(report.figures).toMatchObject({
      file_bytes: bytesOf("events.duckdb"),
      log_bytes: bytesOf("events.duckdb.wal"),
    });
    expect(report.figures.file_bytes).toBeGreaterThan(100_000);
    expect(report.figures.reusable_bytes).toBeLessThan(report.figures.file_bytes ?? 0);
    const { blocks, bsize } = statfsSync(directory);
    expect(report.figures.disk_free_bytes).toBeGreaterThan(bsize);
    expect(report.figures.disk_free_bytes).toBeLessThanOrEqual(blocks * bsize);
    await host.deleteEvents("edge", { toUs: String(made * 1000) });
    const emptied = await store.inspect(signal);
    expect(emptied.figures.reusable_bytes).toBeGreaterThan(100_000);
    await store.append("edge", makeEvents(10), signal);
    expect((await store.inspect(signal)).figures).toMatchObject({ log_bytes: bytesOf("events.duckdb.wal") });
    expect(bytesOf("events.duckdb.wal")).toBeGreaterThan(1000);
  });
});
