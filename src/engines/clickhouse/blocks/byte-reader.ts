/** Reads what `ByteWriter` wrote. */
export class ByteReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#buffer = Buffer.from(buffer, byteOffset, length);
  }

  #varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#buffer[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  text(): string {
    return this.bytes(this.#varint()).toString();
  }

  /** A text unchanged, with its length. */
  lengthAndBytes(): Buffer {
    const start = this.#at;
    const length = this.#varint();
    this.#at += length;
    return this.#buffer.subarray(start, this.#at);
  }

  uint64(): bigint {
    return this.bytes(8).readBigUInt64LE();
  }

  bytes(count: number): Buffer {
    this.#at += count;
    return this.#buffer.subarray(this.#at - count, this.#at);
  }
}
