import { setTimeout as sleep } from "node:timers/promises";
import { EngineError, type LogEvent, type StoredEvents, type TimeRange } from "../engines/contract/query-engine.ts";
import { digestOf, sumDigests } from "./digest.ts";
import { summarize, type VerifiedSlice } from "./progress-file.ts";
import type { SliceKey, SourceStore, TargetStore } from "./stores.ts";

const eventsPerAppend = 2_000;
const appendsAtOnce = 2;
/** How long a busy or unavailable store is retried. */
const patienceMs = 120_000;
const longestPauseMs = 5_000;
const maxExamples = 5;

/** The outcome of a slice. */
export interface MovedSlice extends VerifiedSlice {
  /** Events that were stored in the target. */
  readonly moved: number;
  /** Events of the source that the target has under their ids with other values, and that it has not at all. */
  readonly changed: number;
  readonly missing: number;
  /** Ids of some of those. */
  readonly examples: readonly string[];
}

export interface SliceMove {
  readonly from: SourceStore;
  readonly to: TargetStore;
  readonly key: SliceKey;
  readonly signal: AbortSignal;
  /** Only compares. */
  readonly isDry?: boolean;
  readonly onRead?: (events: number) => void;
}

/** By digest, the ids. */
type Digests = ReadonlyMap<string, string>;

function rangeOf({ startUs, widthUs }: SliceKey): TimeRange {
  return { fromUs: startUs, toUs: startUs + widthUs };
}

async function summaryOf(events: StoredEvents, key: SliceKey, signal: AbortSignal) {
  const [slice] = await events.slices(key.source, rangeOf(key), key.widthUs, signal);
  return summarize(slice);
}

async function readDigests({ to, key, signal }: SliceMove): Promise<Digests> {
  const digests = new Map<string, string>();
  if (!to.has(key.source)) return digests;
  for await (const events of to.events.read(key.source, rangeOf(key), signal)) {
    for (const event of events) digests.set(digestOf(event), event.id);
  }
  return digests;
}

/** Stores what the target lacks, and answers the digests of all that the source has. */
async function bring(move: SliceMove, there: Digests): Promise<{ readonly own: Digests; readonly moved: number }> {
  const { from, key, signal, isDry = false, onRead = () => undefined } = move;
  const own = new Map<string, string>();
  const running: Promise<void>[] = [];
  let waiting: LogEvent[] = [];
  let moved = 0;
  const send = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    moved += batch.length;
    if (isDry || batch.length === 0) return;
    if (running.length >= appendsAtOnce) await running.shift();
    const append = appendPatiently(move, batch);
    // Whether it fails is asked when it is waited for.
    append.catch(() => undefined);
    running.push(append);
  };
  for await (const events of from.events.read(key.source, rangeOf(key), signal)) {
    for (const event of events) {
      const digest = digestOf(event);
      own.set(digest, event.id);
      if (!there.has(digest)) waiting.push(event);
    }
    if (waiting.length >= eventsPerAppend) await send();
    onRead(events.length);
  }
  await send();
  await Promise.all(running);
  return { own, moved };
}

async function appendPatiently({ to, key, signal }: SliceMove, events: readonly LogEvent[]): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      await to.append(key.source, events, signal);
      return;
    } catch (error) {
      const isPassing = error instanceof EngineError && (error.code === "overloaded" || error.code === "unavailable");
      if (!isPassing || performance.now() > until) throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

/**
 * Moves the events of a slice to the target, and compares the two stores afterwards. It can be repeated after any
 * interruption: existing events are not stored twice. Throws the stores' errors.
 */
export async function moveSlice(move: SliceMove): Promise<MovedSlice> {
  const { from, to, key, signal, isDry = false } = move;
  // What comes while the events are read counts as not counted: then the slice is looked at again.
  const fromSummary = await summaryOf(from.events, key, signal);
  let toSummary = to.has(key.source) ? await summaryOf(to.events, key, signal) : null;
  let there = toSummary === null ? new Map<string, string>() : await readDigests(move);
  const { own, moved } = await bring(move, there);
  if (moved > 0 && !isDry) {
    toSummary = await summaryOf(to.events, key, signal);
    there = await readDigests(move);
  }
  // An interrupted read may be incomplete.
  signal.throwIfAborted();
  const ids = new Set(there.values());
  const lacking = [...own].filter(([digest]) => !there.has(digest));
  const changed = lacking.filter(([, id]) => ids.has(id)).length;
  return {
    from: fromSummary,
    to: toSummary,
    events: own.size,
    digest: sumDigests(own.keys()),
    others: [...there.keys()].filter((digest) => !own.has(digest)).length - changed,
    moved: isDry ? moved - changed : moved - lacking.length,
    changed,
    missing: isDry ? 0 : lacking.length - changed,
    examples: lacking.slice(0, maxExamples).map(([, id]) => id),
  };
}
