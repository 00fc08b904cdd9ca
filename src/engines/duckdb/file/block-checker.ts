/**
 * Checks the checksums of a store's file as its bytes pass by. DuckDB writes three headers of 4 KB and then blocks of
 * 256 KB, each with a checksum of 64 bits before its content: the exclusive or of 5381 and of every word of 64 bits
 * times an odd constant, modulo 2^64. So one changed bit never goes unnoticed.
 */

import type { ByteChecker } from "../../contract/file-check.ts";

const HEADER_BYTES = 4096;
const HEADER_COUNT = 3;
const BLOCK_BYTES = 262_144;
const CHECKSUM_WORDS = 2;
const SEED = 5381;
/** 0xbf58476d1ce4e5b9, in halves and quarters. */
const FACTOR_HIGH = 0xbf58476d;
const FACTOR_LOW = 0x1ce4e5b9;
const FACTOR_LOW_HIGH = FACTOR_LOW >>> 16;
const FACTOR_LOW_LOW = FACTOR_LOW & 0xffff;

/** Does the block's checksum fit its content? Words of 32 bits, as the file has them. */
function isWhole(words: Uint32Array): boolean {
  let [low, high] = [SEED, 0];
  for (let at = CHECKSUM_WORDS; at < words.length; at += 2) {
    const wordLow = words[at] ?? 0;
    const a = wordLow >>> 16;
    const b = wordLow & 0xffff;
    const crossed = a * FACTOR_LOW_LOW;
    const other = b * FACTOR_LOW_HIGH;
    const middle = ((b * FACTOR_LOW_LOW) >>> 16) + (crossed & 0xffff) + (other & 0xffff);
    const carried = a * FACTOR_LOW_HIGH + (crossed >>> 16) + (other >>> 16) + (middle >>> 16);
    low ^= Math.imul(wordLow, FACTOR_LOW);
    high ^= (carried + Math.imul(wordLow, FACTOR_HIGH) + Math.imul(words[at + 1] ?? 0, FACTOR_LOW)) | 0;
  }
  return words[0] === low >>> 0 && words[1] === high >>> 0;
}

/** A block that was never written: the file grew past it. */
function isEmpty(words: Uint32Array): boolean {
  return words.every((word) => word === 0);
}

/** Takes the file's bytes in order, however they are cut, from the begin of a block. */
export class BlockChecker implements ByteChecker {
  readonly #block = new Uint8Array(BLOCK_BYTES);
  /** Bytes of the block that are there, and where in the file it begins. */
  #filled = 0;
  #start: number;
  readonly #damaged: number[] = [];

  constructor(start = 0) {
    this.#start = start;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const size = this.#blockBytes();
      const taken = Math.min(size - this.#filled, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === size) this.#endBlock(size);
    }
  }

  damages(): readonly number[] {
    return this.#filled === 0 ? this.#damaged : [...this.#damaged, this.#start];
  }

  #blockBytes(): number {
    return this.#start < HEADER_COUNT * HEADER_BYTES ? HEADER_BYTES : BLOCK_BYTES;
  }

  #endBlock(size: number): void {
    const words = new Uint32Array(this.#block.buffer, 0, size / 4);
    if (!isWhole(words) && !isEmpty(words)) this.#damaged.push(this.#start);
    this.#start += size;
    this.#filled = 0;
  }
}
