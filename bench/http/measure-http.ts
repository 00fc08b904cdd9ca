/**
 * Measures cost and memory of the HTTP side: cached answers, identical and different misses, junk, callers who leave,
 * large exports.
 */
import { get } from "node:http";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { batchCount, makeBatch } from "../events.ts";
import type { BenchOptions } from "../options.ts";
import { cpuSeconds, residentBytes, treeCpuSeconds, treeMemoryBytes } from "../processes.ts";
import { runLanes } from "../run-lanes.ts";
import { quantileOf } from "../statistics.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import { type BenchService, cacheBytes, startBenchService } from "./service.ts";
import { loadFrom, startBareServer } from "./workers.ts";

/** How much to do; `npm test` does little. */
export interface HttpEffort {
  readonly rounds: number;
  readonly secondsPerRound: number;
  /** Calls with parameters that no endpoint declares. */
  readonly junkCalls: number;
  /** Calls with another value of a declared one each. */
  readonly junkValues: number;
  readonly leavers: number;
  readonly exportRows: number;
}

const fullEffort: HttpEffort = {
  rounds: 7,
  secondsPerRound: 3,
  junkCalls: 950_000,
  junkValues: 50_000,
  leavers: 100,
  exportRows: 1_000_000,
};

/** The figures of a load, and its cost to the process that answered. */
export interface ServedLoad extends LoadResult {
  /** Processor time a request, in microseconds. */
  readonly cpuUs: number;
}

export interface HitsResult {
  readonly bare: ServedLoad;
  readonly hits: ServedLoad;
  readonly unchanged: ServedLoad;
}

export interface ExportResult {
  readonly title: string;
  readonly rows: number;
  readonly bytes: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Resident memory of the service's process, at most. */
  readonly peakBytes: number;
}

export interface HttpReport {
  readonly loadAverage: number;
  readonly bodyBytes: number;
  /** One a round; ratios are of the medians. */
  readonly rounds: readonly HitsResult[];
  readonly identical: { readonly callers: number; readonly answered: number; readonly engineRuns: number };
  readonly different: {
    readonly callers: number;
    readonly answered: number;
    readonly refused: number;
    readonly slowestMs: number;
    readonly growthBytes: number;
  };
  readonly junk: {
    readonly calls: number;
    readonly cacheBytes: number;
    readonly growthBytes: number;
    readonly keptBytes: number;
  };
  readonly leavers: { readonly callers: number; readonly running: number; readonly cpuSeconds: number };
  readonly exports: readonly ExportResult[];
}

const connections = 10;
const pathOf = (name: string, parameters = "") => `/api/endpoints/query/${name}${parameters}`;

/** Runs the part on a store of its own. */
export async function measureHttp(
  options: BenchOptions,
  say: (line: string) => void,
  effort: HttpEffort = fullEffort,
): Promise<HttpReport> {
  const folder = join(options.folder, "http");
  let service = await startBenchService(folder);
  try {
    say("Kept answers beside a bare route");
    const { bodyBytes, rounds } = await measureHits(service, effort);
    const [loadAverage = 0] = loadavg();
    say("Misses at the same time");
    const identical = await measureIdentical(service);
    const different = await measureDifferent(service);
    say(`Callers who leave, and ${effort.junkCalls + effort.junkValues} sets of junk`);
    const leavers = await measureLeavers(service, effort.leavers);
    const junk = await measureJunk(service, effort);
    say(`Export of ${effort.exportRows} rows`);
    await loadEvents(service, options, effort.exportRows);
    await service.stop();
    // What taking in the events left in memory is not the export's.
    service = await startBenchService(folder, true);
    const exports = await measureExports(service);
    return { loadAverage, bodyBytes, rounds, identical, different, junk, leavers, exports };
  } finally {
    await service.stop();
  }
}

async function measureHits(
  { url, token, client, pid }: BenchService,
  { rounds: count, secondsPerRound }: HttpEffort,
): Promise<{ readonly bodyBytes: number; readonly rounds: readonly HitsResult[] }> {
  const path = pathOf("kept");
  const { body, headers } = await client.send({ method: "GET", path });
  const bare = await startBareServer(body.length);
  const own = { "x-api-key": token };
  const serve = async (server: number, more: Pick<LoadPlan, "url" | "headers" | "status">, seconds: number) => {
    const before = cpuSeconds(server);
    const load = await loadFrom({ connections, seconds, ...more });
    return { ...load, cpuUs: ((cpuSeconds(server) - before) / load.count) * 1e6 };
  };
  const tagged = { ...own, "if-none-match": String(headers.etag) };
  try {
    const round = async (seconds: number): Promise<HitsResult> => ({
      bare: await serve(bare.pid, { url: bare.url, headers: own, status: 200 }, seconds),
      hits: await serve(pid, { url: url + path, headers: own, status: 200 }, seconds),
      unchanged: await serve(pid, { url: url + path, headers: tagged, status: 304 }, seconds),
    });
    // Both are compiled by then.
    await round(Math.min(1, secondsPerRound));
    const rounds: HitsResult[] = [];
    for (let index = 0; index < count; index++) rounds.push(await round(secondsPerRound));
    return { bodyBytes: body.length, rounds };
  } finally {
    bare.stop();
  }
}

const missCount = 64;

async function measureIdentical({ client }: BenchService): Promise<HttpReport["identical"]> {
  const calls = Array.from({ length: missCount }, () => client.send({ method: "GET", path: pathOf("work", "?n=0") }));
  const answers = await Promise.all(calls);
  return {
    callers: missCount,
    answered: answers.filter(({ status }) => status === 200).length,
    // Only who started a query is told of the engine's time.
    engineRuns: answers.filter(({ headers }) => String(headers["server-timing"]).includes("engine;")).length,
  };
}

