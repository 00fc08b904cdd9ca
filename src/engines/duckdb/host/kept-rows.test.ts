import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "../store.ts";
import { openCore } from "./core.ts";
import { createKeptRows, type RowShape } from "./kept-rows.ts";
import type { EngineHost } from "./protocol.ts";

const order = `ORDER BY c2_timestamp DESC NULLS LAST, c1_id DESC NULLS LAST LIMIT 100::BIGINT`;
const newest = `SELECT t1."id" AS c1_id, t1."event_message" AS c3_message, t1."timestamp" AS c2_timestamp, t1."j3" AS c4_metadata FROM "events_1" AS t1 WHERE (t1."c1" = CAST($1 AS VARCHAR)) ${order}`;

function shapeOf(sql: string, columnCount = 4): RowShape | undefined {
  return createKeptRows().shapeOf(sql, columnCount);
}

function knownShape(sql: string): RowShape {
  const shape = shapeOf(sql);
  if (shape === undefined) throw new Error("The statement has no shape");
  return shape;
}

describe("the shape of a statement", () => {
  it("is that of its columns without the texts", () => {
    expect(shapeOf(newest)).toMatchObject({
      keysSql: `SELECT t1."id" AS c1_id, t1."timestamp" AS c2_timestamp FROM "events_1" AS t1 WHERE (t1."c1" = CAST($1 AS VARCHAR)) ${order}`,
      table: "events_1",
      texts: [undefined, "event_message", undefined, "j3"],
    });
  });

  it.each([
    ["a column is computed", newest.replace(`t1."j3"`, `lw_redact(t1."j3")`)],
    ["the id is not asked for", newest.replace(`t1."id" AS c1_id`, `t1."c9" AS c1_id`)],
    ["there is no text", newest.replace(`, t1."j3"`, `, t1."c3"`).replace(`t1."event_message"`, `t1."c4"`)],
    ["a text is sorted by", newest.replace("ORDER BY c2_timestamp", "ORDER BY c4_metadata")],
    ["there is no limit", newest.replace(" LIMIT 100::BIGINT", "")],
    ["the limit is large", newest.replace("LIMIT 100::", "LIMIT 1025::")],
    ["rows are grouped", newest.replace("ORDER BY", "GROUP BY 1, 2, 3, 4 ORDER BY")],
    ["rows are made distinct", newest.replace("SELECT ", "SELECT DISTINCT ")],
    ["tables are joined", newest.replace(" AS t1 WHERE", ` AS t1, "events_2" AS t2 WHERE`)],
    ["there is another SELECT", `${newest.replace(` ${order}`, "")} UNION ALL ${newest}`],
    ["a part of it is in parentheses", `SELECT s1.c1_id FROM (${newest}) AS s1 ${order}`],
  ])("does not exist where %s", (_, sql) => {
    expect(sql).not.toBe(newest);
    expect(shapeOf(sql)).toBeUndefined();
  });

  it("does not exist where another number of columns was compiled", () => {
    expect(shapeOf(newest, 5)).toBeUndefined();
  });
});

describe("kept rows", () => {
  const shape = () => knownShape(newest);
  const row = (id: string, text: string | null = `[{"n":"${id}"}]`) => [id, `message ${id}`, 1n, text];

  it("complete what is known whole, in the order of the ids", () => {
    const kept = createKeptRows();
    kept.keep(shape(), 0, [row("a"), row("b"), ["c", null, 1n, "[]"]]);
    const keys = [
      ["b", 7n],
      ["a", 8n],
      ["c", 9n],
    ] as const;
    expect(kept.complete(shape(), 0, keys)).toEqual([
      ["b", "message b", 7n, `[{"n":"b"}]`],
      ["a", "message a", 8n, `[{"n":"a"}]`],
      ["c", null, 9n, "[]"],
    ]);
    expect(
      kept.complete(shape(), 0, [
        ["a", 1n],
        ["d", 2n],
      ]),
    ).toBeUndefined();
  });

  it("are not kept while their JSON is NULL, which may be written over", () => {
    const kept = createKeptRows();
    kept.keep(shape(), 0, [row("a", null)]);
    expect(kept.complete(shape(), 0, [["a", 1n]])).toBeUndefined();
  });

  it("do not pass from one generation to another, in either direction", () => {
    const kept = createKeptRows();
    const { generation } = kept;
    kept.keep(shape(), generation, [row("a")]);
    kept.forget();
    kept.keep(shape(), generation, [row("a")]);
    expect(kept.complete(shape(), kept.generation, [["a", 1n]])).toBeUndefined();
    kept.keep(shape(), kept.generation, [row("a")]);
    expect(kept.complete(shape(), generation, [["a", 1n]])).toBeUndefined();
    expect(kept.complete(shape(), kept.generation, [["a", 1n]])).toHaveLength(1);
  });

  it("are bounded by their bytes", () => {
    const kept = createKeptRows();
    const text = "x".repeat(1024 ** 2);
    for (let i = 0; i < 10; i++) kept.keep(shape(), 0, [row(String(i), text)]);
    expect(kept.complete(shape(), 0, [["0", 1n]])).toBeUndefined();
    expect(kept.complete(shape(), 0, [["9", 1n]])).toHaveLength(1);
  });

  it("are asked for ever more seldom by a statement that meets unknown ones", () => {
    const kept = createKeptRows();
    const statement = shape();
    expect(kept.isWorthTrying(statement)).toBe(false);
    kept.keep(statement, 0, [row("a")]);
    const tries: number[] = [];
    for (let run = 0; run < 60; run++) {
      if (!kept.isWorthTrying(statement)) continue;
      tries.push(run);
      kept.complete(statement, 0, [["unknown", 1n]]);
    }
    expect(tries).toEqual([0, 2, 5, 10, 19, 36, 53]);
    while (!kept.isWorthTrying(statement));
    kept.complete(statement, 0, [["a", 1n]]);
    expect(kept.isWorthTrying(statement)).toBe(true);
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
    const sql = newest.replace("CAST($1 AS VARCHAR)", "'p'").replace(`"j3"`, `"j2"`);
    const columns = [STRING, STRING, TIMESTAMP, STRING].map((type, i) => ({ name: `c${i}`, type }));
    const limits = { timeoutMs: 10_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const query = { sql, parameters: [], columns, tables: [] };
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
