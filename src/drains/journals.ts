import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Journal, type JournalOptions, openJournal } from "./journal.ts";

/** The journals of all drained sources, with a common size limit on disk. */
export interface Journals {
  find(source: string): Journal | undefined;
  /** Makes it where it is missing. */
  open(source: string): Promise<Journal>;
  /** Closes it and deletes its files. */
  remove(source: string): Promise<void>;
  /** Closes it and retains its files. */
  leave(source: string): Promise<void>;
  /** Drops the oldest keys of the longest journals until all of them together are within the limit. */
  keepWithinBound(): Promise<void>;
  readonly byteCount: number;
  close(): Promise<void>;
}

export function createJournals(
  folder: string,
  maxBytes: number,
  options: Pick<JournalOptions, "flush"> = {},
): Journals {
  const opened = new Map<string, Promise<Journal>>();
  const journals = new Map<string, Journal>();
  let dropping: Promise<void> = Promise.resolve();
  const byteCount = () => [...journals.values()].reduce((sum, journal) => sum + journal.byteCount, 0);
  // Names may differ only in letter case, which not every file system distinguishes.
  const folderOf = (source: string) => join(folder, createHash("sha256").update(source).digest("hex").slice(0, 32));
  const drop = async () => {
    while (byteCount() > maxBytes) {
      const longest = [...journals.values()].sort((a, b) => b.byteCount - a.byteCount);
      let dropped = 0;
      for (const journal of longest) {
        dropped = await journal.dropOldest();
        if (dropped > 0) break;
      }
      if (dropped === 0) return;
    }
  };
  return {
    find: (source) => journals.get(source),
    open(source) {
      const opening =
        opened.get(source) ??
        openJournal({ ...options, folder: folderOf(source) }).then((journal) => {
          journals.set(source, journal);
          return journal;
        });
      opened.set(source, opening);
      return opening;
    },
    async remove(source) {
      const journal = await opened.get(source);
      opened.delete(source);
      journals.delete(source);
      await journal?.close();
      await rm(folderOf(source), { recursive: true, force: true });
    },
    async leave(source) {
      const journal = await opened.get(source);
      opened.delete(source);
      journals.delete(source);
      await journal?.close();
    },
    keepWithinBound() {
      if (byteCount() > maxBytes) dropping = dropping.then(drop);
      return dropping;
    },
    get byteCount() {
      return byteCount();
    },
    async close() {
      await dropping;
      for (const journal of journals.values()) await journal.close();
    },
  };
}
