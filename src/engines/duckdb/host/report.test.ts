import { randomBytes } from "node:crypto";
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isWhole, sampleOf } from "../../../../test/support/sample-size.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "../store/store.ts";
import { openCore } from "./core.ts";

const signal = new AbortController().signal;
const sources = ["edge", "auth"];
const headBytes = 12_288;
const blockBytes = 262_144;

async function openStore(directory: string) {
  const sizes = { minRows: 400, maxRows: 400, everyMs: 3_600_000 };
  const opened = await openCore(
    { directory, threads: 1, memoryLimitBytes: 256 * 1024 ** 2, checkpointBytes: 1024 ** 2, compaction: sizes },
    { onFatal: () => undefined, onProblem: () => undefined },
  );
  const store = new DuckDbStore(() => opened.host);
  store.load(opened);
  return { host: opened.host, store };
}

type Opened = Awaited<ReturnType<typeof openStore>>;

function makeEvents(source: string, count: number): LogEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: `${source}${n}`, hasGeneratedId: false, timestampUs: BigInt(n) },
    ...{ eventMessage: randomBytes(2_000).toString("base64"), fields: { project: `p${n % 3}`, n } },
  }));
}

async function canRead({ host, store }: Opened, name: string): Promise<boolean> {
  const columns = [{ name: "n", type: STRING }];
  const sql = `SELECT id FROM ${store.stateOf(name).table} WHERE length(event_message) > 5 AND timestamp IS NOT NULL`;
  const query = { sql, parameters: [], columns, tables: [] };
  const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
  const read = async () => {
    let count = 0;
    const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
    for await (const { rowCount } of batches) count += rowCount;
    return count === 700;
  };
  return read().catch(() => false);
}

it("a damaged block, whichever it is, leaves what is said of the store, and all other sources", async () => {
  const folder = mkdtempSync(join(tmpdir(), "logweir-blocks-"));
  try {
    const [whole, copy] = [join(folder, "whole"), join(folder, "copy")];
    const made = await openStore(whole);
    for (const name of sources) {
      await made.store.ensureSource({ name, tenantField: "project", knownFields: [{ path: "project", type: STRING }] });
      await made.store.append(name, makeEvents(name, 700), signal);
    }
    while (await made.host.maintain());
    await made.host.close();
    const { size } = statSync(join(whole, "events.duckdb"));
    const found = { refused: 0, damaged: 0 };
    const blocks = Array.from(
      { length: Math.ceil((size - headBytes) / blockBytes) },
      (_, n) => headBytes + n * blockBytes,
    );
    for (const at of sampleOf(blocks, 0.2)) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(whole, copy, { recursive: true });
      const file = openSync(join(copy, "events.duckdb"), "r+");
      writeSync(file, Buffer.alloc(Math.min(blockBytes, size - at), 7), 0, Math.min(blockBytes, size - at), at);
      closeSync(file);
      const opened = await openStore(copy).catch((error: unknown) => String(error));
      if (typeof opened === "string") {
        // The list of tables, or of their fields, is in it.
        expect(opened).toMatch(/logweir (?:restore|doctor --deep)/);
        found.refused++;
        continue;
      }
      const { host, store } = opened;
      expect((await host.statistics()).map(({ rowCount }) => rowCount)).toEqual([700, 700]);
      expect((await host.report()).sources).toHaveLength(2);
      const readable = await Promise.all(sources.map((name) => canRead(opened, name)));
      expect(readable).toContain(true);
      if (readable.includes(false)) found.damaged++;
      for (const name of sources) {
        await store.append(name, makeEvents(`new ${name}`, 3), signal);
      }
      await host.close();
    }
    expect(found.damaged).toBeGreaterThan(isWhole ? 3 : 0);
    expect(found.refused).toBeLessThan(found.damaged);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
