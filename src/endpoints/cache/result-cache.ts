import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createFlights } from "./flights.ts";

/** A whole answer, as it is sent. */
export interface CachedAnswer {
  readonly body: Buffer;
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
  readonly policy: CachePolicy;
  /** Runs the query; called for a miss and for each refresh, so it must not hold on to a request. */
  readonly compute: (signal: AbortSignal) => Promise<Buffer>;
  /** The caller's: aborting it ends the caller's wait, and the query when nobody else waits for it. */
  readonly signal: AbortSignal;
}

export interface ResultCache {
  /** The kept answer, or the one that is computed now. Concurrent identical misses run one query. Errors are thrown and never kept. */
  get(lookup: CacheLookup): Promise<{ readonly answer: CachedAnswer; readonly isHit: boolean }>;
  /** Starts the refreshes that are due and drops what nobody reads; call it about once a second. */
  tick(): void;
  /** Drops everything. */
  clear(): void;
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
  readonly policy: CachePolicy;
  readonly compute: CacheLookup["compute"];
}

const firstRetryMs = 5_000;
/** What an entry costs beside its body. */
const entryOverheadBytes = 1_000;

/** Answers of endpoints, bounded by bytes; the ones read longest ago go first. */
export function createResultCache({ maxBytes, nowMs, random, maxRefreshes = 1 }: ResultCacheOptions): ResultCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }) => answer.body.length + entryOverheadBytes,
  });
  const flights = createFlights<Buffer>();
  const refreshes = new Map<string, Promise<void>>();
  const closing = new AbortController();

  const isFresh = ({ answer, policy }: Entry) => nowMs() - answer.computedAtMs < policy.cacheSeconds * 1000;
  const nextRefresh = ({ warmEverySeconds }: CachePolicy) =>
    warmEverySeconds === undefined
      ? Number.POSITIVE_INFINITY
      : nowMs() + warmEverySeconds * 1000 * (0.9 + 0.1 * random());

  const keep = (key: string, lookup: Pick<CacheLookup, "policy" | "compute">, body: Buffer, lastReadMs: number) => {
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    const answer = { body, etag, computedAtMs: nowMs() };
    const { policy, compute } = lookup;
    entries.set(key, { answer, lastReadMs, nextRefreshMs: nextRefresh(policy), failures: 0, policy, compute });
    return answer;
  };

  const refresh = async (key: string, entry: Entry) => {
    try {
      const body = await entry.compute(closing.signal);
      // Dropped meanwhile: the answer may be of settings that no longer hold.
      if (entries.peek(key) === entry) keep(key, entry, body, entry.lastReadMs);
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
      const body = await flights.join(key, lookup.compute, lookup.signal);
      // Each of those who waited finds the entry that the first of them made.
      const made = entries.peek(key);
      if (made !== undefined && made.answer.body === body) return { answer: made.answer, isHit: false };
      return { answer: keep(key, lookup, body, nowMs()), isHit: false };
    },

    tick() {
      const now = nowMs();
      for (const [key, entry] of [...entries.entries()]) {
        const isUnread = now - entry.lastReadMs >= entry.policy.cacheSeconds * 1000;
        if (!isFresh(entry) || isUnread) entries.delete(key);
        else if (now >= entry.nextRefreshMs && refreshes.size < maxRefreshes && !refreshes.has(key)) {
          refreshes.set(key, refresh(key, entry));
        }
      }
    },

    clear: () => entries.clear(),

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
