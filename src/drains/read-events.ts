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

/** The result of looking up keys. */
export interface KeyFinding {
  readonly key: WaitingKey;
  /** `absent`: the store does not show the event. */
  readonly kind: "selected" | "excluded" | "absent";
  /** Those to be sent; more than one only for a key without a tenant, which an earlier release wrote. */
  readonly events: readonly LogEvent[];
  /** The size of the events as JSON. */
  readonly byteCount: number;
}

/** Looks up stored events. */
export interface EventReader {
  /** Rejects with `ServiceError` for a query in LQL that cannot run over the source. */
  check(source: string, lql: string): Promise<void>;
  /**
   * Finds the source's event of each key, `maxBatch` at most, and whether the query selects it: a finding for each key,
   * in their order. Rejects where not all could be read.
   */
  read(source: string, lql: string, wanted: WantedEvents, signal: AbortSignal): Promise<readonly KeyFinding[]>;
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
  return {
    check: (source, lql) => matcher.check(source, lql),
    async read(source, lql, { keys, maxBytes }, signal) {
      const leave = await turns.enter(signal, source);
      const deadline = openDeadline(signal, readTimeoutMs);
      try {
        const path = findSource(source)?.tenantField?.split(".");
        const look = createLook({ findEvents, source, path, maxBytes, signal: deadline.signal });
        const found = await look(keys);
        const shown = [...new Set([...found.values()].flat())];
        const matches = lql.trim() === "" ? undefined : await matcher.match(source, lql, shown, deadline.signal);
        return keys.map((key) => toFinding(key, found.get(key) ?? [], matches));
      } catch (error) {
        if (deadline.isOver && !signal.aborted) {
          throw new EngineError("timeout", `The events could not be read in ${readTimeoutMs / 1_000} seconds`);
        }
        throw error;
      } finally {
        deadline.release();
        leave();
      }
    },
  };
}

/** An event, as the reader distinguishes it. */
interface FoundEvent extends KeyedEvent {
  readonly event: LogEvent;
  readonly byteCount: number;
}

/** `matches`: whether the query selects an event; undefined for one that the query has not seen. */
function toFinding(
  key: WaitingKey,
  found: readonly FoundEvent[],
  matches?: ReadonlyMap<KeyedEvent, boolean>,
): KeyFinding {
  const nothing = { key, events: [], byteCount: 0 };
  if (found.length === 0 || (matches !== undefined && found.some((each) => !matches.has(each)))) {
    return { ...nothing, kind: "absent" };
  }
  const selected = matches === undefined ? found : found.filter((each) => matches.get(each));
  if (selected.length === 0) return { ...nothing, kind: "excluded" };
  const byteCount = selected.reduce((sum, each) => sum + each.byteCount, 0);
  return { key, kind: "selected", events: selected.map(({ event }) => event), byteCount };
}

interface LookOptions {
  readonly findEvents: FindEvents;
  readonly source: string;
  readonly path: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

type Found = ReadonlyMap<WaitingKey, readonly FoundEvent[]>;

/**
 * Looks for the events where their keys say, and for those that are not there at all times: an event that came a second
 * time with another time is stored with its first.
 */
function createLook({ findEvents, source, path, maxBytes: ofSeveral, signal }: LookOptions) {
  const look = async (keys: readonly WaitingKey[], search: Partial<EventSearch>): Promise<Found> => {
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
  return async (keys: readonly WaitingKey[]): Promise<Found> => {
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
