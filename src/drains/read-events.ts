import type { EventMatcher, KeyedEvent } from "../endpoints/explore/match-events.ts";
import { valueText } from "../engines/contract/event-line.ts";
import { tenantOf } from "../engines/contract/event-tenant.ts";
import { EngineError, type EventSearch, type FindEvents, type LogEvent } from "../engines/contract/query-engine.ts";
import { Admission } from "../shared/concurrency/admission.ts";
import { openDeadline } from "../shared/concurrency/deadline.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Source } from "../sources/source.ts";
import type { WaitingKey } from "./journal.ts";

/** Keys that are looked up at once, at most. */
export const maxBatch = 500;
/** The maximum size of several events, as their rows' JSON. */
export const maxReadBytes = 4_000_000;
/** The maximum size of a single event. */
const maxEventBytes = 64_000_000;
/** Limits of LQL queries that select events. */
export const matchLimits = { timeoutMs: 60_000, maxResultBytes: 32_000_000 };
/** The deadline of one look-up. */
const readTimeoutMs = 60_000;
/** Look-ups that run at once, of all rules; sources take turns, so that thousands of rules of one hold up no other. */
const maxReads = 2;

/** A stored event, as the reader distinguishes it. */
export interface FoundEvent extends KeyedEvent {
  readonly event: LogEvent;
  /** The size of the event as JSON. */
  readonly byteCount: number;
}

/** The events of keys; nothing for a key whose event the store does not show. */
export type FoundEvents = ReadonlyMap<WaitingKey, readonly FoundEvent[]>;

/** Looks up stored events. */
export interface EventReader {
  /** Rejects with `ServiceError` for a query in LQL that cannot run over the source. */
  check(source: string, lql: string): Promise<void>;
  /** Finds the source's event of each key, `maxBatch` at most. Rejects where not all could be read. */
  find(source: string, wanted: WantedEvents, signal: AbortSignal): Promise<FoundEvents>;
  /** As `EventMatcher.match`. */
  match(
    source: string,
    lqls: readonly string[],
    events: readonly FoundEvent[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<FoundEvent, string>>;
}

/** Events to be looked up. Several have at most so many bytes together, as their rows' JSON. */
export interface WantedEvents {
  readonly keys: readonly WaitingKey[];
  readonly maxBytes: number;
}

const tooLarge: ReadonlySet<string> = new Set([
  ...["result_too_large", "memory_exceeded", "limit_exceeded", "residual_too_large", "timeout"],
]);

/** Whether fewer events at once, or no such event, may be read. */
export function isTooLarge(error: unknown): boolean {
  return (error instanceof ServiceError || error instanceof EngineError) && tooLarge.has(error.code);
}

export interface ReaderOptions {
  readonly findEvents: FindEvents;
  readonly matcher: EventMatcher;
  readonly findSource: (name: string) => Pick<Source, "tenantField"> | undefined;
}

/** Reads with limits of its own, whatever those of callers are. */
export function createEventReader({ findEvents, matcher, findSource }: ReaderOptions): EventReader {
  const turns = new Admission({ maxRunning: maxReads, maxWaiting: Number.POSITIVE_INFINITY });
  const inTurn = async <T>(source: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => {
    const leave = await turns.enter(signal, source);
    const deadline = openDeadline(signal, readTimeoutMs);
    try {
      return await work(deadline.signal);
    } catch (error) {
      if (deadline.isOver && !signal.aborted) {
        throw new EngineError("timeout", `The events could not be read in ${readTimeoutMs / 1_000} seconds`);
      }
      throw error;
    } finally {
      deadline.release();
      leave();
    }
  };
  return {
    check: (source, lql) => matcher.check(source, lql),
    async find(source, { keys, maxBytes }, signal) {
      if (keys.length === 0) return new Map();
      const path = findSource(source)?.tenantField?.split(".");
      return inTurn(source, signal, (ending) =>
        createLook({ findEvents, source, path, maxBytes, signal: ending })(keys),
      );
    },
    match: (source, lqls, events, signal) =>
      inTurn(source, signal, (ending) => matcher.match(source, lqls, events, ending)),
  };
}

interface LookOptions {
  readonly findEvents: FindEvents;
  readonly source: string;
  readonly path: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Looks for the events where their keys say, and for those that are not there at all times: an event that came a second
 * time with another time is stored with its first.
 */
function createLook({ findEvents, source, path, maxBytes: ofSeveral, signal }: LookOptions) {
  const look = async (keys: readonly WaitingKey[], search: Partial<EventSearch>): Promise<FoundEvents> => {
    const byId = new Map<string, WaitingKey[]>();
    for (const key of keys) byId.set(key.id, [...(byId.get(key.id) ?? []), key]);
    const found = new Map<WaitingKey, FoundEvent[]>();
    const maxBytes = keys.length === 1 ? maxEventBytes : ofSeveral;
    for await (const events of findEvents(source, { ids: [...byId.keys()], maxBytes, ...search }, signal)) {
      for (const event of events) {
        const tenant = tenantOf(path, event.fields);
        const wanting = (byId.get(event.id) ?? []).filter((key) => isNamed(key, event, tenant));
        if (wanting.length === 0) continue;
        const each = { id: event.id, timestampUs: event.timestampUs, tenant, event, byteCount: sizeOf(event) };
        for (const key of wanting) found.set(key, [...(found.get(key) ?? []), each]);
      }
    }
    return found;
  };
  return async (keys: readonly WaitingKey[]): Promise<FoundEvents> => {
    const known = await look(keys, placeOf(keys));
    const missing = keys.filter((key) => !known.has(key));
    return missing.length === 0 ? known : new Map([...known, ...(await look(missing, tenantsOf(missing)))]);
  };
}

function isNamed(key: WaitingKey, event: LogEvent, tenant: string | null): boolean {
  return key.tenant === undefined ? key.timestampUs === event.timestampUs : key.tenant === tenant;
}

/** Where keys say that their events are. */
function placeOf(keys: readonly WaitingKey[]): Partial<EventSearch> {
  const times = keys.map(({ timestampUs }) => timestampUs);
  const fromUs = times.reduce((a, b) => (a < b ? a : b), times[0] ?? 0n);
  const toUs = times.reduce((a, b) => (a > b ? a : b), times[0] ?? 0n) + 1n;
  return { range: { fromUs, toUs }, ...tenantsOf(keys) };
}

/** Nothing of other tenants is read: theirs may be any number, and of any size. */
function tenantsOf(keys: readonly WaitingKey[]): Partial<EventSearch> {
  const tenants = [...new Set(keys.map(({ tenant }) => tenant))];
  const known = tenants.filter((tenant) => tenant !== undefined);
  return known.length === tenants.length ? { tenants: known } : {};
}

function sizeOf({ id, eventMessage, fields }: LogEvent): number {
  return id.length + (eventMessage?.length ?? 0) + valueText(fields).length;
}