async function measureDifferent({ client, pid }: BenchService): Promise<HttpReport["different"]> {
  const before = treeMemoryBytes(pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, treeMemoryBytes(pid));
  }, 100);
  const calls = Array.from({ length: missCount }, (_, index) =>
    client.send({ method: "GET", path: pathOf("work", `?n=${index + 1}`) }),
  );
  const answers = await Promise.all(calls);
  clearInterval(timer);
  return {
    callers: missCount,
    answered: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(({ status }) => status === 429).length,
    slowestMs: Math.max(...answers.map(({ elapsedMs }) => elapsedMs)),
    growthBytes: Math.max(peak, treeMemoryBytes(pid)) - before,
  };
}

/** The value of a metric without labels. */
async function readMetric({ client }: BenchService, name: string): Promise<number> {
  const { body } = await client.send({ method: "GET", path: "/metrics" });
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body.toString())?.[1] ?? Number.NaN);
}

const leaveAfterMs = 300;
const pauseMs = 1_000;

async function measureLeavers(service: BenchService, callers: number): Promise<HttpReport["leavers"]> {
  const { url, token, pid } = service;
  const requests = Array.from({ length: callers }, (_, index) => {
    const request = get(url + pathOf("endless", `?n=${index}`), { headers: { "x-api-key": token }, agent: false });
    return request.on("error", () => undefined);
  });
  await sleep(leaveAfterMs);
  for (const request of requests) request.destroy();
  await sleep(pauseMs);
  const running = await readMetric(service, "logweir_queries_running");
  const cpuBefore = treeCpuSeconds(pid);
  await sleep(pauseMs);
  return { callers, running, cpuSeconds: treeCpuSeconds(pid) - cpuBefore };
}

async function measureJunk(service: BenchService, effort: HttpEffort): Promise<HttpReport["junk"]> {
  const { url, token, pid } = service;
  const send = (parameters: string, count: number) =>
    loadFrom({
      url: url + pathOf("kept", parameters),
      headers: { "x-api-key": token },
      connections,
      seconds: 3_600,
      count,
      status: 200,
    });
  // The first few make the process as large as it is for any calls.
  await send("?first{}={}", Math.ceil(effort.junkCalls / 50));
  const before = residentBytes(pid);
  await send("?junk{}={}&more={}", effort.junkCalls);
  await send("?n={}", effort.junkValues);
  return {
    calls: effort.junkCalls + effort.junkValues,
    cacheBytes,
    growthBytes: residentBytes(pid) - before,
    keptBytes: await readMetric(service, "logweir_cache_bytes"),
  };
}

async function loadEvents(service: BenchService, { plan }: BenchOptions, rows: number): Promise<void> {
  const events = { ...plan, eventCount: rows };
  const batches = Array.from({ length: batchCount(events) }, (_, index) => index);
  await runLanes(batches, 4, async (index) => {
    const body = Buffer.from(
      `[${makeBatch(events, index)
        .map(({ json }) => json)
        .join(",")}]`,
    );
    for (;;) {
      const answer = await service.client.send({ method: "POST", path: "/api/logs?source_name=edge", body });
      if (answer.status === 200) return;
      if (answer.status !== 429) throw new Error(`The service refused events: ${answer.status} ${answer.body}`);
      await sleep(1_000);
    }
  });
}

async function measureExports(service: BenchService): Promise<readonly ExportResult[]> {
  const results: ExportResult[] = [];
  for (const [title, name] of [
    ["any order", "export"],
    ["newest first", "export.newest"],
  ] as const) {
    results.push(await measureExport(service, title, pathOf(name, "?format=ndjson")));
  }
  return results;
}

function measureExport({ url, token, pid }: BenchService, title: string, path: string): Promise<ExportResult> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let peakBytes = residentBytes(pid);
    const timer = setInterval(() => {
      peakBytes = Math.max(peakBytes, residentBytes(pid));
    }, 50);
    const request = get(url + path, { headers: { "x-api-key": token }, agent: false }, (response) => {
      let [rows, bytes, firstByteMs] = [0, 0, 0];
      response.on("data", (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - startedAt;
        bytes += chunk.length;
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
      });
      response.on("error", reject);
      response.on("end", () => {
        clearInterval(timer);
        if (response.statusCode !== 200) reject(new Error(`The export was answered ${response.statusCode}`));
        resolve({ title, rows, bytes, firstByteMs, totalMs: performance.now() - startedAt, peakBytes });
      });
    });
    request.on("error", reject);
  });
}

/** Medians of what was measured in the rounds, as ratios to the bare route of the same round. */
export function hitRatios(rounds: readonly HitsResult[]): {
  readonly requests: number;
  readonly p99: number;
  readonly unchanged: number;
  /** The ratio of requests a second of processor time, which other work on the machine hardly affects. */
  readonly cpu: number;
} {
  const median = (ratio: (round: HitsResult) => number) => quantileOf(rounds.map(ratio), 0.5);
  return {
    requests: median(({ bare, hits }) => hits.requestsPerSecond / bare.requestsPerSecond),
    p99: median(({ bare, hits }) => hits.p99Ms / bare.p99Ms),
    unchanged: median(({ hits, unchanged }) => unchanged.requestsPerSecond / hits.requestsPerSecond),
    cpu: median(({ bare, hits }) => bare.cpuUs / hits.cpuUs),
  };
}
