/**
 * Remembers ids in eight bytes each: 43 bits of the id's hash and the hour of its event. "No" is certain, "perhaps"
 * shows where in the table to look for the id itself, which then costs a few milliseconds.
 */

const HOUR_US = 3_600_000_000n;
const HOUR_BITS = 20;
/** Stands for an hour before 1970 or after 2089. */
export const NO_HOUR = 2 ** HOUR_BITS - 1;
const FIRST_CAPACITY = 1024;
const MAX_LOAD = 0.7;
/** Share of the ids below which forgetting them is not worth the work. */
const MIN_FORGOTTEN = 0.2;

export interface IdHash {
  readonly high: number;
  readonly low: number;
}

/** Two 32-bit hashes of a text. Not for adversaries: a found collision only costs a look into the table. */
export function hashId(id: string): IdHash {
  let high = 0x9e37_79b9;
  let low = 0x85eb_ca6b;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x0100_0193);
    low = Math.imul(low ^ unit, 0x5bd1_e995);
    low ^= low >>> 15;
  }
  high = Math.imul(high ^ (high >>> 16) ^ low, 0x7feb_352d);
  high ^= high >>> 15;
  low = Math.imul(low ^ (low >>> 13) ^ high, 0x846c_a68b);
  return { high: high >>> 0, low: (low ^ (low >>> 16)) >>> 0 };
}

/** Microseconds since 1970: the event's timestamp is at or after `fromUs` and before `toUs`; undefined: anywhere. */
export type TimeRange = { readonly fromUs: bigint; readonly toUs: bigint } | undefined;

/** The hour since 1970 of a time, or `NO_HOUR`. */
export function hourOf(timestampUs: bigint): number {
  const hour = timestampUs / HOUR_US;
  return timestampUs >= 0n && hour < NO_HOUR ? Number(hour) : NO_HOUR;
}

/** Smallest range that holds both; unbounded where one is. */
export function unionRange(a: TimeRange, b: TimeRange): TimeRange {
  if (a === undefined || b === undefined) return undefined;
  return { fromUs: a.fromUs < b.fromUs ? a.fromUs : b.fromUs, toUs: a.toUs > b.toUs ? a.toUs : b.toUs };
}

/** The times of an hour; undefined for `NO_HOUR`. */
export function rangeOfHour(hour: number): TimeRange {
  return hour === NO_HOUR ? undefined : { fromUs: BigInt(hour) * HOUR_US, toUs: BigInt(hour + 1) * HOUR_US };
}

/**
 * The two words that an id is remembered by: a hash that is spread evenly, and the rest of the hash with the hour.
 * Ids are in the order of these words in files, and nearly so in the table.
 */
export function wordsOf(hash: IdHash, hour: number): readonly [hash: number, rest: number] {
  // Multiplication by an odd number loses nothing; 0 is left for a free slot.
  return [Math.imul((hash.high | 1) >>> 0, 0x9e37_79b1) >>> 0, restOf(hash, hour)];
}

function restOf(hash: IdHash, hour: number): number {
  return (((hash.low & 0xfff) << HOUR_BITS) | hour) >>> 0;
}

/** The hour in an id's second word, if the word is of an id with this hash; undefined for that of another. */
export function hourIn(rest: number, hash: IdHash): number | undefined {
  return rest >>> HOUR_BITS === (hash.low & 0xfff) ? rest & NO_HOUR : undefined;
}

/** An open-addressing table of two words a slot; a first word of 0 is a free slot. */
export class IdFilter {
  #first = new Uint32Array(FIRST_CAPACITY);
  #second = new Uint32Array(FIRST_CAPACITY);
  #count = 0;
  #lastHour = 0;

  get count(): number {
    return this.#count;
  }

  get byteCount(): number {
    return this.#first.byteLength + this.#second.byteLength;
  }

  /** The hour after the last of all ids that were added. */
  get lastHour(): number {
    return this.#lastHour;
  }

