import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import type { LogEvent } from "../../../contract/query-engine.ts";
import type { Connection } from "../../driver/connection.ts";
import { runQuery } from "../../run-query.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";
import { Shrinking } from "./shrinking.ts";

const signal = new AbortController().signal;
const MB = 1024 ** 2;

describe("a file after deletions", () => {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function open(directory: string): Promise<{ host: EngineHost; store: DuckDbStore }> {
    const { host } = await openCore(
      {
        directory,
        threads: 2,
        memoryLimitBytes: 512 * MB,
        checkpointBytes: 4 * MB,
        compaction: { minRows: 400, maxRows: 400, everyMs: 3_600_000 },
      },
      { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
    );
    closing.push(() => host.close());
    const store = new DuckDbStore(() => host);
    for (const name of ["edge", "auth"]) {
      await store.ensureSource({ name, tenantField: "project", knownFields: [{ path: "project", type: STRING }] });
    }
    return { host, store };
  }

  function makeFolder(): string {
    const directory = mkdtempSync(join(tmpdir(), "logweir-shrinking-"));
    closing.push(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  /** Events of 10 KB that do not compress, of eight tenants, a millisecond apart. */
  function makeEvents(from: number, count: number): LogEvent[] {
    return Array.from({ length: count }, (_, index) => ({
      id: `e${from + index}`,
      hasGeneratedId: false,
      timestampUs: BigInt(from + index) * 1000n,
      eventMessage: randomBytes(7_500).toString("base64"),
      fields: { project: `p${(from + index) % 8}` },
    }));
  }

  async function maintainAll(host: EngineHost): Promise<number> {
    let rounds = 0;
    while (await host.maintain()) rounds++;
    return rounds;
  }

  async function readIds(host: EngineHost, table: string): Promise<readonly unknown[]> {
    const columns = [
      { name: "n", type: INT64 },
      { name: "ids", type: INT64 },
    ];
    const sql = `SELECT count(*), count(DISTINCT id) FROM ${table}`;
    const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const compiled = { sql, parameters: [], columns, tables: [] };
    const { batches } = await runQuery(host, { query: compiled, values: [], encoding: "cells", limits, signal });
    const rows: unknown[] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return rows;
  }

  async function fill({ host, store }: { host: EngineHost; store: DuckDbStore }, count: number): Promise<void> {
    for (let from = 0; from < count; from += 100) {
      await store.append("edge", makeEvents(from, 100), signal);
      await store.append("auth", makeEvents(from, 100), signal);
      await host.maintain();
    }
    await store.append("edge", makeEvents(count, 7), signal);
    await maintainAll(host);
  }

  async function expectShort({ host, store }: { host: EngineHost; store: DuckDbStore }, directory: string) {
    const { figures } = await store.inspect(signal);
    const fileBytes = statSync(join(directory, "events.duckdb")).size;
    const usedBytes = fileBytes - (figures.reusable_bytes ?? 0);
    expect(fileBytes).toBeLessThanOrEqual(usedBytes * 1.1 + 8 * MB);
    expect(await host.maintain(), "nothing is left to do").toBe(false);
    return fileBytes;
  }

  it("becomes as short as what it holds, whatever was deleted, and keeps each other row once", async () => {
    const directory = makeFolder();
    const opened = await open(directory);
    const { host, store } = opened;
    await fill(opened, 2000);
    const full = statSync(join(directory, "events.duckdb")).size;
    expect(full).toBeGreaterThan(25 * MB);

    // The oldest of one source: whole runs are free, at the file's beginning.
    expect(await host.deleteEvents("edge", { toUs: "1500000" })).toMatchObject({ deleted: 1500 });
    expect(await maintainAll(host)).toBeGreaterThan(0);
    const aged = await expectShort(opened, directory);
    expect(aged).toBeLessThan(0.75 * full);
    expect(await readIds(host, "events_1")).toEqual([[507, 507]]);

    // Six of the eight tenants of the other: no run is free, each has a quarter of its rows.
    const tenants = { of: ["p0", "p1", "p2", "p3", "p4", "p5"] };
    expect(await host.deleteEvents("auth", { tenants })).toMatchObject({ matched: 1500, deleted: 1500 });
    expect(await maintainAll(host)).toBeGreaterThan(0);
    const sparse = await expectShort(opened, directory);
    expect(sparse).toBeLessThan(0.5 * full);
    expect(await readIds(host, "events_2")).toEqual([[500, 500]]);

    // Ids are known as before: what is there is a repeat, what was deleted is stored again.
    expect(await store.append("auth", makeEvents(800, 400), signal)).toMatchObject({ stored: 300, repeated: 100 });
  });

  it("is made shorter after a restart, where the deletion was before it", async () => {
    const directory = makeFolder();
    const first = await open(directory);
    await fill(first, 800);
    await first.host.deleteEvents("edge", { toUs: "700000" });
    await first.host.deleteEvents("auth", { toUs: "700000" });
    await closing.pop()?.();
    const long = statSync(join(directory, "events.duckdb")).size;
    const second = await open(directory);
    expect(await maintainAll(second.host)).toBeGreaterThan(0);
    expect(await expectShort(second, directory)).toBeLessThan(0.5 * long);
    expect(await readIds(second.host, "events_1")).toEqual([[107, 107]]);
    expect(await readIds(second.host, "events_2")).toEqual([[100, 100]]);
  });

  it("stays as it is beside a copy of it, and becomes shorter afterwards", async () => {
    const directory = makeFolder();
    const opened = await open(directory);
    await fill(opened, 800);
    await opened.host.deleteEvents("auth", { toUs: "700000" });
    const snapshot = await opened.store.snapshot(signal);
    expect(await opened.host.maintain()).toBe(false);
    await snapshot.release();
    expect(await maintainAll(opened.host)).toBeGreaterThan(0);
    await expectShort(opened, directory);
  });

  it.each([
    ["few rows", false, 900],
    ["many, beside a copy", true, 1200],
  ])("becomes shorter after a deletion that no checkpoint followed: of %s", async (_, isCopied, count) => {
    const directory = makeFolder();
    const opened = await open(directory);
    const { host, store } = opened;
    await fill(opened, count);
    const snapshot = await store.snapshot(signal);
    if (!isCopied) await snapshot.release();
    for (const source of ["edge", "auth"]) await host.deleteEvents(source, { toUs: "9000000" });
    await snapshot.release();
    await maintainAll(host);
    expect(await expectShort(opened, directory)).toBeLessThan(2 * MB);
  });

  it("is left alone where all was written again in vain, until much more is free", async () => {
    const directory = makeFolder();
    const file = join(directory, "events.duckdb");
    writeFileSync(file, "");
    truncateSync(file, 1000 * MB);
    let free = 0;
    let moves = 0;
    const connection = {
      all: (sql: string) => Promise.resolve(sql.includes("pragma_database_size") ? [[free * MB]] : []),
      transaction: () => Promise.resolve(moves++),
    } as unknown as Connection;
    const shrinking = new Shrinking(directory);
    const given = { maxRows: 100, rowsInLog: () => 0, free: () => Promise.resolve(true), noteMoved: () => undefined };
    // A tenth of what the file holds, and 8 MB: 98 MB of 1,000 are kept.
    for (const [freeMb, isTried] of [
      [98, false],
      [100, true],
      [101, false],
      [189, false],
      [190, true],
      [50, false],
      [143, false],
      [144, true],
    ] as const) {
      free = freeMb;
      moves = 0;
      shrinking.noteDeleted();
      expect(await shrinking.plan(connection, [], given)).toBeUndefined();
      expect(await shrinking.plan(connection, [], given)).toBeUndefined();
      expect([freeMb, moves], "once at most").toEqual([freeMb, isTried ? 1 : 0]);
    }
  });
});
