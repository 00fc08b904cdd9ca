import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import type { LogEvent } from "../../../contract/query-engine.ts";
import { runQuery } from "../../run-query.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";

const signal = new AbortController().signal;
const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
const windows = 4;
const rowsPerWindow = 3_000;
const projects = 5;
const newest = 't1."timestamp" DESC NULLS LAST, t1."id" DESC NULLS LAST';
/** Condition, order, limit and expected row count of each query. */
const reads = [
  [`t1."c1" = 'p0'`, newest, 1_001, 1_001],
  [`t1."c1" = 'p0'`, newest, 50, 50],
  ["true", newest, 900, 900],
  ["true", `t1."c2" DESC NULLS LAST, ${newest}`, 120, 120],
  [`t1."c1" = 'p1'`, newest, 5_000, (windows * rowsPerWindow) / projects],
] as const;

let directory: string;
let host: EngineHost;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "logweir-beside-compaction-"));
  ({ host } = await openCore(
    {
      directory,
      threads: 2,
      memoryLimitBytes: 512 * 1024 ** 2,
      checkpointBytes: 64 * 1024,
      compaction: { minRows: 1_000, maxRows: 4_000, everyMs: 3_600_000 },
    },
    { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
  ));
});

afterEach(async () => {
  await host.close();
  rmSync(directory, { recursive: true, force: true });
});

function makeEvents(window: number): LogEvent[] {
  return Array.from({ length: rowsPerWindow }, (_, index) => {
    const n = window * rowsPerWindow + index;
    const time = Math.floor((n - (n % 11 === 0 ? 2_000 : 0)) / 7);
    const fields = { project: `p${n % projects}`, metadata: { n }, rank: n % 50 };
    return { id: `e${n}`, hasGeneratedId: false, timestampUs: BigInt(time), eventMessage: `message ${n}`, fields };
  });
}

async function countIds(condition: string, order: string, limit: number): Promise<number> {
  const sql = `SELECT t1."id", t1."j4" FROM "events_1" AS t1 WHERE ${condition} ORDER BY ${order} LIMIT ${limit}::BIGINT`;
  const columns = ["id", "metadata"].map((name) => ({ name, type: STRING }));
  const query = { sql, parameters: [], columns, tables: [] };
  const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
  const ids = new Set<string>();
  for await (const { json } of batches) for (const [id] of JSON.parse(`[${json}]`) as [string][]) ids.add(id);
  return ids.size;
}

/** The last compaction of each store frees the row groups before the rows that it wrote. */
it.each(Array.from({ length: 30 }, (_, round) => round))(
  "every query returns all rows during compaction, round %i",
  async () => {
    const store = new DuckDbStore(() => host);
    const fields = { project: STRING, rank: INT64 };
    const knownFields = Object.entries(fields).map(([path, type]) => ({ path, type }));
    await store.ensureSource({ name: "edge", knownFields });
    for (let window = 0; window < windows; window++) {
      await store.append("edge", makeEvents(window), signal);
      if (window < windows - 1) while (await host.maintain());
    }
    const missing: string[] = [];
    let isInOrder = false;
    const read = async (from: number) => {
      for (let at = from; !isInOrder; at++) {
        const [condition, order, limit, count] = reads[at % reads.length] ?? reads[0];
        const found = await countIds(condition, order, limit);
        if (found !== count) missing.push(`${found} of ${count} rows where ${condition} by ${order}`);
      }
    };
    const readers = [read(0), read(1), read(2)];
    while (await host.maintain());
    isInOrder = true;
    await Promise.all(readers);
    expect(missing).toEqual([]);
  },
  60_000,
);
