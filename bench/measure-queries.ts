/** Loads the same events into every peer and times the same eight queries on all of them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDifference } from "./compare.ts";
import { type BenchEvent, batchCount, type EventPlan, makeBatch } from "./events.ts";
import { type OpenPeers, openPeers } from "./open-peers.ts";
import type { BenchOptions } from "./options.ts";
import type { Peer, PeerName, Row } from "./peers/peer.ts";
import { waitForRest, watchMemory } from "./processes.ts";
import { type BenchQuery, benchQueries, contextOf, type QueryContext, variedQueries } from "./queries.ts";
import { defaultEffort, type Effort, measure, type Timing } from "./statistics.ts";

/** One query on one peer. */
export interface QueryResult {
  readonly key: string;
  readonly peer: PeerName;
  /** The time of the call whose rows had not been queried before. */
  readonly firstMs: number;
  readonly timing: Timing;
  /** Median of what the engine alone took, where it is known. */
  readonly engineMs: number | undefined;
  readonly rowCount: number;
  /** The difference from the service's answer; undefined if there is none. */
  readonly difference: string | undefined;
}

/** Figures of a peer other than query times. */
export interface PeerFacts {
  readonly peer: PeerName;
  readonly version: string;
  /** Undefined when the store was loaded before. */
  readonly loadSeconds: number | undefined;
  readonly diskBytes: number;
  readonly loadPeakBytes: number | undefined;
  readonly queryPeakBytes: number;
}

export interface QueriesReport {
  readonly eventCount: number;
  readonly facts: readonly PeerFacts[];
  readonly results: readonly QueryResult[];
  readonly notices: readonly string[];
}

type Say = (line: string) => void;

function* batchesOf(plan: EventPlan, peer: Peer, say: Say): Generator<readonly BenchEvent[]> {
  const count = batchCount(plan);
  const startedAt = performance.now();
  for (let index = 0; index < count; index++) {
    yield makeBatch(plan, index);
    if ((index + 1) % 100 !== 0) continue;
    const events = (index + 1) * 1_000;
    const rate = Math.round(events / ((performance.now() - startedAt) / 1_000));
    say(`  ${peer.name}: ${events} of ${plan.eventCount} events, ${rate}/s`);
  }
}

interface Loaded {
  readonly seconds: number | undefined;
  readonly peakBytes: number | undefined;
}

async function loadPeer(peer: Peer, options: BenchOptions, say: Say): Promise<Loaded> {
  const marker = join(options.folder, "queries", `${peer.name}.loaded.json`);
  const wanted = JSON.stringify(options.plan);
  if (existsSync(marker)) {
    if (readFileSync(marker, "utf8") === wanted) return { seconds: undefined, peakBytes: undefined };
    throw new Error(`${options.folder} holds other events; remove it, or choose another folder with --dir`);
  }
  say(`Loading ${options.plan.eventCount} events into ${peer.name}`);
  const watch = watchMemory(peer.pid);
  const startedAt = performance.now();
  await peer.load(batchesOf(options.plan, peer, say));
  const seconds = (performance.now() - startedAt) / 1_000;
  await peer.waitForCompaction();
  watch.stop();
  writeFileSync(marker, wanted);
  return { seconds, peakBytes: watch.peakBytes() };
}

async function runQuery(
  peer: Peer,
  query: BenchQuery,
  contextAt: (call: number) => QueryContext,
  effort: Effort,
): Promise<Pick<QueryResult, "firstMs" | "timing" | "engineMs"> & { readonly rows: readonly Row[] }> {
  let call = 0;
  const first = await peer.run(query, contextAt(0));
  const engineTimes: number[] = [];
  const timing = await measure(async () => {
    if (query.isVaried === true) call++;
    const answer = await peer.run(query, contextAt(call));
    if (answer.engineMs !== undefined) engineTimes.push(answer.engineMs);
    return answer.elapsedMs;
  }, effort);
  const engineMs = engineTimes.toSorted((a, b) => a - b)[Math.floor(engineTimes.length / 2)];
  return { rows: first.rows(), firstMs: first.elapsedMs, timing, engineMs };
}

interface Results {
  readonly results: readonly QueryResult[];
  readonly peakBytes: ReadonlyMap<Peer, number>;
}

async function runQueries(peers: readonly Peer[], plan: EventPlan, effort: Effort, say: Say): Promise<Results> {
  const contextAt = (call: number) => contextOf(plan, call);
  const results: QueryResult[] = [];
  const peakBytes = new Map<Peer, number>();
  for (const query of [...benchQueries, ...variedQueries]) {
    let ours: readonly Row[] | undefined;
    for (const peer of peers) {
      await waitForRest(peers.map(({ pid }) => pid));
      // Looking takes time: of the one that is measured alone.
      const watch = watchMemory(peer.pid);
      const { rows, ...times } = await runQuery(peer, query, contextAt, effort);
      watch.stop();
      peakBytes.set(peer, Math.max(watch.peakBytes(), peakBytes.get(peer) ?? 0));
      ours ??= rows;
      const difference = findDifference(query.comparison, ours, rows);
      results.push({ key: query.key, peer: peer.name, ...times, rowCount: rows.length, difference });
      say(
        `  ${query.title}: ${peer.name} ${times.timing.medianMs.toFixed(2)} ` +
          `ms${difference ? `; DIFFERS: ${difference}` : ""}`,
      );
    }
  }
  return { results, peakBytes };
}

/** Runs the part and answers its numbers; peers are stopped in any case. */
export async function measureQueries(options: BenchOptions, say: Say, effort = defaultEffort): Promise<QueriesReport> {
  const open: OpenPeers = await openPeers(options, "queries");
  try {
    const loaded = new Map<Peer, Loaded>();
    for (const peer of open.all) loaded.set(peer, await loadPeer(peer, options, say));
    say("Running the queries");
    const { results, peakBytes } = await runQueries(open.all, options.plan, effort, say);
    const facts: PeerFacts[] = [];
    for (const peer of open.all) {
      facts.push({
        peer: peer.name,
        version: peer.version,
        loadSeconds: loaded.get(peer)?.seconds,
        diskBytes: await peer.diskBytes(),
        loadPeakBytes: loaded.get(peer)?.peakBytes,
        queryPeakBytes: peakBytes.get(peer) ?? 0,
      });
    }
    return { eventCount: options.plan.eventCount, facts, results, notices: open.notices };
  } finally {
    await open.stop();
  }
}
