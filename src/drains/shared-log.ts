import { rm } from "node:fs/promises";
import { joinWork } from "../shared/concurrency/join-work.ts";
import type { DrainRule } from "./backend.ts";
import { type DrainLog, dropOldest } from "./drain-log.ts";
import { createJournals, folderOf, type Journals } from "./journals.ts";
import type { KeptPosition, KeyStore, MovedPosition, WantedPosition } from "./key-store.ts";
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
  readonly #save: (moved: MovedPosition) => Promise<void>;
  readonly #open: (wanted: WantedPosition) => Promise<KeptPosition | undefined>;

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
    this.#save = joinWork(async (moved) => {
      await keys.savePositions(moved);
      return [];
    });
    this.#open = joinWork(async (wanted) => {
      const opened = await keys.openPositions(wanted);
      // Behind the positions: no journal must seem shorter than what was delivered of it.
      await this.#refresh();
      return wanted.map(({ id }) => opened.get(id));
    });
    this.#endLooking = repeat(() => this.#look());
  }

  readonly isSender = (): boolean => this.#options.isSender();

  onTurn(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  async openPosition(
    rule: Pick<DrainRule, "id" | "source">,
    otherwise: "first" | "end",
  ): Promise<Position | undefined> {
    const { isSender, warn } = this.#options;
    const { id, source } = rule;
    const kept = await this.#open({ id, source, otherwise });
    if (kept === undefined) return undefined;
    const found = toProgress(kept);
    let saved = numberOf(found);
    const own = await openPosition(
      {
        read: async () => found,
        write: async (progress) => {
          const number = numberOf(progress);
          await this.#save({ id, source, number, progress: writeProgress(progress), isNewJournal: number < saved });
          saved = number;
        },
        // It goes with the rule.
        remove: async () => undefined,
      },
      saved,
      warn,
    );
    // Of this service alone: where keys cannot be written, the database is away, and so is the position.
    let unwritten = 0;
    const current = (): Pick<Position, "number" | "tally"> => {
      const other = isSender() ? undefined : this.#positions.get(id);
      const { number, tally } = other === undefined ? own : { number: other.number, tally: toProgress(other).tally };
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
    // The sender's own are the latest.
    this.#positions = this.isSender() ? new Map() : await keys.positions();
    const asked = new Map([...this.#opened.values()].map((journal) => [journal, journal.growth]));
    const waiting = new Map((await keys.waiting()).map((each) => [each.source, each]));
    for (const [source, journal] of this.#opened) journal.take(waiting.get(source), asked.get(journal) ?? -1);
  }
}

function toProgress({ number, progress }: KeptPosition): Progress {
  const read = progress === null ? undefined : readProgress(progress);
  // An earlier release moved it without saying what became of the events.
  return read === undefined ? startProgress(number) : { start: number - sumOf(read.tally), tally: read.tally };
}
