/** Work that waits for a store, in rows and bytes, and its bounds. */
import { EngineError } from "../../contract/query-engine.ts";
import type { StoreLimits } from "./store-limits.ts";

/** The share of waiting work that one sender's bodies may take, so that there is always room for others. */
const SENDER_SHARE = 0.5;

interface Held {
  rows: number;
  bytes: number;
}

export class PendingWork {
  readonly #limits: StoreLimits;
  readonly #rowsPerSecond: number;
  readonly #all: Held = { rows: 0, bytes: 0 };
  readonly #bySender = new Map<string, Held>();

  /** `rowsPerSecond`: what a small store takes, to advise a client when to come again. */
  constructor(limits: StoreLimits, rowsPerSecond: number) {
    this.#limits = limits;
    this.#rowsPerSecond = rowsPerSecond;
  }

  /**
   * Refuses what would wait for long: throws `EngineError` `overloaded`, also where half of what may wait is the
   * sender's, or `aborted` where the caller is gone.
   */
  admit(signal: AbortSignal, sender?: string): void {
    if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
    const own = sender === undefined ? undefined : this.#bySender.get(sender);
    if (own !== undefined && this.#isFull(own, SENDER_SHARE)) {
      throw this.#overloaded("Too many events of this token are waiting to be stored", own);
    }
    if (this.#isFull(this.#all, 1)) throw this.#overloaded("Too many events are waiting to be stored", this.#all);
  }

  /** Counts rows as pending during some work. */
  holdRows<T>(count: number, work: () => Promise<T>, sender?: string): Promise<T> {
    return this.#hold("rows", count, work, sender);
  }

  /** Counts bytes as pending during some work. */
  holdBytes<T>(count: number, work: () => Promise<T>, sender?: string): Promise<T> {
    return this.#hold("bytes", count, work, sender);
  }

  async #hold<T>(unit: keyof Held, count: number, work: () => Promise<T>, sender: string | undefined): Promise<T> {
    const own = sender === undefined ? undefined : this.#ofSender(sender);
    this.#all[unit] += count;
    if (own !== undefined) own[unit] += count;
    try {
      return await work();
    } finally {
      this.#all[unit] -= count;
      if (own !== undefined) own[unit] -= count;
      if (sender !== undefined && own?.rows === 0 && own.bytes === 0) this.#bySender.delete(sender);
    }
  }

  #ofSender(sender: string): Held {
    const own = this.#bySender.get(sender) ?? { rows: 0, bytes: 0 };
    this.#bySender.set(sender, own);
    return own;
  }

  #isFull({ rows, bytes }: Held, share: number): boolean {
    const { maxPendingRows, maxPendingBytes } = this.#limits;
    return rows >= share * maxPendingRows || bytes >= share * maxPendingBytes;
  }

  #overloaded(message: string, { rows }: Held): EngineError {
    return new EngineError("overloaded", message, {
      retryAfterSeconds: Math.max(1, Math.ceil(rows / this.#rowsPerSecond)),
    });
  }
}
