/** Sets of a schema's entries, by their numbers: what one tenant's events carried. */

/** Bit `n % 32` of word `n / 32` is the entry `n`. Words that are missing at the end are 0. */
export type EntrySet = Uint32Array;

export const NO_ENTRIES: EntrySet = new Uint32Array(0);

export function hasEntry(set: EntrySet, entry: number): boolean {
  return (((set[entry >>> 5] ?? 0) >>> (entry & 31)) & 1) === 1;
}

/** Entries of `set` that `known` lacks, ascending. */
export function newEntries(set: EntrySet, known: EntrySet): number[] {
  const entries: number[] = [];
  for (let word = 0; word < set.length; word++) {
    let bits = ((set[word] ?? 0) & ~(known[word] ?? 0)) >>> 0;
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits & -bits);
      entries.push(word * 32 + bit);
      bits = (bits & (bits - 1)) >>> 0;
    }
  }
  return entries;
}

export function countEntries(set: EntrySet): number {
  let count = 0;
  for (let bits of set) {
    for (; bits !== 0; bits = (bits & (bits - 1)) >>> 0) count++;
  }
  return count;
}

export function withEntries(set: EntrySet, entries: readonly number[]): EntrySet {
  const length = entries.reduce((most, entry) => Math.max(most, (entry >>> 5) + 1), set.length);
  const result = new Uint32Array(length);
  result.set(set);
  for (const entry of entries) result[entry >>> 5] = ((result[entry >>> 5] ?? 0) | (1 << (entry & 31))) >>> 0;
  return result;
}

export function withoutEntries(set: EntrySet, entries: readonly number[]): EntrySet {
  const result = set.slice();
  for (const entry of entries) {
    const word = result[entry >>> 5];
    if (word !== undefined) result[entry >>> 5] = (word & ~(1 << (entry & 31))) >>> 0;
  }
  return result;
}

/** Equal for sets of the same entries. */
export function entrySetKey(set: EntrySet): string {
  let length = set.length;
  while (length > 0 && set[length - 1] === 0) length--;
  return Array.from(set.subarray(0, length), (word) => word.toString(36)).join();
}

/** Ascending numbers as `0-4,7`. */
export function formatEntries(entries: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < entries.length; ) {
    const first = entries[at] ?? 0;
    let last = first;
    for (at++; entries[at] === last + 1; at++) last++;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join();
}

/** Parses the texts of `formatEntries`; several may be joined by commas. */
export function parseEntries(text: string): number[] {
  const entries: number[] = [];
  for (const part of text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let entry = first; entry <= last; entry++) entries.push(entry);
  }
  return entries;
}
