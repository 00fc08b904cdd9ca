import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { createFlights, type Flights } from "../../shared/concurrency/flights.ts";
import {
  bytesOfAnswer,
  type CachedAnswer,
  type CachePolicy,
  type ComputedAnswer,
  toCachedAnswer,
} from "./cached-answer.ts";
import { createEntryStore, type EntryStore } from "./entry-store.ts";
import { createOwnRefresh, type MadeAnswer, type RefreshAnswer } from "./shared-refreshes.ts";

export interface CacheLookup {
  readonly key: string;
  /** The group that the answer is cleared with: its endpoint's id. */
  readonly group: string;
  /** The approximate bytes that `refresh` retains. */
  readonly heldBytes: number;
  readonly policy: CachePolicy;
  /** Runs the query for a miss. */
  readonly compute: (signal: AbortSignal) => Promise<ComputedAnswer>;
  /** Runs it again; it is cached with the answer, so it must not retain a request. */
  readonly refresh: (signal: AbortSignal) => Promise<ComputedAnswer>;
  /**
   * Returns the caller's signal, called when a query is waited for: aborting it ends that wait, and the query when no
   * other caller waits for it.
   */
  readonly openSignal: () => AbortSignal;
}

export interface FoundAnswer {
  readonly answer: CachedAnswer;
  readonly isHit: boolean;
  /** True for a miss that waited for the query of another caller. */
  readonly isCollapsed: boolean;
}

export interface ResultCacheOptions {
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A clock that nobody sets: an answer's age does not depend on when the other one was set. */
  readonly steadyMs: () => number;
  /** In [0, 1); spreads refreshes, so that entries made together are not due together. */
  readonly random: () => number;
  /** The maximum number of concurrent refreshes, so that they never starve callers. */
  readonly maxRefreshes?: number;
  /** How a due answer is refreshed; by running its query unless set. */
  readonly refresh?: RefreshAnswer;
}

interface Entry {
  /** Compressed: without its forms, and with the body compressed. */
  answer: CachedAnswer;
  isPacked: boolean;
  /** False once compression was found to save too little. */
  isPackable: boolean;
  /** These three by the steady clock. */
  readonly madeAtMs: number;
  lastReadMs: number;
  nextRefreshMs: number;
  failures: number;
  readonly lookup: Pick<CacheLookup, "group" | "heldBytes" | "policy" | "refresh">;
}

const firstRetryMs = 5_000;
/** The delay before an answer that another service is about to make is requested again. */
const askAgainMs = 1_000;
/** An answer that was not read for this long is compressed. */
const coldMs = 10_000;
/** The approximate number of bytes of bodies compressed by one tick. */
const packedPerTick = 8_000_000;

function isFresh({ madeAtMs, lookup }: Entry, now: number): boolean {
  return now - madeAtMs < lookup.policy.cacheSeconds * 1000;
}

/** Answers of endpoints, limited by bytes; the least recently read are evicted first. */
export class ResultCache {
  readonly #nowMs: () => number;
  readonly #steadyMs: () => number;
  readonly #random: () => number;
  readonly #maxRefreshes: number;
  readonly #refreshAnswer: RefreshAnswer;
  readonly #entries: EntryStore<Entry>;
  readonly #flights: Flights<ComputedAnswer> = createFlights<ComputedAnswer>();
  readonly #refreshes = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #packing: Promise<void> | undefined;
  /** Incremented when answers are cleared: computations that started earlier are not cached. */
  #clearCount = 0;
  #serial = 0;

  constructor({ maxBytes, nowMs, steadyMs, random, maxRefreshes = 1, refresh }: ResultCacheOptions) {
    this.#nowMs = nowMs;
    this.#steadyMs = steadyMs;
    this.#random = random;
    this.#maxRefreshes = maxRefreshes;
    this.#refreshAnswer = refresh ?? createOwnRefresh(nowMs);
    this.#entries = createEntryStore(maxBytes, ({ answer, lookup }) => bytesOfAnswer(answer) + lookup.heldBytes);
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return this.#entries.size;
  }

