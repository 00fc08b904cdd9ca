import { createEntryStore } from "./entry-store.ts";
import { createFlights } from "./flights.ts";
import {
  bytesOfAnswer,
  type CachedAnswer,
  type CachePolicy,
  type ComputedAnswer,
  toCachedAnswer,
} from "./kept-answer.ts";
import { minPackedBytes, packBody, unpackBody } from "./packing.ts";

export interface CacheLookup {
  readonly key: string;
  /** What the answer is dropped with: its endpoint's id. */
  readonly group: string;
  /** What `refresh` holds on to, roughly, in bytes. */
  readonly heldBytes: number;
  readonly policy: CachePolicy;
  /** Runs the query for a miss. */
  readonly compute: (signal: AbortSignal) => Promise<ComputedAnswer>;
  /** Runs it again; it is kept with the answer, so it must not hold on to a request. */
  readonly refresh: (signal: AbortSignal) => Promise<ComputedAnswer>;
  /** The caller's signal, asked for where a query is waited for: aborting it ends that wait, and the query when nobody else waits for it. */
  readonly openSignal: () => AbortSignal;
}

export interface FoundAnswer {
  readonly answer: CachedAnswer;
  readonly isHit: boolean;
  /** True for a miss that waited for the query of another one. */
  readonly isCollapsed: boolean;
}

export interface ResultCache {
  /** The kept answer, or the one that is computed now. Concurrent identical misses run one query. Errors are thrown and never kept. */
  get(lookup: CacheLookup): Promise<FoundAnswer>;
  /** The answer where it is kept, fresh and at hand, which counts as reading it; else `get` has to find or make it. */
  recall(key: string): CachedAnswer | undefined;
  /** A form of an answer, made once by `make` however many ask, and kept as long as the answer is. */
  formOf(key: string, answer: CachedAnswer, name: string, make: () => Promise<Buffer>): Promise<Buffer>;
  /** Starts the refreshes that are due, drops what nobody reads, and packs what was not read of late; call it about once a second. */
  tick(): void;
  /** Drops the answers of a group, or all, at once; answers how many they were. What is being computed is not kept. */
  clear(group?: string): number;
  readonly size: { readonly entries: number; readonly bytes: number };
  /** Interrupts refreshes that are under way and resolves when they have ended. */
  close(): Promise<void>;
}

export interface ResultCacheOptions {
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** In [0, 1); spreads refreshes, so that entries made together do not come due together. */
  readonly random: () => number;
  /** Refreshes that may run at once, so that they never starve callers. */
  readonly maxRefreshes?: number;
}

interface Entry {
  /** Packed: without its forms, and with the body compressed. */
  answer: CachedAnswer;
  isPacked: boolean;
  /** False once packing was found not to pay. */
  isPackable: boolean;
  lastReadMs: number;
  nextRefreshMs: number;
  failures: number;
  readonly lookup: Pick<CacheLookup, "group" | "heldBytes" | "policy" | "refresh">;
}

const firstRetryMs = 5_000;
/** An answer that was not read for so long is packed. */
const coldMs = 10_000;
/** Bytes of bodies that one tick packs, at most about. */
const packedPerTick = 8_000_000;

