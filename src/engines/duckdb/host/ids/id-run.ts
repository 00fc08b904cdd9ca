/**
 * A file of ids that are no longer held in memory: eight bytes each, in the order of their hashes. Written once; an id
 * is found by reading one page.
 *
 * Layout, in words of 32 bits, little-endian: the ids' words in pages of 512 ids; the words of a Bloom filter; for each
 * page its first word and its checksum; and eight words, the last of which is the checksum of these and of the pages'.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { hourIn, type IdHash, NO_HOUR, wordsOf } from "./id-filter.ts";

const PAGE_WORDS = 1024;
const PAGE_BYTES = 4 * PAGE_WORDS;
const FOOTER_WORDS = 8;
const MAGIC = 0x6c77_6964;
/** Ids for each word of the Bloom filter, three bits of which are set for an id: one in fifty passes it by chance. */
const IDS_PER_WORD = 2.5;

/** The file is cut short, or its bytes are not those that were written. */
export class DamagedRunError extends Error {}

function checksumOf(words: Uint32Array): number {
  let sum = words.length;
  for (let at = 0; at < words.length; at++) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) | 0;
  return sum >>> 0;
}

function bloomBits(hash: number, rest: number): number {
  const mixed = Math.imul(hash ^ (rest >>> 20), 0x85eb_ca6b);
  return (1 << (mixed & 31)) | (1 << ((mixed >>> 5) & 31)) | (1 << ((mixed >>> 10) & 31));
}

function bloomWordOf(hash: number, wordCount: number): number {
  return Math.floor((hash / 2 ** 32) * wordCount);
}

function buildBloom(words: Uint32Array): Uint32Array {
  const bloom = new Uint32Array(Math.ceil(words.length / 2 / IDS_PER_WORD));
  for (let at = 0; at < words.length; at += 2) {
    const [hash, rest] = [words[at] ?? 0, words[at + 1] ?? 0];
    const word = bloomWordOf(hash, bloom.length);
    bloom[word] = (bloom[word] ?? 0) | bloomBits(hash, rest);
  }
  return bloom;
}

function hoursOf(words: Uint32Array): readonly [first: number, last: number] {
  let [first, last] = [NO_HOUR, 0];
  for (let at = 1; at < words.length; at += 2) {
    const hour = (words[at] ?? 0) & NO_HOUR;
    if (hour < first) first = hour;
    if (hour > last) last = hour;
  }
  return [first, last];
}

