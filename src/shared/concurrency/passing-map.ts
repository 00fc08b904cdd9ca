/** A map for entries that come and go constantly. */
export interface PassingMap<Key, Value> {
  get(key: Key): Value | undefined;
  /** Puts the value in place of the key's last, where that is; else behind all others. */
  set(key: Key, value: Value): void;
  /** True where there was one. */
  delete(key: Key): boolean;
  clear(): void;
  /** In the order in which they were set. Some may be deleted meanwhile. */
  entries(): Iterable<[Key, Value]>;
  readonly size: number;
}

interface Box<Value> {
  value: Value | undefined;
}

/**
 * A `Map` rebuilds its table now and then, and in V8 each old table points to the next one. Once one of them is in the
 * old generation, all later ones are retained with everything they contained at that moment, until the next full
 * collection: a busy service would grow with each of its calls. Here values are released when they are deleted, and
 * only their boxes stay.
 */
export function createPassingMap<Key, Value>(): PassingMap<Key, Value> {
  const boxes = new Map<Key, Box<Value>>();
  return {
    get: (key) => boxes.get(key)?.value,
    set(key, value) {
      const box = boxes.get(key);
      if (box === undefined) boxes.set(key, { value });
      else box.value = value;
    },
    delete(key) {
      const box = boxes.get(key);
      if (box === undefined) return false;
      box.value = undefined;
      return boxes.delete(key);
    },
    clear() {
      for (const box of boxes.values()) box.value = undefined;
      boxes.clear();
    },
    *entries() {
      for (const [key, { value }] of boxes) if (value !== undefined) yield [key, value];
    },
    get size() {
      return boxes.size;
    },
  };
}
