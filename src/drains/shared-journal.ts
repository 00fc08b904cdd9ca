import type { EventKey } from "../engines/contract/query-engine.ts";
import { joinWork } from "../shared/concurrency/join-work.ts";
import { type Journal, parseKey, type WaitingKey, writeKey } from "./journal.ts";
import type { KeyStore, WaitingKeys } from "./key-store.ts";
import { type Outbox, openOutbox } from "./outbox.ts";

export interface SharedJournalOptions {
  readonly source: string;
  readonly keys: KeyStore;
  /** The folder of the source's own files, for keys that the database does not take. */
  readonly folder: string;
  /** The maximum size of the folder. */
  readonly maxBytes: number;
  readonly onClose: () => void;
  readonly warn: (message: string) => void;
}

/** Opens the journal, and the files of keys that an earlier run could not add. */
export async function openSharedJournal(options: SharedJournalOptions): Promise<SharedJournal> {
  const outbox = await openOutbox({
    folder: options.folder,
    maxBytes: options.maxBytes,
    isWhole: (line) => parseKey(line).isDamaged === undefined,
    onDamage: (message) => options.warn(`keys of events that wait for the database: ${message}`),
  });
  return new SharedJournal(options, outbox);
}

/** The keys of a source in the database, as this service knows them. */
export class SharedJournal implements Journal {
  readonly #options: SharedJournalOptions;
  /** Keys that the database did not take. */
  readonly #outbox: Outbox;
  #state: Omit<WaitingKeys, "source"> = { first: 0, end: 0, byteCount: 0 };
  #growth = 0;
  /** Keys that arrive during a write are added together. */
  readonly #add = joinWork<readonly string[], void>(async (all) => {
    await this.#addLines(all.flat());
    return [];
  });
  #flushing: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: SharedJournalOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
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

  /** Changes each time that it is known to be longer. */
  get growth(): number {
    return this.#growth;
  }

  /**
   * Takes over what the database has; nothing where it has nothing of the source. `growth` is that of when it was
   * asked: what has come since is not in its answer, and the journal is no shorter for that.
   */
  take(state: Omit<WaitingKeys, "source"> = { first: 0, end: 0, byteCount: 0 }, growth = this.#growth): void {
    const end = growth === this.#growth ? state.end : Math.max(state.end, this.end);
    if (end > this.end) this.#growth++;
    this.#state = { ...state, end };
    for (const listener of [...this.#listeners]) listener();
  }

  async note(keys: readonly EventKey[]): Promise<void> {
    if (keys.length === 0) return;
    const lines = keys.map(writeKey);
    // The database may be back: then nothing waits any longer than it must.
    if (!this.#outbox.isEmpty) await this.flush();
    if (this.#outbox.isEmpty) {
      try {
        await this.#add(lines);
        return;
      } catch {
        // It may have been added despite the error: then receivers get the events twice.
      }
    }
    await this.#outbox.note(lines);
  }

  /** Adds keys that wait in files. What cannot be added goes on waiting. */
  flush(): Promise<void> {
    this.#flushing ??= this.#outbox
      .flush((lines) => this.#addLines(lines))
      // Tried again at the next look.
      .catch(() => undefined)
      .finally(() => {
        this.#flushing = undefined;
      });
    return this.#flushing;
  }

  async read(from: number, maxCount: number): Promise<readonly WaitingKey[]> {
    const keys: WaitingKey[] = [];
    for (const { first, lines } of await this.#options.keys.read(this.#options.source, from)) {
      const batch = lines.split("\n").slice(0, -1);
      for (const line of batch.slice(Math.max(0, from - first))) if (keys.length < maxCount) keys.push(parseKey(line));
    }
    // Others may have added some since it was looked for: no position may pass what is known to be there.
    if (keys.length > 0) this.#grow(from + keys.length);
    return keys;
  }

  #grow(end: number): void {
    if (end > this.end) this.take({ ...this.#state, end });
  }

  releaseBefore(number: number): Promise<void> {
    // Released with the next position, if not now.
    return this.#options.keys.releaseBefore(this.#options.source, number).catch(() => undefined);
  }

  dropOldest(): Promise<number> {
    return this.#options.keys.dropOldest(this.#options.source);
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
    this.#options.onClose();
    await this.flush();
    // Behind those that are being added.
    await this.#add([]).catch(() => undefined);
    const lost = await this.#outbox.close();
    if (lost > 0) this.#options.warn(`${lost} events of ${this.#options.source} are lost to drains`);
  }

  async #addLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const { source, keys } = this.#options;
    const end = await keys.add(source, lines.map((line) => `${line}\n`).join(""), lines.length);
    this.#grow(end);
  }
}
