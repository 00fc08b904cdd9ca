import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printRows } from "../../../../../test/support/engines/duckdb/compile/print-rows.ts";
import { STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import { DuckDBTimestampValue } from "../../driver/driver.ts";
import { runQuery } from "../../run-query.ts";
import type { RowsPlan } from "../../statement-plan.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";
import { type CacheableCall, createRowShape, RowCache } from "./row-cache.ts";

const plan: RowsPlan = {
  table: "events_1",
  alias: "t1",
  columns: [
    { column: "id", alias: "c1_id", isText: false },
    { column: "event_message", alias: "c3_message", isText: true },
    { column: "timestamp", alias: "c2_timestamp", isText: false },
    { column: "j3", alias: "c4_metadata", isText: true },
  ],
  where: '(t1."c1" = CAST($1 AS VARCHAR))',
  order: "c2_timestamp DESC NULLS LAST, c1_id DESC NULLS LAST",
  isNewestFirst: true,
  limit: 100,
};

describe("the row shape of a statement", () => {
  const keys = `SELECT t1."id" AS c1_id, t1."timestamp" AS c2_timestamp FROM "events_1" AS t1 WHERE`;
  const order = `ORDER BY ${plan.order} LIMIT`;

  it("reads all columns except the texts, optionally from a given time on", () => {
    expect(createRowShape(plan, 1)).toMatchObject({
      wholeSql: printRows(plan),
      keysSql: `${keys} ${plan.where} ${order} 100::BIGINT`,
      newest: {
        sql: `${keys} t1."timestamp" >= CAST($2 AS TIMESTAMP) AND (${plan.where}) ${order} 1025::BIGINT`,
        timePosition: 2,
        timeKeyPosition: 1,
      },
      limit: 100,
      table: "events_1",
      texts: [undefined, "event_message", undefined, "j3"],
    });
  });

  it("includes the tenant of each row if rows have tenants", () => {
    const shape = createRowShape(plan, 1, (table) => (table === "events_1" ? "c1" : undefined));
    expect(shape?.wholeSql).toContain(', t1."c1" AS lw_tenant FROM');
    expect(shape?.keysSql).toContain(', t1."c1" AS lw_tenant FROM');
  });

  it("has no other condition than the time if the statement has none", () => {
    const shape = createRowShape({ ...plan, where: "" }, 0);
    expect(shape?.keysSql).toBe(`${keys.replace(" WHERE", "")} ${order} 100::BIGINT`);
    expect(shape?.newest?.sql).toBe(`${keys} t1."timestamp" >= CAST($1 AS TIMESTAMP) ${order} 1025::BIGINT`);
  });

  it("has no time bound if rows are sorted differently or their times are not selected", () => {
    expect(createRowShape({ ...plan, isNewestFirst: false }, 1)?.newest).toBeUndefined();
    const columns = plan.columns.filter(({ column }) => column !== "timestamp");
    expect(createRowShape({ ...plan, columns }, 1)?.newest).toBeUndefined();
  });

  it.each<[string, Partial<RowsPlan>]>([
    ["the id is not selected", { columns: plan.columns.slice(1) }],
    ["no text is selected", { columns: plan.columns.filter(({ isText }) => !isText) }],
    ["the limit is large", { limit: 1025 }],
    ["the limit is 0", { limit: 0 }],
  ])("does not exist if %s", (_, change) => {
    expect(createRowShape({ ...plan, ...change }, 1)).toBeUndefined();
  });
});

describe("the row cache", () => {
  const columnCount = 4;
  const row = (id: string, text: string | null = `[{"n":"${id}"}]`, us = 1n) => [
    id,
    `message ${id}`,
    new DuckDBTimestampValue(us),
    text,
  ];

  function begin(cache: RowCache, rows = plan): CacheableCall {
    const call = cache.begin(printRows(rows), rows, columnCount, ["p"]);
    if (call === undefined) throw new Error("Nothing of the statement can be cached");
    return call;
  }

  it("completes rows that it knows in full, in the order of the ids", () => {
    const cache = new RowCache();
    cache.add(begin(cache), [row("a"), row("b"), ["c", null, null, "[]"]]);
    const keys = ["b", "a", "c"].map((id, at) => [id, BigInt(at)]);
    expect(cache.complete(begin(cache), keys)).toEqual([
      ["b", "message b", 0n, `[{"n":"b"}]`],
      ["a", "message a", 1n, `[{"n":"a"}]`],
      ["c", null, 2n, "[]"],
    ]);
    expect(cache.complete(begin(cache), [...keys, ["d", 1n]])).toBeUndefined();
  });

  it("does not serve a statement with another number of columns or values", () => {
    const cache = new RowCache();
    begin(cache);
    expect(cache.begin(printRows(plan), plan, columnCount + 1, ["p"])).toBeUndefined();
    expect(cache.begin(printRows(plan), plan, columnCount, ["p", "q"])).toBeUndefined();
  });

  it("skips rows whose JSON is NULL, since it may be overwritten, and very long rows", () => {
    const cache = new RowCache();
    cache.add(begin(cache), [row("a", null), row("b", "x".repeat(100_001))]);
    expect(cache.complete(begin(cache), [["a", 1n]])).toBeUndefined();
    expect(cache.complete(begin(cache), [["b", 1n]])).toBeUndefined();
  });

  it("invalidates calls that began before a deletion, for reading and for writing", () => {
    const cache = new RowCache();
    const before = begin(cache);
    cache.add(before, [row("a")]);
    cache.forget();
    cache.add(before, [row("a")]);
    expect(cache.complete(begin(cache), [["a", 1n]])).toBeUndefined();
    cache.add(begin(cache), [row("a")]);
    expect(cache.complete(before, [["a", 1n]])).toBeUndefined();
    expect(cache.complete(begin(cache), [["a", 1n]])).toHaveLength(1);
  });

  it("tells rows of different tenants with the same id apart", () => {
    const cache = new RowCache(() => "c1");
    const of = (tenant: string | null) => [...row("x", `[{"of":"${tenant}"}]`), tenant];
    cache.add(begin(cache), [of("a"), of("b")]);
    const found = cache.complete(
      begin(cache),
      ["b", "a"].map((tenant) => ["x", 5n, tenant]),
    );
    expect(found?.map((cells) => cells[3])).toEqual([`[{"of":"b"}]`, `[{"of":"a"}]`]);
    expect(cache.complete(begin(cache), [["x", 5n, null]])).toBeUndefined();
    cache.add(begin(cache), [of(null)]);
    expect(cache.complete(begin(cache), [["x", 5n, null]])).toHaveLength(1);
  });

  it("remembers no time for very long values, which would take as much memory as the rows", () => {
    const cache = new RowCache();
    const beginLong = (length: number) =>
      cache.begin(printRows(plan), plan, columnCount, ["x".repeat(length - 4)]) ?? expect.unreachable();
    for (const length of [2000, 2001]) cache.add(beginLong(length), [row("a")]);
    expect(cache.keysOf(beginLong(2000)), "at the first run of a statement").toBeUndefined();
    expect(cache.keysOf(beginLong(2000))?.since).toBeDefined();
    expect(cache.keysOf(beginLong(2001))).toMatchObject({ since: undefined });
  });

  it("bounds its entries by their size in bytes", () => {
    const cache = new RowCache();
    const text = "x".repeat(100_000);
    for (let i = 0; i < 200; i++) cache.add(begin(cache), [row(String(i), text)]);
    expect(cache.complete(begin(cache), [["0", 1n]])).toBeUndefined();
    expect(cache.complete(begin(cache), [["199", 1n]])).toHaveLength(1);
  });

  it("reads keys from the last row's time on after a full answer to the same values", () => {
    const cache = new RowCache();
    const two = { ...plan, limit: 2 };
    const full = [row("b", "[]", 8n), row("a", "[]", 7n)];
    const keys = full.map(([id, , time]) => [id ?? null, time ?? null]);
    expect(cache.keysOf(begin(cache, two))).toBeUndefined();
    cache.add(begin(cache, two), full);
    expect(cache.keysOf(begin(cache, two))).toMatchObject({ since: { micros: 7n } });
    expect(cache.keysOf(begin(cache, two))?.sql).toContain("LIMIT 1025");
    const others = cache.begin(printRows(two), two, columnCount, ["q"]);
    expect(others && cache.keysOf(others)).toMatchObject({
      sql: expect.stringContaining("LIMIT 2::"),
      since: undefined,
    });
    expect(cache.complete(begin(cache, two), [...keys, ["older", 7n]])).toHaveLength(2);
    expect(cache.complete(begin(cache, two), keys.slice(1))).toBeUndefined();
  });

  it("completes an answer below the limit if the previous one was below it too", () => {
    const cache = new RowCache();
    cache.add(begin(cache), [row("a")]);
    expect(cache.keysOf(begin(cache)), "at the first run of a statement").toBeUndefined();
    expect(cache.keysOf(begin(cache))?.since?.micros).toBe(-(2n ** 63n) + 1n);
    expect(cache.complete(begin(cache), [["a", 1n]])).toHaveLength(1);
    expect(cache.complete(begin(cache), [])).toEqual([]);
  });

  it("is tried less and less often by a statement that keeps missing", () => {
    const cache = new RowCache();
    cache.add(begin(cache), [row("a")]);
    const tries: number[] = [];
    for (let run = 0; run < 60; run++) {
      if (cache.keysOf(begin(cache)) === undefined) continue;
      tries.push(run);
      cache.complete(begin(cache), [["unknown", 1n]]);
    }
    expect(tries).toEqual([1, 3, 6, 11, 20, 37, 54]);
    while (cache.keysOf(begin(cache)) === undefined);
    cache.complete(begin(cache), [["a", 1n]]);
    expect(cache.keysOf(begin(cache))).toBeDefined();
  });
});

describe("a store with a row cache", () => {
  const directory = mkdtempSync(join(tmpdir(), "logweir-row-cache-"));
  const signal = new AbortController().signal;
  let host: EngineHost;
  let store: DuckDbStore;

  beforeAll(async () => {
    const options = {
      directory,
      threads: 1,
      memoryLimitBytes: 512 * 1024 ** 2,
      checkpointBytes: 64 * 1024,
      compaction: { minRows: 1000, maxRows: 4000 },
    };
    const fail = () => expect.unreachable();
    ({ host } = await openCore(options, { onFatal: fail, onProblem: fail }));
    store = new DuckDbStore(() => host);
    await store.ensureSource({ name: "edge", knownFields: [{ path: "project", type: STRING }] });
  });

  afterAll(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function append(ids: readonly string[], version: string): Promise<void> {
    const events = ids.map((id, at) => ({
      id,
      hasGeneratedId: false,
      timestampUs: BigInt(1000 + at),
      eventMessage: `${version} of ${id}`,
      fields: { project: "p", metadata: { version, id } },
    }));
    await store.append("edge", events, signal);
  }

  async function read(): Promise<unknown[]> {
    const ofProject = { ...plan, where: plan.where.replace("CAST($1 AS VARCHAR)", "'p'") };
    const columns = [STRING, STRING, TIMESTAMP, STRING].map((type, i) => ({ name: `c${i}`, type }));
    const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const query = {
      sql: printRows(ofProject),
      parameters: [],
      columns,
      tables: [],
      plan: { idConditions: [], rows: ofProject },
    };
    const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
    const rows: unknown[] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return rows;
  }

  it("returns the same rows after a compaction, and new texts once ids belong to other events", async () => {
    const ids = Array.from({ length: 1500 }, (_, i) => `e${i}`);
    await append(ids, "first");
    const first = await read();
    expect(first).toHaveLength(100);
    expect(first[0]).toEqual(["e1499", "first of e1499", 2499, expect.stringContaining(`"version":"first"`)]);
    expect(await read()).toEqual(first);
    while (await host.maintain());
    expect(await read()).toEqual(first);
    await append(["e1499", "later"], "second");
    expect(await read()).toEqual(first);
    // There is no read in between, since it would start afresh anyway.
    expect(await host.deleteEvents("edge", { toUs: "1000000" })).toMatchObject({ deleted: 1501 });
    await append(ids, "third");
    const third = await read();
    expect(third[0]).toEqual(["e1499", "third of e1499", 2499, expect.stringContaining(`"version":"third"`)]);
    expect(await read()).toEqual(third);
  });
});