  add(hash: IdHash, timestampUs: bigint): void {
    if (this.#count >= this.#first.length * MAX_LOAD) this.#grow();
    const hour = hourOf(timestampUs);
    this.#lastHour = Math.max(this.#lastHour, hour + 1);
    this.#insert(...wordsOf(hash, hour));
    this.#count++;
  }

  /** Where the id may be; null when it is certainly nowhere. */
  find(hash: IdHash): TimeRange | null {
    const [first] = wordsOf(hash, 0);
    const mask = this.#first.length - 1;
    let found: TimeRange | null = null;
    for (let slot = this.#slotOf(first); this.#first[slot] !== 0; slot = (slot + 1) & mask) {
      const hour = this.#first[slot] === first ? hourIn(this.#second[slot] ?? 0, hash) : undefined;
      if (hour === undefined) continue;
      const range = rangeOfHour(hour);
      found = found === null ? range : unionRange(found, range);
    }
    return found;
  }

  /** The words of all ids, two for each, in the order of the first and then the second. */
  sortedWords(): Uint32Array {
    const words = new Uint32Array(2 * this.#count);
    const wrapped: number[] = [];
    let end = 0;
    for (let slot = 0; slot < this.#first.length; slot++) {
      const [first, second] = [this.#first[slot] ?? 0, this.#second[slot] ?? 0];
      if (first === 0) continue;
      // What did not fit at the table's end stands at its beginning.
      if (this.#slotOf(first) > slot) wrapped.push(first, second);
      else end = place(words, end, first, second);
    }
    for (let at = 0; at < wrapped.length; at += 2) end = place(words, end, wrapped[at] ?? 0, wrapped[at + 1] ?? 0);
    return words;
  }

  /**
   * Forgets the ids of hours that end at or before a time, when they are a good part of all; the others stay. The
   * caller knows that the table holds no event of those hours.
   */
  forgetBefore(timestampUs: bigint): void {
    // What is outside the hours may be at any time, and stays.
    const firstHour = Math.min(Number(timestampUs / HOUR_US), NO_HOUR);
    let kept = 0;
    for (let slot = 0; slot < this.#first.length; slot++) {
      if (this.#first[slot] !== 0 && ((this.#second[slot] ?? 0) & NO_HOUR) >= firstHour) kept++;
    }
    if (kept > this.#count * (1 - MIN_FORGOTTEN)) return;
    this.#rebuild(Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(kept / MAX_LOAD + 1))), firstHour);
  }

  #slotOf(first: number): number {
    // Multiplication mixed into the high bits, so the slot is taken from there.
    return first >>> Math.clz32(this.#first.length - 1);
  }

  #insert(first: number, second: number): void {
    const mask = this.#first.length - 1;
    let slot = this.#slotOf(first);
    while (this.#first[slot] !== 0) slot = (slot + 1) & mask;
    this.#first[slot] = first;
    this.#second[slot] = second;
  }

  #grow(): void {
    this.#rebuild(this.#first.length * 2, 0);
  }

  #rebuild(capacity: number, firstHour: number): void {
    const [first, second] = [this.#first, this.#second];
    this.#first = new Uint32Array(capacity);
    this.#second = new Uint32Array(capacity);
    this.#count = 0;
    for (let slot = 0; slot < first.length; slot++) {
      const [word, other] = [first[slot] ?? 0, second[slot] ?? 0];
      if (word === 0 || (other & NO_HOUR) < firstHour) continue;
      this.#insert(word, other);
      this.#count++;
    }
  }
}

/** Puts an id's words among those before `end`, which are in order, and answers where they end now. */
function place(words: Uint32Array, end: number, first: number, second: number): number {
  let at = end;
  for (; at > 0; at -= 2) {
    const [before, other] = [words[at - 2] ?? 0, words[at - 1] ?? 0];
    if (before < first || (before === first && other <= second)) break;
    words[at] = before;
    words[at + 1] = other;
  }
  words[at] = first;
  words[at + 1] = second;
  return end + 2;
}
