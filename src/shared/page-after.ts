/** A part of a list, and the key that the next one begins behind; without it, it is the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/**
 * The items behind a key, or the first ones, `size` at most. All are in the order of their keys: what comes and goes
 * between two pages moves no others.
 */
export function pageAfter<Item>(
  all: readonly Item[],
  keyOf: (item: Item) => string,
  after: string | undefined,
  size: number,
): Page<Item> {
  const rest = after === undefined ? all : all.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, size);
  const last = items.at(-1);
  return last === undefined || items.length === rest.length ? { items } : { items, next: keyOf(last) };
}
