/** What waits for a store to take it, in rows and bytes, and the bounds of that. */
import { EngineError } from "../../contract/query-engine.ts";
import type { StoreLimits } from "./store-limits.ts";

export class PendingWork {
  readonly #limits: StoreLimits;
  readonly #rowsPerSecond: number;
  #rows = 0;
  #bytes = 0;

  /** `rowsPerSecond`: what a small store takes, for telling a client when to come again. */
  constructor(limits: StoreLimits, rowsPerSecond: number) {
    this.#limits = limits;
    this.#rowsPerSecond = rowsPerSecond;
  }

  /** Refuses what would wait for long: throws `EngineError` `overloaded`, or `aborted` where the caller is gone. */
  admit(signal: AbortSignal): void {
    if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
    if (this.#rows >= this.#limits.maxPendingRows || this.#bytes >= this.#limits.maxPendingBytes) {
      throw new EngineError("overloaded", "Too many events are waiting to be stored", {
        retryAfterSeconds: Math.max(1, Math.ceil(this.#rows / this.#rowsPerSecond)),
      });
    }
  }

  /** Counts rows as pending during some work. */
  async holdRows<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#rows += count;
    try {
      return await work();
    } finally {
      this.#rows -= count;
    }
  }

  /** Counts bytes as pending during some work. */
  async holdBytes<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#bytes += count;
    try {
      return await work();
    } finally {
      this.#bytes -= count;
    }
  }
}
