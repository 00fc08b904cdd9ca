import { createPassingMap } from "../../shared/concurrency/passing-map.ts";

/** Entries by key, limited by their total bytes; the least recently read are evicted first. */
export interface EntryStore<Entry> {
  /** Does not count as reading. */
  peek(key: string): Entry | undefined;
  /** Moves the entry to the end of the order of eviction. */
  touch(key: string): void;
  /**
   * Stores the entry in place of the key's previous one, and evicts others until there is room. An entry larger than
   * the whole cache is not stored.
   */
  set(key: string, entry: Entry): void;
  /** Updates the size of the entry after it grew or shrank; the order is unchanged. */
  recount(key: string): void;
  delete(key: string): void;
  /** In the order of eviction. Entries may be deleted during the iteration. */
  entries(): Iterable<[string, Entry]>;
  readonly size: { readonly entries: number; readonly bytes: number };
}

interface Held<Entry> {
  readonly entry: Entry;
  bytes: number;
}

export function createEntryStore<Entry>(maxBytes: number, bytesOf: (entry: Entry) => number): EntryStore<Entry> {
  // A map iterates in the order in which keys were set.
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
