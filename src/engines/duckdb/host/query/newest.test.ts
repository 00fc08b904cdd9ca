import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleSize } from "../../../../../test/support/sample-size.ts";
import { INT64, STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import type { LogEvent } from "../../../contract/query-engine.ts";
import { runQuery } from "../../run-query.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { EngineHost } from "../protocol.ts";

interface Stored {
  readonly id: string;
  readonly time: number;
  readonly project: string;
  readonly rank: number | null;
}

const signal = new AbortController().signal;
const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

describe("the newest-rows query", () => {
  const directory = mkdtempSync(join(tmpdir(), "logweir-newest-"));
  const stored: Stored[] = [];
  let host: EngineHost;

  beforeAll(async () => {
    ({ host } = await openCore(
      {
        directory,
        threads: 2,
        memoryLimitBytes: 512 * 1024 ** 2,
        checkpointBytes: 64 * 1024,
        compaction: { minRows: 1000, maxRows: 4000 },
      },
      { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
    ));
    const store = new DuckDbStore(() => host);
    const fields = ["project", "rank"].map((path, i) => ({ path, type: i === 0 ? STRING : INT64 }));
    await store.ensureSource({ name: "edge", knownFields: fields });
    // Consecutive windows with many equal times and some late events each, followed by a tail.
    for (let window = 0; window < 4; window++) {
      const events: LogEvent[] = [];
      for (let i = 0; i < 3000; i++) {
        const n = window * 3000 + i;
        const late = n % 11 === 0 ? 2000 : 0;
        const time = Math.floor((n - late) / 7);
        const one = { id: `e${(n * 7919) % 12_000}`, time, project: `p${n % 5}`, rank: n % 3 === 0 ? null : n % 50 };
        stored.push(one);
        events.push({
          id: one.id,
          hasGeneratedId: false,
          timestampUs: BigInt(time),
          eventMessage: `message ${one.id}`,
          fields: { project: one.project, metadata: { n }, ...(one.rank === null ? {} : { rank: one.rank }) },
        });
      }
      await store.append("edge", events, signal);
      if (window < 3) while (await host.maintain());
    }
    const [source] = (await host.report()).sources;
    expect(source).toMatchObject({ rowCount: 12_000, runCount: 3, tailRowCount: 3000 });
  });

  afterAll(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("returns the rows of a plain sort, with ties, NULLs, late events and OFFSET", async () => {
    const request = fc.record({
      limit: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 900, max: 1200 })),
      offset: fc.constantFrom(0, 0, 1, 50, 3000),
      project: fc.constantFrom(undefined, "p0", "p3", "none"),
      since: fc.constantFrom(undefined, 100, 1690),
      minRank: fc.constantFrom(undefined, 25, 49),
      key: fc.constantFrom("timestamp" as const, "rank" as const),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ limit, offset, project, since, minRank, key }) => {
        const conditions = ["true"];
        if (project !== undefined) conditions.push(`(t1."c1" = '${project}')`);
        if (since !== undefined) conditions.push(`t1."timestamp" > make_timestamp(${since})`);
        if (minRank !== undefined) conditions.push(`t1."c2" >= ${minRank}`);
        const first = key === "rank" ? 't1."c2" DESC NULLS LAST, ' : "";
        const sql = `SELECT t1."id", t1."timestamp", t1."event_message", t1."j4" FROM "events_1" AS t1
          WHERE ${conditions.join(" AND ")} ORDER BY ${first}t1."timestamp" DESC NULLS LAST, t1."id" DESC NULLS LAST
          LIMIT ${limit}::BIGINT${offset === 0 ? "" : ` OFFSET ${offset}::BIGINT`}`.replaceAll(/\s+/g, " ");
        const columns = [STRING, TIMESTAMP, STRING, STRING].map((type, i) => ({ name: `c${i}`, type }));
        const query = { sql, parameters: [], columns, tables: [] };
        const read = async () => {
          const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
          const rows: (readonly [string, number, string, string])[] = [];
          for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as typeof rows));
          return rows;
        };
        const rows = await read();
        const expected = stored
          .filter((one) => project === undefined || one.project === project)
          .filter((one) => since === undefined || one.time > since)
          .filter((one) => minRank === undefined || (one.rank ?? -1) >= minRank)
          .toSorted(
            (a, b) =>
              (key === "rank" ? (b.rank ?? -1) - (a.rank ?? -1) : 0) || b.time - a.time || compareText(b.id, a.id),
          )
          .slice(offset, offset + limit);
        expect(rows.map(([id, time, message]) => [id, time, message])).toEqual(
          expected.map(({ id, time }) => [id, time, `message ${id}`]),
        );
        expect(rows.every((row) => row[3].includes('"n":'))).toBe(true);
        expect(await read(), "the second time, from kept rows").toEqual(rows);
      }),
      { numRuns: sampleSize(10, 400) },
    );
  });
});
