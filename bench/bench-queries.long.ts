import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDifference } from "./compare.ts";
import { type BenchEvent, batchCount, defaultEndMs, makeBatch, rareWord } from "./events.ts";
import { measureQueries, type QueriesReport } from "./measure-queries.ts";
import { measureRedaction } from "./measure-redaction.ts";
import type { BenchOptions } from "./options.ts";
import { type LogweirPeer, startLogweir } from "./peers/logweir.ts";
import type { Row } from "./peers/peer.ts";
import { benchQueries, contextOf } from "./queries.ts";
import { formatQueries } from "./report.ts";

const plan = { seed: 11, eventCount: 2_000, endMs: defaultEndMs };
const events = Array.from({ length: batchCount(plan) }, (_, index) => makeBatch(plan, index)).flat();
const context = contextOf(plan);
const effort = { warmUps: 0, warmUpMs: 0, minRuns: 1, maxRuns: 1, budgetMs: 0 };
const hourUs = 3_600_000_000;
const endUs = plan.endMs * 1_000;

interface EventBody {
  readonly metadata: {
    readonly request: { readonly path: string };
    readonly response: { readonly status_code: number; readonly origin_time: number };
  };
}

const bodyOf = (event: BenchEvent) => (JSON.parse(event.json) as EventBody).metadata;
const own = events.filter(({ project }) => project === context.project);

function newestIds(keep: (event: BenchEvent) => boolean): Row[] {
  const kept = own.filter(keep).toSorted((a, b) => b.timestampUs - a.timestampUs);
  return kept.slice(0, 100).map(({ id }) => [id]);
}

function inBuckets(sinceUs: number, bucketUs: number, summarise: (events: readonly BenchEvent[]) => Row): Row[] {
  const buckets = new Map<number, BenchEvent[]>();
  for (const event of own) {
    if (event.timestampUs < sinceUs) continue;
    const bucket = Math.floor(event.timestampUs / bucketUs);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), event]);
  }
  return [...buckets].toSorted(([a], [b]) => a - b).map(([bucket, inside]) => [bucket, ...summarise(inside)]);
}

const countAreas = (inside: readonly BenchEvent[]): Row =>
  ["rest", "storage", "auth", "realtime"].map(
    (area) => inside.filter((event) => bodyOf(event).request.path.includes(`/${area}`)).length,
  );

function describeHour(inside: readonly BenchEvent[]): Row {
  const times = inside.map((event) => bodyOf(event).response.origin_time).toSorted((a, b) => a - b);
  const errors = inside.filter((event) => bodyOf(event).response.status_code >= 500).length;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return [inside.length, errors, mean, times[Math.ceil(times.length * 0.95) - 1]];
}

/** The expected answer of each query, computed here from the events themselves. */
const expected: Readonly<Record<string, readonly Row[]>> = {
  "newest-1h": newestIds(({ timestampUs }) => timestampUs > endUs - hourUs),
  "newest-all": newestIds(() => true),
  "counts-daily": inBuckets(endUs - 7 * 24 * hourUs, 24 * hourUs, countAreas),
  "counts-minutely": inBuckets(endUs - hourUs, hourUs / 60, countAreas),
  "errors-24h": newestIds((event) => {
    const { request, response } = bodyOf(event);
    return (
      event.timestampUs > endUs - 24 * hourUs &&
      response.status_code >= 500 &&
      /^\/rest\/v1\/[a-z_]+/.test(request.path)
    );
  }),
  "hourly-7d": inBuckets(endUs - 7 * 24 * hourUs, hourUs, describeHour),
  "rare-word": newestIds(({ message }) => message.includes(rareWord)),
  "by-id": [[context.id]],
};

let folder: string;
let report: QueriesReport;
let peer: LogweirPeer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-bench-test-"));
  const options: BenchOptions = {
    plan,
    peers: [],
    part: "queries",
    jsonFile: undefined,
    folder,
    keepsStores: true,
    chdbFolder: folder,
    ingestSeconds: 1,
  };
  report = await measureQueries(options, () => undefined, effort);
  peer = await startLogweir(join(folder, "queries"), plan.endMs);
});

afterAll(async () => {
  await peer?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("the query benchmark", () => {
  it.each(benchQueries.map((query) => [query.key, query] as const))(
    "gets the answer to %s that the events imply",
    async (key, query) => {
      const rows = (await peer.run(query, context)).rows();
      expect(findDifference(query.comparison, expected[key] ?? [], rows)).toBeUndefined();
      expect(report.results.find((result) => result.key === key)?.rowCount).toBe(rows.length);
    },
  );

  it("queries 100 rows both raw and redacted, and checks both", async () => {
    const costs = await measureRedaction(peer, context, 1);
    expect(costs.map(({ rowCount }) => rowCount)).toEqual([100, 100]);
    for (const { redactedCount, ratio } of costs) {
      expect(redactedCount).toBeGreaterThan(100);
      expect(ratio).toBeGreaterThan(0);
    }
  });

  it("prints a row for each query and a column for each peer", () => {
    const text = formatQueries(report);
    for (const { title } of benchQueries) expect(text).toContain(title);
    expect(text).toMatch(/\| logweir \d/);
  });
});
