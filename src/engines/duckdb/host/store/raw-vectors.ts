/**
 * Fills vectors of a chunk from the bytes of batches, without making values of them: a value costs a few writes into
 * memory here, and one or two calls into the driver a column.
 */
import { type ColumnView, widthOf } from "../../batch/batch-reader.ts";
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
      for (const part of parts) {
        if (width === TEXT_WIDTH) this.#placeTexts(vector, part);
        else if (width === 1) this.#placeBytes(part);
        else this.#placeWords(part);
      }
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

  #placeBytes({ view: { payload, rows, count, valuesAt }, slots }: PlacedColumn): void {
    for (let i = 0; i < count; i++) {
      const slot = slots[rows === undefined ? i : (rows[i] ?? 0)] ?? -1;
      if (slot < 0) continue;
      this.#bytes[slot] = payload[valuesAt + i] ?? 0;
      this.#setValid(slot);
    }
  }

  #placeWords({ view: { payload, rows, count, valuesAt }, slots }: PlacedColumn): void {
    const start = payload.byteOffset + valuesAt;
    const source = new Uint32Array(payload.buffer.slice(start, start + 8 * count));
    for (let i = 0; i < count; i++) {
      const slot = slots[rows === undefined ? i : (rows[i] ?? 0)] ?? -1;
      if (slot < 0) continue;
      this.#words[2 * slot] = source[2 * i] ?? 0;
      this.#words[2 * slot + 1] = source[2 * i + 1] ?? 0;
      this.#setValid(slot);
    }
  }

  #placeTexts(vector: Vector, { view, slots }: PlacedColumn): void {
    const { payload, rows, count, lengths, valuesAt } = view;
    if (lengths === undefined) return;
    const [bytes, words] = [this.#bytes, this.#words];
    const textAt = this.#storeText(vector, view, slots);
    for (let i = 0, at = valuesAt; i < count; i++) {
      const length = lengths[i] ?? 0;
      const slot = slots[rows === undefined ? i : (rows[i] ?? 0)] ?? -1;
      if (slot >= 0) {
        words[4 * slot] = length;
        const target = slot * TEXT_WIDTH + 4;
        const copied = length <= MAX_INLINE_BYTES ? length : 4;
        for (let byte = 0; byte < copied; byte++) bytes[target + byte] = payload[at + byte] ?? 0;
        if (length > MAX_INLINE_BYTES) {
          const address = textAt + at;
          words[4 * slot + 2] = address % LOW;
          words[4 * slot + 3] = Math.floor(address / LOW);
        }
        this.#setValid(slot);
      }
      at += length;
    }
  }

  /**
   * Hands the texts that are stored to the vector as one, which it keeps in memory of its own, and answers the address
   * that the payload's first byte would have there. The text's own place in the vector is overwritten afterwards.
   */
  #storeText(vector: Vector, { payload, rows, count, lengths, valuesAt }: ColumnView, slots: Int32Array): number {
    let [from, to] = [-1, 0];
    for (let i = 0, at = valuesAt; i < count; i++) {
      const end = at + (lengths?.[i] ?? 0);
      if ((slots[rows === undefined ? i : (rows[i] ?? 0)] ?? -1) >= 0) {
        if (from < 0) from = at;
        to = end;
      }
      at = end;
    }
    if (to - from <= MAX_INLINE_BYTES) return 0;
    vector_assign_string_element_len(vector, 0, payload.subarray(from, to));
    const written = vector_get_data(vector, TEXT_WIDTH);
    const pointer = new DataView(written.buffer, written.byteOffset + TEXT_POINTER_AT, 8);
    return Number(pointer.getBigUint64(0, true)) - from;
  }
}
