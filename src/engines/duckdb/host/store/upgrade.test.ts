import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolve.ts";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import type { EventValue, SourceDefinition } from "../../../contract/query-engine.ts";
import { compileQuery } from "../../compile/compile.ts";
import { runQuery } from "../../run-query.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";

const signal = new AbortController().signal;

/** The definitions that the store was created with, plus today's tenant field. */
const sources: readonly SourceDefinition[] = [
  {
    name: "edge",
    tenantField: "project",
    knownFields: [
      { path: "project", type: STRING },
      { path: "origin_time", type: INT64 },
      { path: "metadata.request.path", type: STRING },
      { path: "metadata.request.url", type: STRING },
      { path: "metadata.status", type: INT64 },
    ],
  },
  {
    name: "function",
    tenantField: "metadata.project_ref",
    knownFields: [
      { path: "metadata.project_ref", type: STRING },
      { path: "metadata.level", type: STRING },
    ],
  },
];

/**
 * A store of the first format, made by version 0.1 from valid events and every kind that broke it: `Timestamp`,
 * `Project`, `ID`, `Metadata` beside the fields themselves, records where text was declared and the other way round,
 * arrays of objects, other types.
 */
describe("a store in the first format that malformed events have damaged", () => {
  const closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  function unpack(): string {
    const directory = mkdtempSync(join(tmpdir(), "logweir-upgrade-"));
    closers.push(() => rmSync(directory, { recursive: true, force: true }));
    const packed = readFileSync(
      join(import.meta.dirname, "../../../../../test/support/engines/duckdb/host/store/format-1.duckdb.gz"),
    );
    writeFileSync(join(directory, "events.duckdb"), gunzipSync(packed));
    return directory;
  }

  async function open(directory: string) {
    const { host, sources: schemas } = await openCore(
      {
        directory,
        threads: 1,
        memoryLimitBytes: 256 * 1024 ** 2,
        checkpointBytes: 1024 ** 2,
        compaction: { minRows: 10, maxRows: 5000 },
      },
      { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
    );
    const store = new DuckDbStore(() => host);
    store.load({ sources: schemas });
    for (const source of sources) await store.ensureSource(source);
    const query = async (text: string, tenant?: string | null) => {
      const tables = { findTable: (name: string) => store.describe(name, tenant), tableNames: () => ["edge"] };
      const compiled = compileQuery(
        resolveQuery(parseQuery(text), text, { tables, parameters: new Map() }),
        store.layoutOf,
        { text },
      );
      const limits = { timeoutMs: 60_000, maxRows: 1000, maxResultBytes: 1_000_000 };
      const { batches } = await runQuery(host, { query: compiled, values: [], encoding: "objects", limits, signal });
      const rows: Record<string, unknown>[] = [];
      for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as Record<string, unknown>[]));
      return rows;
    };
    let isOpen = true;
    const close = async () => {
      if (isOpen) await host.close();
      isOpen = false;
    };
    closers.push(close);
    return { store, query, close };
  }

  const rows = (
    project: string,
  ) => `SELECT origin_time, dur, r.path, r.url, m.status, s.n FROM edge LEFT JOIN UNNEST(metadata) m
    LEFT JOIN UNNEST(m.request) r LEFT JOIN UNNEST(m.sub) s WHERE project = '${project}' ORDER BY timestamp, s.n`;

  it("starts, and answers each tenant as if it were the only one, also after a restart", async () => {
    const directory = unpack();
    for (let start = 0; start < 2; start++) {
      const { query, store, close } = await open(directory);
      const good = (i: number) => ({
        origin_time: i,
        dur: i,
        path: `/${i}`,
        url: `http://x/${i}`,
        status: 200 + i,
        n: i,
      });
      const odd = { origin_time: null, dur: null, path: null, url: null, status: 404, n: null };
      expect(await query(rows("aaa"), "aaa")).toEqual([good(1), odd, good(3), good(5)]);
      expect((await query(rows("bbb"), "bbb")).map(({ path, status }) => [path, status])).toEqual([
        ["/2", 202],
        [null, null],
        [null, null],
        [null, null],
        ["/4", 204],
      ]);
      expect(await query("SELECT project FROM edge WHERE origin_time = 12")).toEqual([{ project: "bbb" }]);
      expect(await query("SELECT DISTINCT project FROM edge WHERE project IS NOT NULL ORDER BY 1")).toEqual(
        ["5", "aaa", "bbb", "ccc", "ddd", ...(start === 0 ? [] : ["new"])].map((project) => ({ project })),
      );
      const names = (tenant: string | null) => store.describe("edge", tenant)?.columns.map(({ name }) => name);
      const declared = ["timestamp", "id", "event_message", "project", "origin_time", "metadata"];
      expect([names("aaa"), names("ddd"), names(null)]).toEqual([[...declared, "dur"], declared, declared]);
      expect(JSON.stringify(store.describe("edge", "aaa"))).not.toContain("only_b");
      expect(
        await query("SELECT m.status FROM edge, UNNEST(metadata) m WHERE project = 'ddd' ORDER BY 1", "ddd"),
      ).toEqual([{ status: 1 }, { status: 2 }]);
      expect(
        await query("SELECT m.level FROM function, UNNEST(metadata) m WHERE m.project_ref = 'p1' ORDER BY 1", "p1"),
      ).toEqual([{ level: "a" }, { level: "b" }]);
      expect((await query("SELECT * FROM edge")).length).toBe(22 + start);
      const fields: { readonly [name: string]: EventValue } = {
        project: "new",
        metadata: { request: { path: "/new" } },
      };
      const event = { id: "new", hasGeneratedId: false, timestampUs: 5n, eventMessage: null, fields };
      expect(await store.append("edge", [event], signal)).toMatchObject({ stored: 1 - start, repeated: start });
      expect(
        (
          await query("SELECT COUNT(*) AS n FROM edge, UNNEST(metadata) m, UNNEST(m.request) r WHERE r.path = '/new'")
        )[0],
      ).toEqual({ n: 1 });
      await close();
    }
  });
});
