import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Journal } from "./journal.ts";

/** The journals of all drained sources. */
export interface Journals {
  find(source: string): Journal | undefined;
  /** Makes it where it is missing. */
  open(source: string): Promise<Journal>;
  /** Closes it, and forgets its keys where no rule of any service needs them. */
  remove(source: string): Promise<void>;
  /** The size of all journals, on disk or in the database. */
  readonly byteCount: number;
  /** The longest first. */
  byLength(): readonly Journal[];
  close(): Promise<void>;
}

export interface JournalsOptions {
  readonly open: (source: string) => Promise<Journal>;
  /** Deletes the keys of a source whose journal is closed. */
  readonly discard: (source: string) => Promise<void>;
}

/** Opens each journal once. */
export function createJournals({ open, discard }: JournalsOptions): Journals {
  const opening = new Map<string, Promise<Journal>>();
  const journals = new Map<string, Journal>();
  const leave = async (source: string) => {
    const journal = await opening.get(source);
    opening.delete(source);
    journals.delete(source);
    await journal?.close();
  };
  return {
    find: (source) => journals.get(source),
    open(source) {
      const begun = async () => {
        const journal = await open(source);
        journals.set(source, journal);
        return journal;
      };
      const opened = opening.get(source) ?? begun();
      opening.set(source, opened);
      // What could not be opened is tried again.
      opened.catch(() => opening.delete(source));
      return opened;
    },
    async remove(source) {
      await leave(source);
      await discard(source);
    },
    get byteCount() {
      return [...journals.values()].reduce((sum, journal) => sum + journal.byteCount, 0);
    },
    byLength: () => [...journals.values()].sort((a, b) => b.byteCount - a.byteCount),
    async close() {
      for (const journal of journals.values()) await journal.close();
    },
  };
}

/** The folder of a source's files: names may differ only in letter case, which not every file system distinguishes. */
export function folderOf(folder: string, source: string): string {
  return join(folder, createHash("sha256").update(source).digest("hex").slice(0, 32));
}
