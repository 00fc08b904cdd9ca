/** A small seeded generator (mulberry32), so that the same seed makes the same events everywhere. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both inclusive. */
  integer(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** Picks by weight: `[["a", 9], ["b", 1]]` gives "a" nine times out of ten. */
  weighted<T>(items: readonly (readonly [T, number])[]): T;
  /** Mostly near `median`, with a long tail: how latencies are spread. */
  skewed(median: number): number;
  hex(length: number): string;
  uuid(): string;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const at = <T>(items: readonly T[], index: number): T => {
    const item = items[index];
    if (item === undefined) throw new Error("Nothing to pick from");
    return item;
  };
  const hex = (length: number) => Array.from({ length }, () => integer(0, 15).toString(16)).join("");
  return {
    next,
    integer,
    pick: (items) => at(items, integer(0, items.length - 1)),
    weighted(items) {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = items.findIndex(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return at(items, chosen === -1 ? items.length - 1 : chosen)[0];
    },
    skewed: (median) => Math.max(1, Math.round(median * Math.exp((next() + next() + next() - 1.5) * 1.6))),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${at(["8", "9", "a", "b"], integer(0, 3))}${hex(3)}-${hex(12)}`,
  };
}
