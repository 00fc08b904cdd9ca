/** How many events a second each peer stores durably, in batches of 1,000 over 4 connections. */
import { createSupply, type EventSupply } from "./event-supply.ts";
import { openPeers } from "./open-peers.ts";
import type { BenchOptions } from "./options.ts";
import type { Peer, PeerName } from "./peers/peer.ts";
import { treeCpuSeconds, watchMemory } from "./processes.ts";
import { quantileOf } from "./statistics.ts";

/** The figures of one peer. Times are those of one acknowledged insert. */
export interface IngestResult {
  readonly peer: PeerName;
  readonly clients: number;
  readonly eventsPerInsert: number;
  readonly seconds: number;
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly slowestMs: number;
  /** Processor time of the peer for one event. */
  readonly cpuMicrosPerEvent: number;
  readonly peakBytes: number;
  readonly diskBytes: number;
}

interface IngestLoad {
  readonly clients: number;
  readonly eventsPerInsert: number;
  readonly seconds: number;
}

/** Lets `clients` send one insert after the other for so many seconds. */
async function sendEvents(peer: Peer, supply: EventSupply, load: IngestLoad): Promise<IngestResult> {
  const times: number[] = [];
  const watch = watchMemory(peer.pid);
  const cpuBefore = treeCpuSeconds(peer.pid);
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  const runClient = async () => {
    while (elapsed() < load.seconds) {
      const events = supply.take(load.eventsPerInsert);
      const sentAt = performance.now();
      await peer.insert(events);
      times.push(performance.now() - sentAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: load.clients }, runClient));
  } finally {
    watch.stop();
  }
  const seconds = elapsed();
  return {
    peer: peer.name,
    ...load,
    seconds,
    eventsPerSecond: (times.length * load.eventsPerInsert) / seconds,
    medianMs: quantileOf(times, 0.5),
    p99Ms: quantileOf(times, 0.99),
    p999Ms: quantileOf(times, 0.999),
    slowestMs: Math.max(...times),
    cpuMicrosPerEvent: ((treeCpuSeconds(peer.pid) - cpuBefore) * 1e6) / (times.length * load.eventsPerInsert),
    peakBytes: watch.peakBytes(),
    diskBytes: await peer.diskBytes(),
  };
}

export interface IngestReport {
  readonly batches: readonly IngestResult[];
  /** Many clients that send one event at a time, to the service alone: while it compacts the batches, and after. */
  readonly singles: readonly IngestResult[];
  readonly notices: readonly string[];
}

/** Runs the part, one peer after the other; peers are stopped in any case. */
export async function measureIngest(options: BenchOptions, say: (line: string) => void): Promise<IngestReport> {
  const open = await openPeers(options, "ingest");
  try {
    const supply = createSupply(options.plan);
    const batches: IngestResult[] = [];
    for (const peer of open.all) {
      say(`Sending events to ${peer.name} for ${options.ingestSeconds} s`);
      batches.push(
        await sendEvents(peer, supply, { clients: 4, eventsPerInsert: 1_000, seconds: options.ingestSeconds }),
      );
      say(`  ${peer.name}: ${Math.round(batches.at(-1)?.eventsPerSecond ?? 0)} events/s`);
    }
    const seconds = Math.min(options.ingestSeconds, 30);
    const sendSingles = () => sendEvents(open.logweir, supply, { clients: 64, eventsPerInsert: 1, seconds });
    const behind = await sendSingles();
    await open.logweir.waitForCompaction();
    const singles = [behind, await sendSingles()];
    return { batches, singles, notices: open.notices };
  } finally {
    await open.stop();
  }
}
