import { EngineError, type LogEvent } from "../engines/contract/query-engine.ts";

/** Messages of one batch, and how long one waits for others, in milliseconds. */
const maxBatch = 2_000;
const waitMs = 100;
/** Messages that wait at once: some megabytes. */
const maxWaiting = 20_000;
const retryMs = 500;

export interface MessageQueue {
  /** False where too many wait: then it was not taken. */
  add(event: LogEvent): boolean;
  readonly isFull: boolean;
  /** Resolves once there is room again. */
  roomy(): Promise<void>;
  readonly counts: { readonly stored: number; readonly dropped: number };
  /** Counts messages that were not taken. */
  drop(count: number): void;
  /** Stores what waits, gives up what the store does not take within `timeoutMs`, and takes no more. */
  close(timeoutMs: number): Promise<void>;
}

export interface QueueOptions {
  readonly append: (events: readonly LogEvent[], signal: AbortSignal) => Promise<unknown>;
  readonly warn: (message: string) => void;
}

/** Collects messages and stores them in batches, one after the other. */
export function createMessageQueue({ append, warn }: QueueOptions): MessageQueue {
  let waiting: LogEvent[] = [];
  let isClosed = false;
  const counts = { stored: 0, dropped: 0 };
  const closing = new AbortController();
  let waiters: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const storeBatch = async (batch: readonly LogEvent[]) => {
    while (!closing.signal.aborted) {
      try {
        await append(batch, closing.signal);
        counts.stored += batch.length;
        return;
      } catch (error) {
        if (!canRetry(error)) {
          warn(`${batch.length} messages of syslog could not be stored: ${String(error)}`);
          break;
        }
        await sleep(retryMs, closing.signal);
      }
    }
    counts.dropped += batch.length;
  };

  const run = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      await storeBatch(batch);
      waiting = waiting.slice(batch.length);
      if (waiting.length < maxWaiting / 2) for (const wake of waiters.splice(0)) wake();
    }
    running = undefined;
  };

  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    running ??= run();
  };

  return {
    add(event) {
      if (isClosed || waiting.length >= maxWaiting) return false;
      waiting.push(event);
      if (waiting.length >= maxBatch) start();
      else timer ??= setTimeout(start, waitMs);
      return true;
    },
    get isFull() {
      return waiting.length >= maxWaiting;
    },
    roomy() {
      if (waiting.length < maxWaiting) return Promise.resolve();
      return new Promise((resolve) => void waiters.push(resolve));
    },
    counts,
    drop(count) {
      counts.dropped += count;
    },
    async close(timeoutMs) {
      isClosed = true;
      const giveUp = setTimeout(() => closing.abort(), timeoutMs);
      start();
      await running;
      clearTimeout(giveUp);
      closing.abort();
      for (const wake of waiters) wake();
      waiters = [];
    },
  };
}

function canRetry(error: unknown): boolean {
  return error instanceof EngineError && ["unavailable", "overloaded", "disk_full"].includes(error.code);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
