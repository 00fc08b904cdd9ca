import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { OutputColumn } from "../../engines/engine.ts";
import type { PagePlace } from "../paging/cursor.ts";
import { createFlights } from "./flights.ts";

/** A whole answer, as a run makes it. */
export interface ComputedAnswer {
  /** `{"result":[...]}` */
  readonly body: Buffer;
  readonly columns: readonly OutputColumn[];
  /** The newest event that it covers, in microseconds since 1970; undefined where there is none. */
  readonly dataThroughUs: bigint | undefined;
  /** Where the next page begins; undefined where there is none. */
  readonly next: PagePlace | undefined;
}

/** A whole answer, as it is kept. */
export interface CachedAnswer extends ComputedAnswer {
  /** A strong entity tag (RFC 9110, section 8.8.3) of the body, with its quotes. */
  readonly etag: string;
  /** When the query that made it ended, in milliseconds since 1970. */
  readonly computedAtMs: number;
}

/** How long an endpoint's answers live. */
export interface CachePolicy {
  /** An answer is served for this long after the last run that succeeded. */
  readonly cacheSeconds: number;
  /** Undefined: never refreshed by itself. */
  readonly warmEverySeconds: number | undefined;
}

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
  /** The caller's: aborting it ends the caller's wait, and the query when nobody else waits for it. */
  readonly signal: AbortSignal;
}

export interface ResultCache {
  /** The kept answer, or the one that is computed now. Concurrent identical misses run one query. Errors are thrown and never kept. */
  get(lookup: CacheLookup): Promise<{ readonly answer: CachedAnswer; readonly isHit: boolean }>;
  /** Starts the refreshes that are due and drops what nobody reads; call it about once a second. */
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
  answer: CachedAnswer;
  lastReadMs: number;
  nextRefreshMs: number;
  failures: number;
  readonly lookup: Pick<CacheLookup, "group" | "heldBytes" | "policy" | "refresh">;
}

const firstRetryMs = 5_000;
/** What an entry costs beside its body. */
const entryOverheadBytes = 1_000;

/** Answers of endpoints, bounded by bytes; the ones read longest ago go first. */
export function createResultCache({ maxBytes, nowMs, random, maxRefreshes = 1 }: ResultCacheOptions): ResultCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer, lookup }) => answer.body.length + lookup.heldBytes + entryOverheadBytes,
  });
  const flights = createFlights<ComputedAnswer>();
  const refreshes = new Map<string, Promise<void>>();
  const closing = new AbortController();

  // Grows when answers are dropped: what was begun before is not kept afterwards.
  let clearCount = 0;

  const isFresh = ({ answer, lookup }: Entry) => nowMs() - answer.computedAtMs < lookup.policy.cacheSeconds * 1000;
  const nextRefresh = ({ warmEverySeconds }: CachePolicy) =>
    warmEverySeconds === undefined
      ? Number.POSITIVE_INFINITY
      : nowMs() + warmEverySeconds * 1000 * (0.9 + 0.1 * random());

  const toAnswer = (computed: ComputedAnswer): CachedAnswer => {
    const etag = `"${createHash("sha256").update(computed.body).digest("base64url")}"`;
    return { ...computed, etag, computedAtMs: nowMs() };
  };

  const keep = (key: string, lookup: Entry["lookup"], computed: ComputedAnswer, lastReadMs: number): CachedAnswer => {
    const answer = toAnswer(computed);
    const { group, heldBytes, policy, refresh } = lookup;
    const kept = { group, heldBytes, policy, refresh };
    entries.set(key, { answer, lastReadMs, nextRefreshMs: nextRefresh(policy), failures: 0, lookup: kept });
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

  return {
    async get(lookup) {
      const { key } = lookup;
      const entry = entries.get(key);
      if (entry !== undefined && isFresh(entry)) {
        entry.lastReadMs = nowMs();
        return { answer: entry.answer, isHit: true };
      }
      entries.delete(key);
      const clearsBefore = clearCount;
      const computed = await flights.join(`${clearCount} ${key}`, lookup.compute, lookup.signal);
      // Each of those who waited finds the entry that the first of them made.
      const made = entries.peek(key);
      if (made !== undefined && made.answer.body === computed.body) return { answer: made.answer, isHit: false };
      if (clearsBefore !== clearCount) return { answer: toAnswer(computed), isHit: false };
      return { answer: keep(key, lookup, computed, nowMs()), isHit: false };
    },

    tick() {
      const now = nowMs();
      for (const [key, entry] of [...entries.entries()]) {
        const isUnread = now - entry.lastReadMs >= entry.lookup.policy.cacheSeconds * 1000;
        if (!isFresh(entry) || isUnread) entries.delete(key);
        else if (now >= entry.nextRefreshMs && refreshes.size < maxRefreshes && !refreshes.has(key)) {
          refreshes.set(key, refresh(key, entry));
        }
      }
    },

    clear(group) {
      clearCount++;
      let dropped = 0;
      for (const [key, entry] of [...entries.entries()]) {
        if (group !== undefined && entry.lookup.group !== group) continue;
        entries.delete(key);
        dropped++;
      }
      return dropped;
    },

    get size() {
      return { entries: entries.size, bytes: entries.calculatedSize };
    },

    async close() {
      closing.abort(new Error("The service is stopping"));
      await Promise.all(refreshes.values());
      entries.clear();
    },
  };
}
