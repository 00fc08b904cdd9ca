/** Bytes one after the other, in a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  #room(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  /** Seven bits a byte, the least significant ones first. */
  varint(value: number): void {
    this.#room(9);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#buffer[this.#length++] = (rest % 128) | 128;
    this.#buffer[this.#length++] = rest;
  }

  /** With its length in bytes before it. Half a surrogate pair, which UTF-8 has no bytes for, becomes U+FFFD. */
  text(value: string): void {
    const byteCount = Buffer.byteLength(value);
    this.varint(byteCount);
    this.#room(byteCount);
    this.#length += this.#buffer.write(value, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written from one position to another; they are overwritten once more is written. */
  slice(start: number, end: number): Uint8Array {
    return this.#buffer.subarray(start, end);
  }

  /** Bytes from elsewhere. */
  bytes(source: Uint8Array): void {
    this.#room(source.length);
    this.#buffer.set(source, this.#length);
    this.#length += source.length;
  }

  int64(value: number | bigint): void {
    this.#room(8);
    this.#length = this.#buffer.writeBigInt64LE(BigInt(value), this.#length);
  }

  uint64(value: bigint): void {
    this.#room(8);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
  }

  float64(value: number): void {
    this.#room(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** Answers where the first of `count` equal bytes is. */
  fill(byte: number, count: number): number {
    this.#room(count);
    const at = this.#length;
    this.#buffer.fill(byte, at, at + count);
    this.#length += count;
    return at;
  }

  set(at: number, byte: number): void {
    this.#buffer[at] = byte;
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
