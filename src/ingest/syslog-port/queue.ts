import { setTimeout as pause } from "node:timers/promises";
import { EngineError, type LogEvent } from "../../engines/contract/query-engine.ts";

/** Messages of one batch, and how long the first waits for others, in milliseconds. */
const maxBatch = 2_000;
const waitMs = 100;
/** The maximum number of pending messages, and of the characters of their texts. */
const maxWaiting = { messages: 20_000, characters: 32_000_000 } as const;
const retryMs = 500;

export interface QueueOptions {
  readonly append: (events: readonly LogEvent[], signal: AbortSignal) => Promise<unknown>;
  readonly warn: (message: string) => void;
}

interface Message {
  readonly event: LogEvent;
  readonly length: number;
}

/** Collects messages and stores them in batches, one after the other. */
export class MessageQueue {
  readonly #counts = { stored: 0, dropped: 0 };
  readonly #append: QueueOptions["append"];
  readonly #warn: QueueOptions["warn"];
  readonly #closing = new AbortController();
  #waiting: Message[] = [];
  #characters = 0;
  /** Called in the order in which they came. */
  #wakers: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor({ append, warn }: QueueOptions) {
    this.#append = append;
    this.#warn = warn;
  }

  /** `length` is that of its message. False when too many are pending: then it was not added. */
  add(event: LogEvent, length: number): boolean {
    if (this.#isClosed || this.isFull) return false;
    this.#waiting.push({ event, length });
    this.#characters += length;
    if (this.#waiting.length >= maxBatch) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), waitMs);
    return true;
  }

  /** Whether a message has to wait; one that is closed has no need to. */
  get isFull(): boolean {
    if (this.#isClosed) return false;
    return this.#waiting.length >= maxWaiting.messages || this.#characters >= maxWaiting.characters;
  }

  /** Resolves when there may be room, first for who has waited longest, and at `wake`. */
  change(): Promise<void> {
    return new Promise((resolve) => void this.#wakers.push(resolve));
  }

  /** Lets everyone who waits look again. */
  wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }

  get counts(): { readonly stored: number; readonly dropped: number } {
    return this.#counts;
  }

  /** Counts messages that were not taken. */
  drop(count: number): void {
    this.#counts.dropped += count;
  }

  /** Stores pending messages, drops those that the store does not take within `timeoutMs`, and accepts no more. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    const giveUp = setTimeout(() => this.#closing.abort(), timeoutMs);
    this.#start();
    await this.#running;
    clearTimeout(giveUp);
    this.#closing.abort();
    this.wake();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // The timer may find that the previous batch included what it was set for.
    if (this.#waiting.length > 0) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, maxBatch);
      await this.#store(batch.map(({ event }) => event));
      this.#waiting = this.#waiting.slice(batch.length);
      for (const { length } of batch) this.#characters -= length;
      if (this.#waiting.length < maxWaiting.messages / 2 && !this.isFull) this.wake();
    }
    this.#running = undefined;
  }

  async #store(batch: readonly LogEvent[]): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#append(batch, this.#closing.signal);
        this.#counts.stored += batch.length;
        return;
      } catch (error) {
        if (!canRetry(error)) {
          this.#warn(`${batch.length} messages of syslog could not be stored: ${String(error)}`);
          break;
        }
        await pause(retryMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
    this.drop(batch.length);
  }
}

function canRetry(error: unknown): boolean {
  return error instanceof EngineError && ["unavailable", "overloaded", "disk_full"].includes(error.code);
}