/** Answers of endpoints, bounded by bytes; the ones read longest ago go first. */
export function createResultCache({ maxBytes, nowMs, random, maxRefreshes = 1 }: ResultCacheOptions): ResultCache {
  const entries = createEntryStore<Entry>(maxBytes, ({ answer, lookup }) => bytesOfAnswer(answer) + lookup.heldBytes);
  const flights = createFlights<ComputedAnswer>();
  const refreshes = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let packing: Promise<void> | undefined;

  // Grows when answers are dropped: what was begun before is not kept afterwards.
  let clearCount = 0;
  let serial = 0;

  const isFresh = ({ answer, lookup }: Entry, now: number) =>
    now - answer.computedAtMs < lookup.policy.cacheSeconds * 1000;
  const nextRefresh = ({ warmEverySeconds }: CachePolicy) =>
    warmEverySeconds === undefined
      ? Number.POSITIVE_INFINITY
      : nowMs() + warmEverySeconds * 1000 * (0.9 + 0.1 * random());

  const read = (key: string, entry: Entry, now: number) => {
    entry.lastReadMs = now;
    entries.touch(key);
  };

  const keep = (key: string, lookup: Entry["lookup"], computed: ComputedAnswer, lastReadMs: number): CachedAnswer => {
    const answer = toCachedAnswer(computed, ++serial, nowMs());
    const { group, heldBytes, policy, refresh } = lookup;
    entries.set(key, {
      answer,
      isPacked: false,
      isPackable: answer.body.length >= minPackedBytes,
      lastReadMs,
      nextRefreshMs: nextRefresh(policy),
      failures: 0,
      lookup: { group, heldBytes, policy, refresh },
    });
    return answer;
  };

  const refresh = async (key: string, entry: Entry) => {
    try {
      const computed = await entry.lookup.refresh(closing.signal);
      // Dropped meanwhile: the answer may be of settings that no longer hold.
      if (entries.peek(key) === entry) keep(key, entry.lookup, computed, entry.lastReadMs);
    } catch {
      // The good answer stays until it expires; the failure shows to the next caller who finds none.
      entry.failures++;
      entry.nextRefreshMs = nowMs() + firstRetryMs * 2 ** Math.min(entry.failures - 1, 6);
    } finally {
      refreshes.delete(key);
    }
  };

  const pack = async (key: string, entry: Entry) => {
    const { answer, lastReadMs } = entry;
    const body = await packBody(answer.body);
    if (entries.peek(key) !== entry || entry.answer !== answer) return;
    entry.isPackable = body !== undefined;
    if (body === undefined || entry.lastReadMs !== lastReadMs) return;
    entry.answer = { ...answer, body, forms: new Map() };
    entry.isPacked = true;
    entries.recount(key);
  };

  /** An entry's answer, whole again where it was packed. */
  const unpack = async (key: string, entry: Entry): Promise<CachedAnswer> => {
    const packed = entry.answer;
    if (!entry.isPacked) return packed;
    const body = await unpackBody(packed.body);
    if (entry.answer !== packed) return unpack(key, entry);
    entry.answer = { ...packed, body, forms: new Map() };
    entry.isPacked = false;
    if (entries.peek(key) === entry) entries.recount(key);
    return entry.answer;
  };

  const packAll = async (cold: readonly (readonly [string, Entry])[]) => {
    for (const [key, entry] of cold) if (!closing.signal.aborted) await pack(key, entry);
    packing = undefined;
  };

  return {
    async get(lookup) {
      const { key } = lookup;
      const entry = entries.peek(key);
      const now = nowMs();
      if (entry !== undefined && isFresh(entry, now)) {
        read(key, entry, now);
        return { answer: await unpack(key, entry), isHit: true, isCollapsed: false };
      }
      entries.delete(key);
      const clearsBefore = clearCount;
      let isCollapsed = true;
      const compute = (signal: AbortSignal) => {
        isCollapsed = false;
        return lookup.compute(signal);
      };
      const computed = await flights.join(`${clearCount} ${key}`, compute, lookup.openSignal());
      // Each of those who waited finds the entry that the first of them made.
      const made = entries.peek(key);
      if (made !== undefined && made.answer.body === computed.body)
        return { answer: made.answer, isHit: false, isCollapsed };
      if (clearsBefore !== clearCount) {
        return { answer: toCachedAnswer(computed, ++serial, nowMs()), isHit: false, isCollapsed };
      }
      return { answer: keep(key, lookup, computed, nowMs()), isHit: false, isCollapsed };
    },

    recall(key) {
      const entry = entries.peek(key);
      const now = nowMs();
      if (entry === undefined || entry.isPacked || !isFresh(entry, now)) return undefined;
      read(key, entry, now);
      return entry.answer;
    },

    async formOf(key, answer, name, make) {
      const known = answer.forms.get(name);
      if (known !== undefined) return known;
      const making = make();
      answer.forms.set(name, making);
      try {
        const form = await making;
        answer.forms.set(name, form);
        if (entries.peek(key)?.answer === answer) entries.recount(key);
        return form;
      } catch (error) {
        answer.forms.delete(name);
        throw error;
      }
    },

    tick() {
      const now = nowMs();
      const cold: [string, Entry][] = [];
      let coldBytes = 0;
      for (const [key, entry] of entries.entries()) {
        const unreadMs = now - entry.lastReadMs;
        if (!isFresh(entry, now) || unreadMs >= entry.lookup.policy.cacheSeconds * 1000) {
          entries.delete(key);
        } else if (now >= entry.nextRefreshMs && refreshes.size < maxRefreshes && !refreshes.has(key)) {
          refreshes.set(key, refresh(key, entry));
        } else if (!entry.isPacked && entry.isPackable && unreadMs >= coldMs && coldBytes < packedPerTick) {
          cold.push([key, entry]);
          coldBytes += entry.answer.body.length;
        }
      }
      if (cold.length > 0) packing ??= packAll(cold);
    },

    clear(group) {
      clearCount++;
      let dropped = 0;
      for (const [key, entry] of entries.entries()) {
        if (group !== undefined && entry.lookup.group !== group) continue;
        entries.delete(key);
        dropped++;
      }
      return dropped;
    },

    get size() {
      return entries.size;
    },

    async close() {
      closing.abort(new Error("The service is stopping"));
      await Promise.all([...refreshes.values(), packing]);
      for (const [key] of entries.entries()) entries.delete(key);
    },
  };
}
