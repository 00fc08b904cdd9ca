/** Measures the service's overhead over its engine, its behaviour under mixed load, and its memory. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSupply } from "./event-supply.ts";
import { batchCount, makeBatch } from "./events.ts";
import { measureHandWritten } from "./hand-written.ts";
import { measureRedaction, type RedactionCost } from "./measure-redaction.ts";
import type { BenchOptions } from "./options.ts";
import { type LogweirPeer, startLogweir } from "./peers/logweir.ts";
import { residentBytes, treeMemoryBytes, watchMemory } from "./processes.ts";
import { benchQueries, contextOf, type QueryContext } from "./queries.ts";
import { measure, summarise, type Timing } from "./statistics.ts";

interface ServiceQuery {
  readonly key: string;
  readonly atRest: Timing;
  /** Median of the engine's own time, where the service tells it. */
  readonly engineMs: number | undefined;
  readonly handWritten: Timing | undefined;
  /** While events come in. */
  readonly underLoad: Timing;
}

export interface ServiceReport {
  readonly eventCount: number;
  /** With an empty store: of the service's process, and of it with the engine host. */
  readonly idleBytes: number;
  readonly idleTreeBytes: number;
  readonly queries: readonly ServiceQuery[];
  readonly redaction: readonly RedactionCost[];
  readonly mixedEventsPerSecond: number;
  readonly mixedPeakBytes: number;
}

const mixedRate = 5_000;
const mixedSecondsPerQuery = 6;
const pauseMs = 3_000;

async function measureIdle(folder: string, endMs: number): Promise<{ readonly own: number; readonly tree: number }> {
  const peer = await startLogweir(join(folder, "idle"), endMs);
  await sleep(pauseMs);
  const sizes = { own: residentBytes(peer.pid), tree: treeMemoryBytes(peer.pid) };
  await peer.stop();
  return sizes;
}

interface AtRest {
  readonly timing: Timing;
  readonly engineMs: number | undefined;
}

async function measureAtRest(peer: LogweirPeer, context: QueryContext): Promise<Map<string, AtRest>> {
  const results = new Map<string, AtRest>();
  for (const query of benchQueries) {
    const engine: number[] = [];
    const timing = await measure(async () => {
      const { elapsedMs, engineMs } = await peer.run(query, context);
      if (engineMs !== undefined) engine.push(engineMs);
      return elapsedMs;
    });
    const engineMs = engine.length === 0 ? undefined : summarise(engine).medianMs;
    results.set(query.key, { timing, engineMs });
  }
  return results;
}

/** Sends `mixedRate` events a second in batches of 1,000 until `isOver`; answers how many were stored. */
async function sendSteadily(peer: LogweirPeer, options: BenchOptions, isOver: () => boolean): Promise<number> {
  const supply = createSupply(options.plan);
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  let stored = 0;
  for (let batch = 1; !isOver(); batch++) {
    const sent = peer.insert(supply.take(1_000)).then(() => {
      stored += 1_000;
      pending.delete(sent);
    });
    pending.add(sent);
    await sleep(Math.max(0, startedAt + (batch * 1_000_000) / mixedRate - performance.now()));
  }
  await Promise.all(pending);
  return stored;
}

async function measureMixed(
  peer: LogweirPeer,
  options: BenchOptions,
  context: QueryContext,
): Promise<{ readonly timings: Map<string, Timing>; readonly eventsPerSecond: number }> {
  let isOver = false;
  const startedAt = performance.now();
  const sending = sendSteadily(peer, options, () => isOver);
  const timings = new Map<string, Timing>();
  try {
    for (const query of benchQueries) {
      const times: number[] = [];
      const until = performance.now() + mixedSecondsPerQuery * 1_000;
      while (performance.now() < until) times.push((await peer.run(query, context)).elapsedMs);
      timings.set(query.key, summarise(times));
    }
  } finally {
    isOver = true;
  }
  const stored = await sending;
  return { timings, eventsPerSecond: stored / ((performance.now() - startedAt) / 1_000) };
}

function* planned({ plan }: BenchOptions) {
  for (let index = 0; index < batchCount(plan); index++) yield makeBatch(plan, index);
}

/** Runs the part on a store of its own. */
export async function measureService(options: BenchOptions, say: (line: string) => void): Promise<ServiceReport> {
  const folder = join(options.folder, "service");
  rmSync(folder, { recursive: true, force: true });
  const context = contextOf(options.plan);
  const { endMs } = options.plan;
  const idle = await measureIdle(folder, endMs);
  let peer = await startLogweir(folder, endMs);
  try {
    say(`Loading ${options.plan.eventCount} events into logweir`);
    await peer.load(planned(options));
    await peer.waitForCompaction();
    say("Queries at rest");
    const atRest = await measureAtRest(peer, context);
    say("Redacted rows");
    const redaction = await measureRedaction(peer, context);
    await peer.stop();
    say("Hand-written SQL on the same store");
    const handWritten = await measureHandWritten(peer.storeFolder, context);
    peer = await startLogweir(folder, endMs);
    say(`Queries beside ${mixedRate} events/s`);
    const watch = watchMemory(peer.pid);
    const mixed = await measureMixed(peer, options, context);
    watch.stop();
    const queries = benchQueries.flatMap(({ key }): ServiceQuery[] => {
      const [rest, underLoad] = [atRest.get(key), mixed.timings.get(key)];
      if (rest === undefined || underLoad === undefined) return [];
      return [{ key, atRest: rest.timing, engineMs: rest.engineMs, handWritten: handWritten.get(key), underLoad }];
    });
    return {
      eventCount: options.plan.eventCount,
      idleBytes: idle.own,
      idleTreeBytes: idle.tree,
      queries,
      redaction,
      mixedEventsPerSecond: mixed.eventsPerSecond,
      mixedPeakBytes: watch.peakBytes(),
    };
  } finally {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
