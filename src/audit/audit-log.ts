import { type EventStore, type LogEvent, newestTimestampUs } from "../engines/contract/query-engine.ts";
import { createWay } from "../shared/concurrency/give-way.ts";
import { messageOf } from "../shared/message-of.ts";
import { auditSourceName } from "../sources/audit-source.ts";
import { type AuditEntry, type AuditFields, createDigest, describeEntry, toLogEvent } from "./audit-entry.ts";
import type { AuditEvent, AuditLevel } from "./audit-event.ts";
import { createMask, type MaskValue } from "./mask-value.ts";
import { WaitingEntries } from "./waiting-entries.ts";

export interface AuditLogOptions {
  readonly level: AuditLevel;
  readonly store: Pick<EventStore, "append">;
  /** Called with the newest of the events that were stored. */
  readonly onStored?: (source: string, newestUs: bigint) => void;
  /** Gets each event as one line. */
  readonly writeLine: (fields: AuditFields, message: string) => void;
  /** Called with the reason why the audit cannot be written. */
  readonly warn: (message: string) => void;
  /** The key of the digests of queries. */
  readonly digestKey: Uint8Array;
  /** Tokens that cannot be recognized by their form; they are never written. */
  readonly secrets: readonly string[];
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** The maximum number of pending events; more are dropped and counted. */
  readonly maxWaiting?: number;
}

const flushAfterMs = 700;
const batchSize = 500;
const closeTimeoutMs = 5_000;

/**
 * Records the actions of callers. Recording never fails, never waits and takes some microseconds; the rest is done in
 * the background.
 */
export class AuditLog {
  readonly level: AuditLevel;
  readonly #options: AuditLogOptions;
  readonly #mask: MaskValue;
  readonly #maxWaiting: number;
  readonly #waiting: WaitingEntries;
  /** Written to the log, and not yet to the store. */
  #unstored: LogEvent[] = [];
  #dropped = 0;
  #isFailing = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The last flush that was started, and the one that waits for it. */
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | undefined;
  readonly #ending = new AbortController();

  constructor(options: AuditLogOptions) {
    this.level = options.level;
    this.#options = options;
    this.#mask = createMask(options.secrets);
    this.#maxWaiting = options.maxWaiting ?? 10_000;
    this.#waiting = new WaitingEntries(createDigest(options.digestKey), options.nowMs);
  }

  /** Events that were lost since too many waited, or since the store could not take them before the service ended. */
  get droppedCount(): number {
    return this.#dropped;
  }

  /**
   * Accepts an event that happened `count` times, unless the level excludes it. It is in the log and can be queried
   * within two seconds.
   */
  record(event: AuditEvent, count = 1): void {
    if (!isRecorded(event, this.level) || this.#isClosed) return;
    const room = this.#maxWaiting - this.#waiting.length - this.#unstored.length;
    const outcome = this.#waiting.add(event, count, room);
    if (outcome === "refused") this.#dropped++;
    else this.#arm();
  }

  /**
   * Writes pending events, one flush after another: all calls during one share the next. Resolves after the attempt,
   * with whether all events are stored; never rejects.
   */
  flush(): Promise<boolean> {
    if (this.#next !== undefined) return this.#next;
    this.#next = this.#last.then(() => this.#flushOnce());
    this.#last = this.#next;
    return this.#next;
  }

  /** Writes pending events, and accepts no more. Gives up after `closeTimeoutMs`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const giveUp = setTimeout(() => this.#ending.abort(), closeTimeoutMs);
    await this.flush();
    clearTimeout(giveUp);
    this.#dropped += this.#unstored.length;
    if (this.#unstored.length > 0) this.#options.warn(`${this.#unstored.length} events of the audit were lost`);
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, flushAfterMs).unref();
  }

  async #flushOnce(): Promise<boolean> {
    this.#next = undefined;
    await this.#describe();
    await this.#storeAll();
    const isStored = this.#unstored.length === 0;
    if (this.#waiting.length + this.#unstored.length > 0 && !this.#isClosed) this.#arm();
    return isStored;
  }

  /** Masks and logs. */
  async #describe(): Promise<void> {
    const giveWay = createWay(this.#options.nowMs);
    for (const entry of this.#waiting.takeAll()) {
      await giveWay();
      this.#describeOne(entry);
    }
  }

  /** Stores the entry even if the log rejects it. */
  #describeOne(entry: AuditEntry): void {
    try {
      const { message, fields } = describeEntry(entry, this.#mask);
      this.#unstored.push(toLogEvent(entry, message, fields));
      this.#options.writeLine(fields, message);
    } catch (error) {
      this.#options.warn(`the audit could not be written: ${String(error)}`);
    }
  }

  async #storeAll(): Promise<void> {
    const { store, onStored } = this.#options;
    while (this.#unstored.length > 0) {
      const batch = this.#unstored.slice(0, batchSize);
      try {
        await store.append(auditSourceName, batch, this.#ending.signal);
      } catch (error) {
        this.#noteFailure(error);
        return;
      }
      this.#isFailing = false;
      this.#unstored = this.#unstored.slice(batch.length);
      const newestUs = newestTimestampUs(batch);
      if (newestUs !== undefined) onStored?.(auditSourceName, newestUs);
    }
  }

  #noteFailure(error: unknown): void {
    // Part of it may have been stored: when sent again, it must be recognized by its ids.
    this.#unstored = this.#unstored.map((event) => ({ ...event, hasGeneratedId: false }));
    const reason = messageOf(error);
    if (!this.#isFailing) this.#options.warn(`the audit waits to be stored: ${reason}`);
    this.#isFailing = true;
  }
}

function isRecorded({ action }: AuditEvent, level: AuditLevel): boolean {
  if (level === "all") return true;
  return level === "changes" && action !== "endpoint.run" && action !== "query.run";
}
