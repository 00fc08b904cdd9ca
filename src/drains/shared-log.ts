import type { EventKey } from "../engines/contract/query-engine.ts";
import type { DrainRule } from "./backend.ts";
import type { DrainLog } from "./drain-log.ts";
import { type Journal, parseKey, writeKeys } from "./journal.ts";
import type { Journals } from "./journals.ts";
import type { Position } from "./position.ts";

/** Pending keys of a source. */
export interface WaitingKeys {
  readonly source: string;
  /** The number of the oldest key. */
  readonly first: number;
  /** The number of the next key. */
  readonly end: number;
  readonly byteCount: number;
}

/** Keys of events in a database that several services share, numbered from 0 by source, in lines. */
export interface KeyStore {
  waiting(): Promise<readonly WaitingKeys[]>;
  /** How far rules have come, by their ids. */
  positions(): Promise<ReadonlyMap<string, number>>;
  /** Adds keys, and answers the number behind the last. */
  add(source: string, lines: string, count: number): Promise<number>;
  /** The batch in which a key is, and some behind it; none where the key is gone. */
  read(source: string, from: number): Promise<readonly { readonly first: number; readonly lines: string }[]>;
  releaseBefore(source: string, number: number): Promise<void>;
  /** Deletes the oldest batches, and answers how many keys were in them. */
  dropOldest(source: string): Promise<number>;
  remove(source: string): Promise<void>;
  /** The rule's position, which is put at the beginning or the end of what waits where there is none. */
  openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<number>;
  movePosition(ruleId: string, number: number): Promise<void>;
  removePosition(ruleId: string): Promise<void>;
}

export interface SharedLogOptions {
  readonly keys: KeyStore;
  /** Of all that waits. */
  readonly maxBytes: number;
  readonly isSender: () => boolean;
  readonly warn: (message: string) => void;
}

/** How often it is looked for what other services noted, and whose turn it is to send. */
const lookMs = 500;
/**
 * Characters of key lines that are buffered in memory while the database is unavailable; further ones are lost to
 * drains.
 */
const maxHeldCharacters = 20_000_000;

/**
 * Stored in a database: each service adds keys of the events it stored, and one of them delivers. While the database is
 * unavailable, keys are buffered in memory, and events are still acknowledged.
 */
export function createSharedLog(options: SharedLogOptions): DrainLog {
  return new SharedLog(options);
}

class SharedLog implements DrainLog {
  readonly #options: SharedLogOptions;
  readonly #opened = new Map<string, SharedJournal>();
  #positions: ReadonlyMap<string, number> = new Map();
  readonly #listeners: (() => Promise<void>)[] = [];
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #wasSender = false;
  readonly journals: Journals;