/** Writes a file of ids, whose words are in order, and syncs it. At least one id. */
export async function writeRun(path: string, words: Uint32Array): Promise<void> {
  const pageCount = Math.ceil(words.length / PAGE_WORDS);
  const bloom = buildBloom(words);
  const rest = new Uint32Array(2 * pageCount + FOOTER_WORDS);
  for (let page = 0; page < pageCount; page++) {
    const part = words.subarray(page * PAGE_WORDS, (page + 1) * PAGE_WORDS);
    rest[2 * page] = part[0] ?? 0;
    rest[2 * page + 1] = checksumOf(part);
  }
  rest.set([MAGIC, words.length / 2, bloom.length, ...hoursOf(words), checksumOf(bloom)], 2 * pageCount);
  rest[rest.length - 1] = checksumOf(rest.subarray(0, rest.length - 1));
  const file = await open(path, "w", 0o600);
  try {
    for (const part of [words, bloom, rest])
      await file.writeFile(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The number of the first entry, of so many words each, whose first word is not below the value; they are in order. */
function firstFrom(words: Uint32Array, width: number, value: number): number {
  let [low, high] = [0, words.length / width];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[width * middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An open file of ids. */
export class IdRun {
  readonly count: number;
  /** The hours of its events, both included; `NO_HOUR` is the last where one has none. */
  readonly firstHour: number;
  readonly lastHour: number;
  readonly #file: number;
  readonly #fences: Uint32Array;
  readonly #checksums: Uint32Array;
  #bloom: Uint32Array | undefined;
  readonly #page = new Uint32Array(PAGE_WORDS);

  /** `hasBloom`: for ids that are looked for often. Throws `DamagedRunError`, or the system's error. */
  constructor(path: string, hasBloom: boolean) {
    this.#file = openSync(path, "r");
    try {
      const { size } = fstatSync(this.#file);
      const footer = this.#read(size - 4 * FOOTER_WORDS, FOOTER_WORDS);
      const [magic, count = 0, bloomWords = 0, firstHour = 0, lastHour = 0, bloomChecksum = 0] = footer;
      const pageCount = Math.ceil((2 * count) / PAGE_WORDS);
      const restWords = 2 * pageCount + FOOTER_WORDS;
      const isWhole = magic === MAGIC && size === 8 * count + 4 * (bloomWords + restWords);
      if (!isWhole) throw new DamagedRunError(`${path} was cut short`);
      const rest = this.#read(size - 4 * restWords, restWords);
      const bloom = hasBloom ? this.#read(8 * count, bloomWords) : undefined;
      const isSound =
        rest.at(-1) === checksumOf(rest.subarray(0, -1)) &&
        (bloom === undefined || checksumOf(bloom) === bloomChecksum);
      if (!isSound) throw new DamagedRunError(`${path} is damaged`);
      [this.count, this.firstHour, this.lastHour] = [count, firstHour, lastHour];
      this.#fences = Uint32Array.from({ length: pageCount }, (_, page) => rest[2 * page] ?? 0);
      this.#checksums = Uint32Array.from({ length: pageCount }, (_, page) => rest[2 * page + 1] ?? 0);
      this.#bloom = bloom;
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Gives up the Bloom filter: new ids are no longer looked for here, and others cost a read. */
  forgetBloom(): void {
    this.#bloom = undefined;
  }

  /** The hours of events whose ids have the hash; most often none. Throws `DamagedRunError`. */
  hoursOf(id: IdHash): readonly number[] {
    const [hash, rest] = wordsOf(id, 0);
    const bloom = this.#bloom;
    if (bloom !== undefined) {
      const bits = bloomBits(hash, rest);
      if (((bloom[bloomWordOf(hash, bloom.length)] ?? 0) & bits) !== bits) return [];
    }
    const hours: number[] = [];
    for (let page = this.#pageOf(hash); page < this.#fences.length; page++) {
      if ((this.#fences[page] ?? 0) > hash) break;
      this.#collect(this.#readPage(page), hash, id, hours);
    }
    return hours;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The first page that may hold the hash. */
  #pageOf(hash: number): number {
    return Math.max(0, firstFrom(this.#fences, 1, hash) - 1);
  }

  #collect(page: Uint32Array, hash: number, id: IdHash, hours: number[]): void {
    for (let at = 2 * firstFrom(page, 2, hash); at < page.length && page[at] === hash; at += 2) {
      const hour = hourIn(page[at + 1] ?? 0, id);
      if (hour !== undefined) hours.push(hour);
    }
  }

  #readPage(page: number): Uint32Array {
    const wordCount = Math.min(PAGE_WORDS, 2 * this.count - page * PAGE_WORDS);
    const words = this.#page.subarray(0, wordCount);
    this.#readInto(words, page * PAGE_BYTES);
    if (checksumOf(words) !== this.#checksums[page])
      throw new DamagedRunError(`Page ${page} of a file of ids is damaged`);
    return words;
  }

  #read(position: number, wordCount: number): Uint32Array {
    if (position < 0) throw new DamagedRunError("A file of ids was cut short");
    const words = new Uint32Array(wordCount);
    this.#readInto(words, position);
    return words;
  }

  #readInto(words: Uint32Array, position: number): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    if (readSync(this.#file, bytes, 0, bytes.length, position) < bytes.length) {
      throw new DamagedRunError("A file of ids was cut short");
    }
  }
}
