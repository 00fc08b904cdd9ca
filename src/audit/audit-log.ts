import { setImmediate } from "node:timers/promises";
import { type EventStore, type LogEvent, newestTimestampUs } from "../engines/contract/query-engine.ts";
import { auditSourceName } from "../sources/audit-source.ts";
import {
  type AuditEntry,
  type AuditFields,
  createDigest,
  describeEntry,
  holdEvent,
  toLogEvent,
} from "./audit-entry.ts";
import type { AuditEvent, AuditLevel } from "./audit-event.ts";
import { createMask } from "./mask-value.ts";

/** Records who did what. Recording never fails, never waits and costs some microseconds; the rest is done in the background. */
export interface AuditLog {
  readonly level: AuditLevel;
  /** Takes an event in, which happened `count` times, unless the level leaves it out. Within two seconds it is in the log and can be queried. */
  record(event: AuditEvent, count?: number): void;
  /** Events that were lost since too many waited, or since the store could not take them before the service ended. */
  readonly droppedCount: number;
  /** Writes what waits. Resolves when that was tried; never rejects. */
  flush(): Promise<void>;
  /** Writes what waits, and takes in nothing more. Gives up after `closeTimeoutMs`. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly level: AuditLevel;
  readonly store: Pick<EventStore, "append">;
  /** Told of the newest of events once they are on disk. */
  readonly onStored?: (source: string, newestUs: bigint) => void;
  /** Gets each event as one line. */
  readonly writeLine: (fields: AuditFields, message: string) => void;
  /** Gets what keeps the audit from being written. */
  readonly warn: (message: string) => void;
  /** Of digests of queries. */
  readonly digestKey: Uint8Array;
  /** Tokens that could not be told from other texts; they are never written. */
  readonly secrets: readonly string[];
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Events that may wait; more are dropped and counted. */
  readonly maxWaiting?: number;
}

const flushAfterMs = 700;
const batchSize = 500;
const closeTimeoutMs = 5_000;
/** Refusals are cheap to cause: so many different ones may wait, however many events may. */
const maxRefusals = 100;

/** Begins without a timer: one runs only while something waits. */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { level, store, onStored, writeLine, warn, nowMs, maxWaiting = 10_000 } = options;
  const mask = createMask(options.secrets);
  const digest = createDigest(options.digestKey);
  /** In the order they came; what is counted together stands in `counted` too. */
  let waiting: AuditEntry[] = [];
  // By a text that callers keep, so that it is hashed once: a kept answer costs less than hashing a long one.
  let counted = new Map<string, AuditEntry[]>();
  let refusals = 0;
  /** Written to the log, and not yet to the store. */
  let unstored: LogEvent[] = [];
  let dropped = 0;
  let isFailing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  /** The flush that was begun last, and the one that waits for it. */
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const ending = new AbortController();

  const arm = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, flushAfterMs).unref();
  };

  const take = (): AuditEntry[] => {
    const entries = waiting;
    waiting = [];
    counted = new Map();
    refusals = 0;
    return entries;
  };

  /** Masks and logs, in slices that hold nobody up. */
  const describe = async () => {
    const entries = take();
    for (let from = 0; from < entries.length; from += 100) {
      if (from > 0) await setImmediate();
      for (const entry of entries.slice(from, from + 100)) {
        const { message, fields } = describeEntry(entry, mask);
        writeLine(fields, message);
        unstored.push(toLogEvent(entry.atMs, message, fields));
      }
    }
  };

  const storeAll = async () => {
    while (unstored.length > 0) {
      const batch = unstored.slice(0, batchSize);
      try {
        await store.append(auditSourceName, batch, ending.signal);
      } catch (error) {
        // Part of it may be on disk: sent again, it must be known by its ids.
        unstored = unstored.map((event) => ({ ...event, hasGeneratedId: false }));
        if (!isFailing) warn(`the audit waits to be stored: ${error instanceof Error ? error.message : String(error)}`);
        isFailing = true;
        return;
      }
      isFailing = false;
      unstored = unstored.slice(batch.length);
      const newestUs = newestTimestampUs(batch);
      if (newestUs !== undefined) onStored?.(auditSourceName, newestUs);
    }
  };

  const flushOnce = async (): Promise<void> => {
    next = undefined;
    try {
      await describe();
      await storeAll();
    } catch (error) {
      warn(`the audit could not be written: ${String(error)}`);
    }
    if (waiting.length + unstored.length > 0 && !isClosed) arm();
  };

  /** One after the other: all that ask while one goes on share the one behind it. */
  const flush = (): Promise<void> => {
    if (next !== undefined) return next;
    next = last.then(flushOnce);
    last = next;
    return next;
  };

  return {
    level,
    record(event, count = 1) {
      if (!isRecorded(event, level) || isClosed) return;
      const key = keyOf(event);
      const alike = key === undefined ? undefined : counted.get(key);
      const same = alike?.find((entry) => isAlike(entry.event, event));
      if (same !== undefined) {
        same.count += count;
        if ("durationMs" in event && event.durationMs > same.durationMs) same.durationMs = event.durationMs;
        return;
      }
      const isRefusal = event.action === "access.refused";
      if (waiting.length + unstored.length >= maxWaiting || (isRefusal && refusals >= maxRefusals)) {
        dropped++;
        return;
      }
      if (isRefusal) refusals++;
      const atMs = "atMs" in event ? event.atMs : undefined;
      const entry = holdEvent(event, atMs ?? nowMs(), digest);
      entry.count = count;
      waiting.push(entry);
      if (alike !== undefined) alike.push(entry);
      else if (key !== undefined) counted.set(key, [entry]);
      arm();
    },
    get droppedCount() {
      return dropped;
    },
    flush,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const giveUp = setTimeout(() => ending.abort(), closeTimeoutMs);
      await flush();
      clearTimeout(giveUp);
      dropped += unstored.length;
      if (unstored.length > 0) warn(`${unstored.length} events of the audit were lost`);
    },
  };
}

function isRecorded({ action }: AuditEvent, level: AuditLevel): boolean {
  if (level === "all") return true;
  return level === "changes" && action !== "endpoint.run" && action !== "query.run";
}

/** Under what an event is looked for to be counted together with others; undefined for those that stand alone. */
function keyOf(event: AuditEvent): string | undefined {
  switch (event.action) {
    case "endpoint.run":
    case "query.run":
      return event.callKey;
    case "access.refused":
      return `${event.method} ${event.route}`;
    default:
      return undefined;
  }
}

/** Whether events of one key are to be told apart. */
function isAlike(a: AuditEntry["event"], b: AuditEvent): boolean {
  if (a.actor !== b.actor || a.error !== b.error) return false;
  return ("cache" in a ? a.cache : undefined) === ("cache" in b ? b.cache : undefined);
}
