import type { EventStore } from "../engines/contract/query-engine.ts";
import type { Source } from "./source.ts";

/** The dependencies of retention. */
export interface RetentionOptions {
  readonly sources: readonly Pick<Source, "name" | "retentionDays">[];
  readonly store: Pick<EventStore, "deleteBefore">;
  /** False where another service on the store does it. */
  readonly isOurs?: () => boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly log: (level: "info" | "error", message: string) => void;
}

/** Retention that runs in the background. */
export interface Retention {
  /** Starts no further run and waits for the running one. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const intervalMs = 3_600_000;
/** A newly opened store reads its log and its ids first. */
const firstRunMs = 60_000;

/** The oldest time within a source's retention, in microseconds since 1970; undefined when it retains everything. */
export function retentionStartUs(source: Pick<Source, "retentionDays">, nowMs: number): bigint | undefined {
  if (source.retentionDays === undefined) return undefined;
  return BigInt(Math.floor(nowMs - source.retentionDays * dayMs)) * 1000n;
}

/**
 * Deletes events older than each source's `retention_days`, one source after another. Sources without one are skipped.
 * A failure is logged and does not affect the other sources. Returns the number of deleted events.
 */
export async function runRetention(
  options: RetentionOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const { sources, store, nowMs, log } = options;
  let total = 0;
  for (const source of sources) {
    const startUs = retentionStartUs(source, nowMs());
    if (startUs === undefined || store.deleteBefore === undefined || signal.aborted) continue;
    try {
      const count = await store.deleteBefore(source.name, startUs);
      if (count > 0) {
        log("info", `retention: deleted ${count} events of ${source.name} older than ${source.retentionDays} days`);
      }
      total += count;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log("error", `retention of ${source.name} failed and will be tried again: ${reason}`);
    }
  }
  return total;
}

/** Runs retention a minute from now and every hour from then on, until it is closed. Returns at once. */
export function startRetention(options: RetentionOptions): Retention {
  const closing = new AbortController();
  let running: Promise<unknown> | undefined;
  const run = () => {
    if (options.isOurs?.() === false) return;
    running ??= runRetention(options, closing.signal).finally(() => {
      running = undefined;
    });
  };
  let timer = setTimeout(() => {
    run();
    timer = setInterval(run, intervalMs).unref();
  }, firstRunMs).unref();
  return {
    async close() {
      clearTimeout(timer);
      closing.abort();
      await running;
    },
  };
}
