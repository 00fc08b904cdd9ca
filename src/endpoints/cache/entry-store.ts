import { createPassingMap } from "../../shared/passing-map.ts";

/** Things by key, bounded by the bytes they take; those read longest ago go first. */
export interface EntryStore<Entry> {
  /** Does not count as reading. */
  peek(key: string): Entry | undefined;
  /** Puts the entry behind all others in the order in which they go. */
  touch(key: string): void;
  /**
   * Keeps the entry in place of the key's last, and drops others until there is room. One that is larger than
   * everything is not cached.
   */
  set(key: string, entry: Entry): void;
  /** Counts the entry again after it grew or shrank; the order stays. */
  recount(key: string): void;
  delete(key: string): void;
  /** In the order in which they go. Entries may be deleted meanwhile. */
  entries(): Iterable<[string, Entry]>;
  readonly size: { readonly entries: number; readonly bytes: number };
}

interface Held<Entry> {
  readonly entry: Entry;
  bytes: number;
}

export function createEntryStore<Entry>(maxBytes: number, bytesOf: (entry: Entry) => number): EntryStore<Entry> {
  // A map keeps the order in which keys were set.
  const all = createPassingMap<string, Held<Entry>>();
  let total = 0;
  let newest: string | undefined;

  const remove = (key: string) => {
    total -= all.get(key)?.bytes ?? 0;
    all.delete(key);
  };
  const makeRoom = () => {
    for (const [key] of all.entries()) {
      if (total <= maxBytes) return;
      remove(key);
    }
  };

  return {
    peek: (key) => all.get(key)?.entry,
    touch(key) {
      const held = all.get(key);
      if (held === undefined || key === newest) return;
      newest = key;
      all.delete(key);
      all.set(key, held);
    },
    set(key, entry) {
      remove(key);
      const bytes = bytesOf(entry);
      if (bytes > maxBytes) return;
      all.set(key, { entry, bytes });
      newest = key;
      total += bytes;
      makeRoom();
    },
    recount(key) {
      const held = all.get(key);
      if (held === undefined) return;
      total -= held.bytes;
      held.bytes = bytesOf(held.entry);
      total += held.bytes;
      makeRoom();
    },
    delete: remove,
    *entries() {
      for (const [key, { entry }] of all.entries()) yield [key, entry];
    },
    get size() {
      return { entries: all.size, bytes: total };
    },
  };
}
