import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleSize } from "../../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { INT64, STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import { formatIsoTimestamp } from "../../../../values/iso-timestamp.ts";
import type { CompiledQuery, LogEvent } from "../../../contract/query-engine.ts";
import { compileQuery } from "../../compile/compile.ts";
import { planOf } from "../../query-plan.ts";
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

type Row = readonly [id: string, time: number, message: string, metadata: string];

const signal = new AbortController().signal;
const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };

const requests = fc.record({
  limit: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 900, max: 1200 })),
  offset: fc.constantFrom(0, 0, 0, 1, 50, 3000),
  project: fc.constantFrom(undefined, "p0", "p3", "none"),
  since: fc.constantFrom(undefined, 100, 1690),
  until: fc.constantFrom(undefined, undefined, 40, 900, 1700),
  minRank: fc.constantFrom(undefined, 25, 49),
  isByRank: fc.boolean(),
  /** How times are compared. */
  words: fc.constantFrom("parameters", "literals", "between", "either"),
  isComputed: fc.boolean(),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function timeConditions({ since, until, words }: Request): readonly string[] {
  const literal = (time = 0) => `TIMESTAMP '${formatIsoTimestamp(BigInt(time))}'`;
  switch (words) {
    case "between":
      return [`timestamp BETWEEN ${literal((since ?? -1e9) + 1)} AND ${literal(until ?? 1e12)}`];
    case "either":
      return ["(@since IS NULL OR timestamp > @since)", "(timestamp <= @until OR @until IS NULL)"];
    default: {
      const [from, to] = words === "literals" ? [literal(since), literal(until)] : ["@since", "@until"];
      const after = since === undefined ? [] : [`timestamp > ${from}`];
      return until === undefined ? after : [...after, `${to} >= timestamp`];
    }
  }
}

function textOf(request: Request): string {
  const { limit, offset, project, minRank, isByRank, isComputed } = request;
  const conditions = [
    ...(project === undefined ? [] : [`project = '${project}'`]),
    ...(minRank === undefined ? [] : [`rank >= ${minRank}`]),
    ...timeConditions(request),
  ];
  const message = isComputed ? "CONCAT(event_message, '')" : "event_message";
  return `SELECT id, timestamp, ${message} AS message, metadata FROM edge
    ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${isByRank ? "rank DESC, " : ""}timestamp DESC, id DESC LIMIT ${limit}${offset === 0 ? "" : ` OFFSET ${offset}`}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function answerOf(stored: readonly Stored[], request: Request): readonly (readonly [string, number, string])[] {
  const { limit, offset, project, since, until, minRank, isByRank } = request;
  const byRank = (a: Stored, b: Stored) => (isByRank ? (b.rank ?? -1) - (a.rank ?? -1) : 0);
  return stored
    .filter((one) => project === undefined || one.project === project)
    .filter((one) => (since === undefined || one.time > since) && (until === undefined || one.time <= until))
    .filter((one) => minRank === undefined || (one.rank ?? -1) >= minRank)
    .toSorted((a, b) => byRank(a, b) || b.time - a.time || compareText(b.id, a.id))
    .slice(offset, offset + limit)
    .map(({ id, time }) => [id, time, `message ${id}`] as const);
}

describe.each([
  ["of a small table", undefined],
  ["of a table that is read by windows", { minRows: 0, firstRows: 300 }],
])("the newest rows %s", (_, windows) => {
  const directory = mkdtempSync(join(tmpdir(), "logweir-newest-"));
  const stored: Stored[] = [];
  let host: EngineHost;
  let compile: (text: string) => CompiledQuery;

  beforeAll(async () => {
    ({ host } = await openCore(
      {
        directory,
        threads: 2,
        memoryLimitBytes: 512 * 1024 ** 2,
        checkpointBytes: 64 * 1024,
        compaction: { minRows: 1000, maxRows: 4000 },
        ...(windows === undefined ? {} : { windows }),
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
    const tables = { findTable: (name: string) => store.describe(name), tableNames: () => ["edge"] };
    const parameters = new Map(["since", "until"].map((name) => [name, TIMESTAMP] as const));
    compile = (text) => compileQuery(resolveQuery(parseQuery(text), text, { tables, parameters }), store.layoutOf);
  });

  afterAll(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function read(query: CompiledQuery, { since, until }: Pick<Request, "since" | "until">): Promise<Row[]> {
    const times: Readonly<Record<string, number | undefined>> = { since, until };
    const values = query.parameters.map(({ key }) => times[key]?.toString() ?? null);
    const rows: Row[] = [];
    const { batches } = await runQuery(host, { query, values, encoding: "cells", limits, signal });
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as Row[]));
    return rows;
  }

  it("are those of a plain sort, with ties, NULLs, late events and OFFSET", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        const query = compile(textOf(asked));
        const rows = await read(query, asked);
        expect(rows.map(([id, time, message]) => [id, time, message])).toEqual(answerOf(stored, asked));
        expect(rows.filter(([, , , metadata]) => !/^\[\{"n":\d+\}\]$/.test(metadata))).toEqual([]);
        expect(await read(query, asked), "the second time, from cached rows").toEqual(rows);
      }),
      { numRuns: sampleSize(10, 400) },
    );
  });

  it("have a plan for most of such queries", () => {
    const plans = fc
      .sample(requests, { numRuns: 200, seed: 1 })
      .map((asked) => planOf(compile(textOf(asked))).statement);
    expect(plans.filter((plan) => plan?.newest !== undefined).length).toBeGreaterThan(20);
    expect(plans.filter((plan) => plan?.rows !== undefined).length).toBeGreaterThan(20);
  });
});
