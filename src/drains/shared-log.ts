import { rm } from "node:fs/promises";
import type { DrainRule } from "./backend.ts";
import { type DrainLog, dropOldest } from "./drain-log.ts";
import { createJournals, folderOf, type Journals } from "./journals.ts";
import type { KeptPosition, KeyStore } from "./key-store.ts";
import {
  numberOf,
  openPosition,
  type Position,
  type Progress,
  readProgress,
  startProgress,
  sumOf,
  writeProgress,
} from "./position.ts";
import { openSharedJournal, type SharedJournal } from "./shared-journal.ts";

export interface SharedLogOptions {
  readonly keys: KeyStore;
  /** This service's folder, for keys that the database does not take; created when it is needed and possible. */
  readonly folder: string;
  /** The maximum size of all waiting keys, in the database and again in the folder. */
  readonly maxBytes: number;
  readonly isSender: () => boolean;
  readonly warn: (message: string) => void;
  /** Calls back again and again; the function that is returned ends that. */
  readonly repeat?: (work: () => Promise<void>) => () => void;
}

/** How often it is looked for what other services noted, and whose turn it is to send. */
const lookMs = 500;

function repeatByTimer(work: () => Promise<void>): () => void {
  const timer = setInterval(() => void work(), lookMs).unref();
  return () => clearInterval(timer);
}

/**
 * Stored in a database: each service adds keys of the events it stored, and one of them delivers. While the database is
 * unavailable, keys wait in files of this service, or in its memory where it has no folder, and events are still
 * acknowledged.
 */
export class SharedLog implements DrainLog {
  readonly #options: SharedLogOptions;
  readonly #opened = new Map<string, SharedJournal>();
  #positions: ReadonlyMap<string, KeptPosition> = new Map();
  readonly #listeners: (() => Promise<void>)[] = [];
  readonly #endLooking: () => void;
  #looking: Promise<void> | undefined;
  #wasSender = false;
  readonly journals: Journals;

  constructor(options: SharedLogOptions) {
    this.#options = options;
    const { keys, folder, maxBytes, warn, repeat = repeatByTimer } = options;
    this.journals = createJournals({
      open: async (source) => {
        const onClose = () => void this.#opened.delete(source);
        const own = folderOf(folder, source);
        const journal = await openSharedJournal({ source, keys, folder: own, maxBytes, onClose, warn });
        this.#opened.set(source, journal);
        return journal;
      },
      discard: async (source) => {
        await keys.remove(source);
        await rm(folderOf(folder, source), { recursive: true, force: true });
      },
    });
    this.#endLooking = repeat(() => this.#look());
  }

  readonly isSender = (): boolean => this.#options.isSender();

  onTurn(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  async openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<Position> {
    const { keys, isSender, warn } = this.#options;
    const found = toProgress(await keys.openPosition(rule, otherwise));
    // Behind the position: the journal must not seem shorter than what was delivered of it.
    await this.#refresh();
    let saved = numberOf(found);
    const own = await openPosition(
      {
        read: async () => found,
        write: async (progress) => {
          const number = numberOf(progress);
          await keys.savePosition(rule.id, toKept(progress), number < saved);
          saved = number;
          return true;
        },
        remove: () => keys.removePosition(rule.id),
      },
      saved,
      warn,
    );
    // Of this service alone: where keys cannot be written, the database is away, and so is the position.
    let unwritten = 0;
    const current = (): Pick<Position, "number" | "tally"> => {
      const kept = isSender() ? undefined : this.#positions.get(rule.id);
      const { number, tally } = kept === undefined ? own : { number: kept.number, tally: toProgress(kept).tally };
      return { number, tally: { ...tally, dropped: tally.dropped + unwritten } };
    };
    return {
      get number() {
        return current().number;
      },
      get durable() {
        return own.durable;
      },
      get tally() {
        return current().tally;
      },
      advance: (passed) => own.advance(passed),
      async countUnwritten(eventCount) {
        unwritten += eventCount;
      },
      restartAt: (number) => own.restartAt(number),
      remove: () => own.remove(),
    };
  }

  /** The delivering service takes care of it. */
  async keepWithinBound(): Promise<void> {}

  async close(): Promise<void> {
    this.#endLooking();
    await this.#looking;
    await this.journals.close();
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      // The next look finds out.
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
    if (!isSender) return;
    while (this.journals.byteCount > this.#options.maxBytes) {
      if (!(await dropOldest(this.journals))) return;
      await this.#refresh();
    }
  }

  async #refresh(): Promise<void> {
    const { keys } = this.#options;
    this.#positions = await keys.positions();
    const waiting = new Map((await keys.waiting()).map((each) => [each.source, each]));
    for (const [source, journal] of this.#opened) journal.take(waiting.get(source));
  }
}

function toProgress({ number, progress }: KeptPosition): Progress {
  const read = progress === null ? undefined : readProgress(progress);
  // An earlier release moved it without saying what became of the events.
  return read === undefined ? startProgress(number) : { start: number - sumOf(read.tally), tally: read.tally };
}

function toKept(progress: Progress): KeptPosition {
  return { number: numberOf(progress), progress: writeProgress(progress) };
}
