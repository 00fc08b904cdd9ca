import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import { printRows } from "../../compile/plan-rows.ts";
import { DuckDBTimestampValue } from "../../driver/driver.ts";
import { runQuery } from "../../run-query.ts";
import type { RowsPlan } from "../../statement-plan.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";
import { type KeptCall, KeptRows } from "./kept-rows.ts";
import { createRowShape } from "./row-shape.ts";

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

describe("the shape of a statement", () => {
  const keys = `SELECT t1."id" AS c1_id, t1."timestamp" AS c2_timestamp FROM "events_1" AS t1 WHERE`;
  const order = `ORDER BY ${plan.order} LIMIT`;

  it("is that of its columns without the texts, also from a time on", () => {
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

  it("answers each row's tenant too where rows have one", () => {
    const shape = createRowShape(plan, 1, (table) => (table === "events_1" ? "c1" : undefined));
    expect(shape?.wholeSql).toContain(', t1."c1" AS lw_tenant FROM');
    expect(shape?.keysSql).toContain(', t1."c1" AS lw_tenant FROM');
  });

  it("knows no time where rows are sorted otherwise, or their times are not asked for", () => {
    expect(createRowShape({ ...plan, isNewestFirst: false }, 1)?.newest).toBeUndefined();
    const columns = plan.columns.filter(({ column }) => column !== "timestamp");
    expect(createRowShape({ ...plan, columns }, 1)?.newest).toBeUndefined();
  });

  it.each<[string, Partial<RowsPlan>]>([
    ["the id is not asked for", { columns: plan.columns.slice(1) }],
    ["there is no text", { columns: plan.columns.filter(({ isText }) => !isText) }],
    ["the limit is large", { limit: 1025 }],
    ["the limit is nought", { limit: 0 }],
  ])("does not exist where %s", (_, change) => {
    expect(createRowShape({ ...plan, ...change }, 1)).toBeUndefined();
  });
});

describe("kept rows", () => {
  const columnCount = 4;
  const row = (id: string, text: string | null = `[{"n":"${id}"}]`, us = 1n) => [
    id,
    `message ${id}`,
    new DuckDBTimestampValue(us),
    text,
  ];

  function begin(kept: KeptRows, rows = plan): KeptCall {
    const call = kept.begin(printRows(rows), rows, columnCount, ["p"]);
    if (call === undefined) throw new Error("Nothing of the statement can be kept");
    return call;
  }

  it("complete what is known whole, in the order of the ids", () => {
    const kept = new KeptRows();
    kept.keep(begin(kept), [row("a"), row("b"), ["c", null, null, "[]"]]);
    const keys = ["b", "a", "c"].map((id, at) => [id, BigInt(at)]);
    expect(kept.complete(begin(kept), keys)).toEqual([
      ["b", "message b", 0n, `[{"n":"b"}]`],
      ["a", "message a", 1n, `[{"n":"a"}]`],
      ["c", null, 2n, "[]"],
    ]);
    expect(kept.complete(begin(kept), [...keys, ["d", 1n]])).toBeUndefined();
  });

  it("are nothing to statements of another number of columns or values", () => {
    const kept = new KeptRows();
    begin(kept);
    expect(kept.begin(printRows(plan), plan, columnCount + 1, ["p"])).toBeUndefined();
    expect(kept.begin(printRows(plan), plan, columnCount, ["p", "q"])).toBeUndefined();
  });

  it("are not kept while their JSON is NULL, which may be written over, nor where it is very long", () => {
    const kept = new KeptRows();
    kept.keep(begin(kept), [row("a", null), row("b", "x".repeat(100_001))]);
    expect(kept.complete(begin(kept), [["a", 1n]])).toBeUndefined();
    expect(kept.complete(begin(kept), [["b", 1n]])).toBeUndefined();
  });

  it("do not pass over a deletion, in either direction", () => {
    const kept = new KeptRows();
    const before = begin(kept);
    kept.keep(before, [row("a")]);
    kept.forget();
    kept.keep(before, [row("a")]);
    expect(kept.complete(begin(kept), [["a", 1n]])).toBeUndefined();
    kept.keep(begin(kept), [row("a")]);
    expect(kept.complete(before, [["a", 1n]])).toBeUndefined();
    expect(kept.complete(begin(kept), [["a", 1n]])).toHaveLength(1);
  });

  it("are bounded by their bytes", () => {
    const kept = new KeptRows();
    const text = "x".repeat(100_000);
    for (let i = 0; i < 200; i++) kept.keep(begin(kept), [row(String(i), text)]);
    expect(kept.complete(begin(kept), [["0", 1n]])).toBeUndefined();
    expect(kept.complete(begin(kept), [["199", 1n]])).toHaveLength(1);
  });

  it("are asked for from the last row's time on, once a full answer to the same values was seen", () => {
    const kept = new KeptRows();
    const two = { ...plan, limit: 2 };
    const full = [row("b", "[]", 8n), row("a", "[]", 7n)];
    const keys = full.map(([id, , time]) => [id ?? null, time ?? null]);
    expect(kept.keysOf(begin(kept, two))).toBeUndefined();
    kept.keep(begin(kept, two), full);
    expect(kept.keysOf(begin(kept, two))).toMatchObject({ since: { micros: 7n } });
    expect(kept.keysOf(begin(kept, two))?.sql).toContain("LIMIT 1025");
    const others = kept.begin(printRows(two), two, columnCount, ["q"]);
    expect(others && kept.keysOf(others)).toMatchObject({
      sql: expect.stringContaining("LIMIT 2::"),
      since: undefined,
    });
    expect(kept.complete(begin(kept, two), [...keys, ["older", 7n]])).toHaveLength(2);
    expect(kept.complete(begin(kept, two), keys.slice(1))).toBeUndefined();
  });

  it("are complete though they are few, where they were few before", () => {
    const kept = new KeptRows();
    kept.keep(begin(kept), [row("a")]);
    expect(kept.keysOf(begin(kept)), "at the first run of a statement").toBeUndefined();
    expect(kept.keysOf(begin(kept))?.since?.micros).toBe(-(2n ** 63n) + 1n);
    expect(kept.complete(begin(kept), [["a", 1n]])).toHaveLength(1);
    expect(kept.complete(begin(kept), [])).toEqual([]);
  });

  it("are asked for ever more seldom by a statement that meets unknown ones", () => {
    const kept = new KeptRows();
    kept.keep(begin(kept), [row("a")]);
    const tries: number[] = [];
    for (let run = 0; run < 60; run++) {
      if (kept.keysOf(begin(kept)) === undefined) continue;
      tries.push(run);
      kept.complete(begin(kept), [["unknown", 1n]]);
    }
    expect(tries).toEqual([1, 3, 6, 11, 20, 37, 54]);
    while (kept.keysOf(begin(kept)) === undefined);
    kept.complete(begin(kept), [["a", 1n]]);
    expect(kept.keysOf(begin(kept))).toBeDefined();
  });
});

describe("a store", () => {
  const directory = mkdtempSync(join(tmpdir(), "logweir-kept-"));
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
    const limits = { timeoutMs: 10_000, maxRows: 1e6, maxResultBytes: 1e8 };
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

  it("answers the same again after a compaction, and other texts once ids stand for other events", async () => {
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
    expect(await host.deleteBefore("edge", "1000000")).toBe(1501);
    expect(await read()).toEqual([]);
    await append(ids, "third");
    const third = await read();
    expect(third[0]).toEqual(["e1499", "third of e1499", 2499, expect.stringContaining(`"version":"third"`)]);
    expect(await read()).toEqual(third);
  });
});
