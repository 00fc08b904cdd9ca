/**
 * Fills vectors of a chunk from the bytes of batches, without making values of them: a value costs a few writes into
 * memory here, and one or two calls into the driver a column.
 */
import { type ColumnView, lengthOf, rowOf, widthOf } from "../../batch/batch-reader.ts";
import {
  copy_data_to_vector,
  copy_data_to_vector_validity,
  type DuckDBDataChunk,
  data_chunk_get_vector,
  type Vector,
  vector_assign_string_element_len,
  vector_ensure_validity_writable,
  vector_get_data,
} from "../../driver/driver.ts";

/** A column's values, with the row of the chunk that each row of their batch goes to; -1: to none. */
export interface PlacedColumn {
  readonly view: ColumnView;
  readonly slots: Int32Array;
}

/** DuckDB's `string_t`: a length, then the text itself up to 12 bytes, or its first 4 bytes and its address. */
const TEXT_WIDTH = 16;
const MAX_INLINE_BYTES = 12;
const TEXT_POINTER_AT = 8;
const LOW = 2 ** 32;
const EMPTY = Buffer.alloc(0);

export class RawVectors {
  readonly #chunk: DuckDBDataChunk;
  readonly #rowCount: number;
  /** The buffer in which a vector is built before it is copied. */
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array;
  readonly #valid: Uint8Array<ArrayBuffer>;
  #validCount = 0;

  constructor(chunk: DuckDBDataChunk, rowCount: number) {
    this.#chunk = chunk;
    this.#rowCount = rowCount;
    this.#bytes = new Uint8Array(rowCount * TEXT_WIDTH);
    this.#words = new Uint32Array(this.#bytes.buffer);
    this.#valid = new Uint8Array(Math.ceil(rowCount / 64) * 8);
  }

  /** Writes a column's vector; rows that get no value are NULL. The parts are of the same type. */
  fill(index: number, parts: readonly PlacedColumn[]): void {
    const vector = data_chunk_get_vector(this.#chunk.chunk, index);
    this.#valid.fill(0);
    this.#validCount = 0;
    const [first] = parts;
    if (first !== undefined) {
      const width = widthOf(first.view.type) ?? TEXT_WIDTH;
      this.#bytes.fill(0, 0, this.#rowCount * width);
      if (width === TEXT_WIDTH) this.#placeTexts(vector, parts);
      else for (const part of parts) width === 1 ? this.#placeBytes(part) : this.#placeWords(part);
      copy_data_to_vector(vector, 0, this.#bytes.buffer, 0, this.#rowCount * width);
    }
    if (this.#validCount === this.#rowCount) return;
    vector_ensure_validity_writable(vector);
    copy_data_to_vector_validity(vector, 0, this.#valid.buffer, 0, this.#valid.byteLength);
  }

  #setValid(slot: number): void {
    const byte = slot >>> 3;
    this.#valid[byte] = (this.#valid[byte] ?? 0) | (1 << (slot & 7));
    this.#validCount++;
  }

  #placeBytes({ view, slots }: PlacedColumn): void {
    const { payload, count, valuesAt } = view;
    for (let i = 0; i < count; i++) {
      const slot = slots[rowOf(view, i)] ?? -1;
      if (slot < 0) continue;
      this.#bytes[slot] = payload[valuesAt + i] ?? 0;
      this.#setValid(slot);
    }
  }

  #placeWords({ view, slots }: PlacedColumn): void {
    const { payload, count, valuesAt } = view;
    for (let i = 0; i < count; i++) {
      const slot = slots[rowOf(view, i)] ?? -1;
      if (slot < 0) continue;
      this.#words[2 * slot] = payload.readUInt32LE(valuesAt + 8 * i);
      this.#words[2 * slot + 1] = payload.readUInt32LE(valuesAt + 8 * i + 4);
      this.#setValid(slot);
    }
  }

  #placeTexts(vector: Vector, parts: readonly PlacedColumn[]): void {
    const ranges = parts.map(findStored);
    let address = storeTexts(vector, parts, ranges);
    parts.forEach((part, index) => {
      const { from, to } = ranges[index] ?? NOTHING;
      this.#placePart(part, address - from);
      address += to - from;
    });
  }

  /** `address`: where the payload's first byte would be. */
  #placePart({ view, slots }: PlacedColumn, address: number): void {
    const { payload, count, valuesAt } = view;
    const [bytes, words] = [this.#bytes, this.#words];
    for (let i = 0, at = valuesAt; i < count; i++) {
      const length = lengthOf(view, i);
      const slot = slots[rowOf(view, i)] ?? -1;
      if (slot >= 0) {
        words[4 * slot] = length;
        const target = slot * TEXT_WIDTH + 4;
        const copied = length <= MAX_INLINE_BYTES ? length : 4;
        for (let byte = 0; byte < copied; byte++) bytes[target + byte] = payload[at + byte] ?? 0;
        if (length > MAX_INLINE_BYTES) {
          words[4 * slot + 2] = (address + at) % LOW;
          words[4 * slot + 3] = Math.floor((address + at) / LOW);
        }
        this.#setValid(slot);
      }
      at += length;
    }
  }
}

interface ByteRange {
  readonly from: number;
  readonly to: number;
}

const NOTHING: ByteRange = { from: 0, to: 0 };

/** The part of the payload with the texts that are stored; empty where all of them are short. */
function findStored({ view, slots }: PlacedColumn): ByteRange {
  let [from, to] = [-1, 0];
  let hasLong = false;
  for (let i = 0, at = view.valuesAt; i < view.count; i++) {
    const length = lengthOf(view, i);
    if ((slots[rowOf(view, i)] ?? -1) >= 0) {
      if (from < 0) from = at;
      to = at + length;
      if (length > MAX_INLINE_BYTES) hasLong = true;
    }
    at += length;
  }
  return hasLong ? { from, to } : NOTHING;
}

/**
 * Hands the texts of all parts to the vector as one, which it keeps in memory of its own, and answers its address. The
 * text's own place in the vector is overwritten afterwards.
 */
function storeTexts(vector: Vector, parts: readonly PlacedColumn[], ranges: readonly ByteRange[]): number {
  const texts = ranges.flatMap(({ from, to }, index) => {
    return to > from ? [parts[index]?.view.payload.subarray(from, to) ?? EMPTY] : [];
  });
  const [only] = texts;
  if (only === undefined) return 0;
  vector_assign_string_element_len(vector, 0, texts.length === 1 ? only : Buffer.concat(texts));
  const written = vector_get_data(vector, TEXT_WIDTH);
  return Number(new DataView(written.buffer, written.byteOffset + TEXT_POINTER_AT, 8).getBigUint64(0, true));
}