  /**
   * Returns the cached answer, or computes it. Concurrent identical misses run one query. Errors are thrown and never
   * cached.
   */
  async get(lookup: CacheLookup): Promise<FoundAnswer> {
    const { key } = lookup;
    const entry = this.#entries.peek(key);
    const now = this.#steadyMs();
    if (entry !== undefined && isFresh(entry, now)) {
      this.#noteRead(key, entry, now);
      return { answer: await this.#unpack(key, entry), isHit: true, isCollapsed: false };
    }
    this.#entries.delete(key);
    return this.#compute(lookup);
  }

  /** The cached answer if it is fresh and uncompressed, which counts as a read; otherwise call `get`. */
  recall(key: string): CachedAnswer | undefined {
    const entry = this.#entries.peek(key);
    const now = this.#steadyMs();
    if (entry === undefined || entry.isPacked || !isFresh(entry, now)) return undefined;
    this.#noteRead(key, entry, now);
    return entry.answer;
  }

  /** A form of an answer, made once by `make` even for concurrent callers, and cached with the answer. */
  async formOf(key: string, answer: CachedAnswer, name: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = answer.forms.get(name);
    if (known !== undefined) return known;
    const making = make();
    answer.forms.set(name, making);
    try {
      const form = await making;
      answer.forms.set(name, form);
      if (this.#entries.peek(key)?.answer === answer) this.#entries.recount(key);
      return form;
    } catch (error) {
      answer.forms.delete(name);
      throw error;
    }
  }

  /**
   * Starts due refreshes, removes answers that are no longer read, and compresses those that were not read recently; to
   * be called about once a second.
   */
  tick(): void {
    const now = this.#steadyMs();
    const cold: [string, Entry][] = [];
    let coldBytes = 0;
    for (const [key, entry] of this.#entries.entries()) {
      const unreadMs = now - entry.lastReadMs;
      if (!isFresh(entry, now) || unreadMs >= entry.lookup.policy.cacheSeconds * 1000) {
        this.#entries.delete(key);
      } else if (now >= entry.nextRefreshMs && this.#mayRefresh(key)) {
        this.#refreshes.set(key, this.#refresh(key, entry));
      } else if (!entry.isPacked && entry.isPackable && unreadMs >= coldMs && coldBytes < packedPerTick) {
        cold.push([key, entry]);
        coldBytes += entry.answer.body.length;
      }
    }
    if (cold.length > 0) this.#packing ??= this.#packAll(cold);
  }

  /** How often answers were cleared: what was read under another count may hold events that are deleted. */
  get clearCount(): number {
    return this.#clearCount;
  }

  /**
   * Removes the answers of a group, or all, immediately, and returns their number. Computations in progress are not
   * cached.
   */
  clear(group?: string): number {
    this.#clearCount++;
    let dropped = 0;
    for (const [key, entry] of this.#entries.entries()) {
      if (group !== undefined && entry.lookup.group !== group) continue;
      this.#entries.delete(key);
      dropped++;
    }
    return dropped;
  }

  /** Interrupts running refreshes and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The service is stopping"));
    await Promise.all([...this.#refreshes.values(), this.#packing]);
    for (const [key] of this.#entries.entries()) this.#entries.delete(key);
  }

  #noteRead(key: string, entry: Entry, now: number): void {
    entry.lastReadMs = now;
    this.#entries.touch(key);
  }

  async #compute(lookup: CacheLookup): Promise<FoundAnswer> {
    const { key } = lookup;
    const clearsBefore = this.#clearCount;
    let isCollapsed = true;
    const compute = (signal: AbortSignal) => {
      isCollapsed = false;
      return lookup.compute(signal);
    };
    const computed = await this.#flights.join(`${clearsBefore} ${key}`, compute, lookup.openSignal());
    // Each waiting caller finds the entry that the first of them made.
    const made = this.#entries.peek(key);
    if (made !== undefined && made.answer.body === computed.body) {
      return { answer: made.answer, isHit: false, isCollapsed };
    }
    if (clearsBefore !== this.#clearCount) {
      return { answer: this.#toAnswer({ computed, computedAtMs: this.#nowMs() }), isHit: false, isCollapsed };
    }
    const fresh = { computed, computedAtMs: this.#nowMs() };
    return { answer: this.#keep(key, lookup, fresh, this.#steadyMs()), isHit: false, isCollapsed };
  }

  #toAnswer({ computed, computedAtMs }: MadeAnswer): CachedAnswer {
    return toCachedAnswer(computed, ++this.#serial, computedAtMs);
  }

  #keep(key: string, lookup: Entry["lookup"], made: MadeAnswer, lastReadMs: number): CachedAnswer {
    const answer = this.#toAnswer(made);
    const madeAtMs = this.#steadyMs() - Math.max(0, this.#nowMs() - made.computedAtMs);
    const { group, heldBytes, policy, refresh } = lookup;
    this.#entries.set(key, {
      answer,
      isPacked: false,
      isPackable: answer.body.length >= minPackedBytes,
      madeAtMs,
      lastReadMs,
      nextRefreshMs: this.#nextRefreshMs(policy, madeAtMs),
      failures: 0,
      lookup: { group, heldBytes, policy, refresh },
    });
    return answer;
  }

  #nextRefreshMs({ warmEverySeconds }: CachePolicy, madeAtMs: number): number {
    if (warmEverySeconds === undefined) return Number.POSITIVE_INFINITY;
    return madeAtMs + warmEverySeconds * 1000 * (0.9 + 0.1 * this.#random());
  }

  #mayRefresh(key: string): boolean {
    return this.#refreshes.size < this.#maxRefreshes && !this.#refreshes.has(key);
  }

  async #refresh(key: string, entry: Entry): Promise<void> {
    try {
      const made = await this.#refreshAnswer({
        key,
        computedAtMs: entry.answer.computedAtMs,
        expiresAtMs: this.#nowMs() + entry.lookup.policy.cacheSeconds * 1000,
        compute: () => entry.lookup.refresh(this.#closing.signal),
      });
      if (made === undefined) entry.nextRefreshMs = this.#steadyMs() + askAgainMs;
      // Cleared in the meantime: the answer may depend on settings that no longer apply.
      else if (this.#entries.peek(key) === entry) this.#keep(key, entry.lookup, made, entry.lastReadMs);
    } catch {
      // The last good answer stays until it expires; the next caller that finds none sees the failure.
      entry.failures++;
      entry.nextRefreshMs = this.#steadyMs() + firstRetryMs * 2 ** Math.min(entry.failures - 1, 6);
    } finally {
      this.#refreshes.delete(key);
    }
  }

  async #packAll(cold: readonly (readonly [string, Entry])[]): Promise<void> {
    for (const [key, entry] of cold) if (!this.#closing.signal.aborted) await this.#pack(key, entry);
    this.#packing = undefined;
  }

  async #pack(key: string, entry: Entry): Promise<void> {
    const { answer, lastReadMs } = entry;
    const body = await packBody(answer.body);
    if (this.#entries.peek(key) !== entry || entry.answer !== answer) return;
    entry.isPackable = body !== undefined;
    if (body === undefined || entry.lastReadMs !== lastReadMs) return;
    entry.answer = { ...answer, body, forms: new Map() };
    entry.isPacked = true;
    this.#entries.recount(key);
  }

  /** An entry's answer, decompressed if necessary. */
  async #unpack(key: string, entry: Entry): Promise<CachedAnswer> {
    const packed = entry.answer;
    if (!entry.isPacked) return packed;
    const body = await unpackBody(packed.body);
    if (entry.answer !== packed) return this.#unpack(key, entry);
    entry.answer = { ...packed, body, forms: new Map() };
    entry.isPacked = false;
    if (this.#entries.peek(key) === entry) this.#entries.recount(key);
    return entry.answer;
  }
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Shorter bodies are not worth the time. */
const minPackedBytes = 4_000;
/** The minimum saving of compression, as a share of the body. */
const minSaved = 0.3;

/** The body compressed off this thread; undefined when compression saves too little. */
async function packBody(body: Buffer): Promise<Buffer | undefined> {
  const packed = await compress(body);
  return packed.length <= body.length * (1 - minSaved) ? packed : undefined;
}

/** Restores a compressed body. */
function unpackBody(packed: Buffer): Promise<Buffer> {
  return decompress(packed);
}