  constructor(options: SharedLogOptions) {
    this.#options = options;
    this.journals = this.#createJournals();
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  readonly isSender = (): boolean => this.#options.isSender();

  onTurn(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  async openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<Position> {
    const { keys, isSender } = this.#options;
    let number = await keys.openPosition(rule, otherwise);
    // Behind the position: the journal must not seem shorter than what was delivered of it.
    await this.#refresh();
    const known = () => (isSender() ? number : (this.#positions.get(rule.id) ?? number));
    return {
      get number() {
        return known();
      },
      async moveTo(next) {
        number = next;
        // A position that was not saved is saved with the next one; a service that takes over may send some events
        // again.
        await keys.movePosition(rule.id, next).catch(() => undefined);
      },
      remove: () => keys.removePosition(rule.id),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    for (const journal of this.#opened.values()) await journal.close();
  }

  #createJournals(): Journals {
    const opened = this.#opened;
    const { keys, warn } = this.#options;
    return {
      find: (source) => opened.get(source),
      async open(source) {
        const journal = opened.get(source) ?? new SharedJournal(source, keys, warn);
        opened.set(source, journal);
        return journal;
      },
      async remove(source) {
        opened.delete(source);
        await keys.remove(source);
      },
      async leave(source) {
        opened.delete(source);
      },
      // The delivering service takes care of it.
      keepWithinBound: async () => undefined,
      get byteCount() {
        return [...opened.values()].reduce((sum, journal) => sum + journal.byteCount, 0);
      },
      async close() {},
    };
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      // The next poll finds out.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const isSender = this.isSender();
    if (isSender !== this.#wasSender) {
      for (const listener of this.#listeners) await listener();
      this.#wasSender = isSender;
    }
    if (this.#opened.size === 0) return;
    await this.#refresh();
    for (const journal of this.#opened.values()) await journal.flush();
    if (isSender) await this.#keepWithinBound();
  }

  async #refresh(): Promise<void> {
    const { keys } = this.#options;
    this.#positions = await keys.positions();
    const waiting = new Map((await keys.waiting()).map((each) => [each.source, each]));
    for (const [source, journal] of this.#opened) journal.take(waiting.get(source));
  }

  async #keepWithinBound(): Promise<void> {
    const { keys, maxBytes } = this.#options;
    while (this.journals.byteCount > maxBytes) {
      const [longest] = [...this.#opened].sort(([, a], [, b]) => b.byteCount - a.byteCount);
      if (longest === undefined || (await keys.dropOldest(longest[0])) === 0) return;
      await this.#refresh();
    }
  }
}

class SharedJournal implements Journal {
  readonly #source: string;
  readonly #keys: KeyStore;
  readonly #warn: (message: string) => void;
  #state: Omit<WaitingKeys, "source"> = { first: 0, end: 0, byteCount: 0 };
  #held: { lines: string; count: number } = { lines: "", count: 0 };
  #flushing: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(source: string, keys: KeyStore, warn: (message: string) => void) {
    this.#source = source;
    this.#keys = keys;
    this.#warn = warn;
  }

  get first(): number {
    return this.#state.first;
  }

  get end(): number {
    return this.#state.end;
  }

  get byteCount(): number {
    return this.#state.byteCount;
  }

  /** What the database has, as it was read last. */
  take(state: Omit<WaitingKeys, "source"> = { first: 0, end: 0, byteCount: 0 }): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  async note(keys: readonly EventKey[]): Promise<void> {
    if (keys.length === 0) return;
    const lines = writeKeys(keys);
    if (this.#held.lines.length + lines.length > maxHeldCharacters) {
      throw new Error("the database is away, and too many wait for it already");
    }
    this.#held = { lines: this.#held.lines + lines, count: this.#held.count + keys.length };
    // Keys that arrive during a write are added together.
    await this.#flushing;
    await this.flush();
  }

  /** Adds what waits in memory. What cannot be added goes on waiting. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async read(from: number, maxCount: number): Promise<readonly EventKey[]> {
    const keys: EventKey[] = [];
    for (const { first, lines } of await this.#keys.read(this.#source, from)) {
      const batch = lines.split("\n").slice(0, -1);
      for (const line of batch.slice(Math.max(0, from - first))) if (keys.length < maxCount) keys.push(parseKey(line));
    }
    return keys;
  }

  releaseBefore(number: number): Promise<void> {
    // Released with the next position, if not now.
    return this.#keys.releaseBefore(this.#source, number).catch(() => undefined);
  }

  dropOldest(): Promise<number> {
    return this.#keys.dropOldest(this.#source);
  }

  waitForKeys(from: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        // A position behind the end is of a journal that is gone.
        if (from === this.end && !signal.aborted) return;
        this.#listeners.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#listeners.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  async close(): Promise<void> {
    await this.flush();
    if (this.#held.count > 0) this.#warn(`${this.#held.count} events of ${this.#source} are lost to drains`);
  }

  async #flushOnce(): Promise<void> {
    const { lines, count } = this.#held;
    if (count === 0) return;
    this.#held = { lines: "", count: 0 };
    try {
      const end = await this.#keys.add(this.#source, lines, count);
      if (end > this.end) this.take({ ...this.#state, end });
    } catch {
      // It may have been added despite the error: then receivers get them twice.
      this.#held = { lines: lines + this.#held.lines, count: count + this.#held.count };
    }
  }
}
