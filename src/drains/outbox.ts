import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { type LineJournal, openLineJournal } from "../shared/journal/line-journal.ts";
import { makeFolder } from "../shared/journal/set-aside.ts";

/** Characters of lines in memory, of a service whose folder cannot be made. */
const maxHeldCharacters = 20_000_000;

export interface OutboxOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly isWhole: (line: string) => boolean;
  readonly onDamage: (message: string) => void;
}

/** Opens the outbox in a folder, which is made when it is first needed. Without a disk, lines wait in memory. */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const { folder, onDamage } = options;
  const open = () => openLineJournal({ folder, extension: "keys", onDamage });
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return new Outbox({ ...options, open }, exists ? await open() : undefined);
}

interface Options extends OutboxOptions {
  readonly open: () => Promise<LineJournal>;
}

/** Lines that a database did not take, until it does. */
export class Outbox {
  readonly #options: Options;
  #opening: Promise<LineJournal | undefined> | undefined;
  #journal: LineJournal | undefined;
  #held: { readonly lines: readonly string[]; readonly size: number }[] = [];

  constructor(options: Options, journal: LineJournal | undefined) {
    this.#options = options;
    this.#journal = journal;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0 && (this.#journal === undefined || this.#journal.first === this.#journal.end);
  }

  /** Resolves once the lines are on the disk; rejects where there is no room. */
  async note(lines: readonly string[]): Promise<void> {
    const { maxBytes } = this.#options;
    const journal = this.#journal ?? (await this.#makeJournal());
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    const held = this.#held.reduce((sum, each) => sum + each.size, 0);
    if (journal === undefined ? held + size > maxHeldCharacters : journal.byteCount > maxBytes) {
      throw new Error("the database is away, and too many wait for it already");
    }
    if (journal === undefined) this.#held.push({ lines, size });
    else await journal.note(lines);
  }

  /** Passes on all lines, in their order, with empty ones for those that are damaged, and forgets what was taken. */
  async flush(add: (lines: readonly string[]) => Promise<void>): Promise<void> {
    for (let [held] = this.#held; held !== undefined; [held] = this.#held) {
      await add(held.lines);
      this.#held.shift();
    }
    while (this.#journal !== undefined && !this.isEmpty) {
      const file = await this.#journal.takeOldest();
      if (file === undefined) return;
      const { isWhole } = this.#options;
      const lines = file.lines.map((line) => (isWhole(line) ? line : ""));
      if (lines.includes("")) await this.#journal.keepDamaged(Number.parseInt(basename(file.path), 10));
      if (lines.length > 0) await add(lines);
      await this.#journal.removeTaken(file);
    }
  }

  /** Lines on the disk stay there for the next start. Resolves to the number of those that end with the process. */
  async close(): Promise<number> {
    await this.#opening;
    await this.#journal?.close();
    return this.#held.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Undefined where there is no disk. */
  #makeJournal(): Promise<LineJournal | undefined> {
    this.#opening ??= makeFolder(this.#options.folder)
      .then(this.#options.open)
      .then(
        (journal) => {
          this.#journal = journal;
          return journal;
        },
        () => {
          this.#opening = undefined;
          return undefined;
        },
      );
    return this.#opening;
  }
}
