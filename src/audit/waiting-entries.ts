import { type AuditEntry, type DigestText, holdEvent } from "./audit-entry.ts";
import type { AuditEvent } from "./audit-event.ts";

/** Refusals are cheap to cause, so this many different ones may be pending, regardless of the limit of events. */
const maxRefusals = 100;

/** Pending events of the audit in order of arrival. Events that differ only in their time are combined. */
export class WaitingEntries {
  readonly #digest: DigestText;
  readonly #nowMs: () => number;
  #entries: AuditEntry[] = [];
  // By a text that callers retain, so that it is hashed once: a cached answer costs less than hashing a long text.
  #byKey = new Map<string, AuditEntry[]>();
  #refusals = 0;

  constructor(digest: DigestText, nowMs: () => number) {
    this.#digest = digest;
    this.#nowMs = nowMs;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Adds the event, which happened `count` times, to an equal pending one, or as a new one if there is `room`. */
  add(event: AuditEvent, count: number, room: number): "counted" | "added" | "refused" {
    const key = keyOf(event);
    const alike = key === undefined ? undefined : this.#byKey.get(key);
    const same = alike?.find((entry) => isAlike(entry.event, event));
    if (same !== undefined) {
      countAgain(same, event, count);
      return "counted";
    }
    const isRefusal = "route" in event;
    if (room <= 0 || (isRefusal && this.#refusals >= maxRefusals)) return "refused";
    if (isRefusal) this.#refusals++;
    const entry = this.#hold(event, count);
    this.#entries.push(entry);
    if (alike !== undefined) alike.push(entry);
    else if (key !== undefined) this.#byKey.set(key, [entry]);
    return "added";
  }

  /** Takes all pending events. */
  takeAll(): readonly AuditEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    this.#byKey = new Map();
    this.#refusals = 0;
    return entries;
  }

  #hold(event: AuditEvent, count: number): AuditEntry {
    const atMs = "atMs" in event ? event.atMs : undefined;
    const entry = holdEvent(event, atMs ?? this.#nowMs(), this.#digest);
    entry.count = count;
    return entry;
  }
}

/** The key by which an event is combined with others; undefined for events that are not combined. */
function keyOf(event: AuditEvent): string | undefined {
  switch (event.action) {
    case "endpoint.run":
    case "query.run":
      return event.callKey;
    case "access.refused":
    case "change.unconfirmed":
      return `${event.action} ${event.method} ${event.route}`;
    default:
      return undefined;
  }
}

/** Whether events of one key are to be distinguished. */
function isAlike(a: AuditEntry["event"], b: AuditEvent): boolean {
  if (a.actor !== b.actor || a.error !== b.error) return false;
  return ("cache" in a ? a.cache : undefined) === ("cache" in b ? b.cache : undefined);
}

function countAgain(entry: AuditEntry, event: AuditEvent, count: number): void {
  entry.count += count;
  if ("durationMs" in event && event.durationMs > entry.durationMs) entry.durationMs = event.durationMs;
}
