/** Texts up to so long are copied character by character; their lengths take one byte. */
const MAX_COPIED_LENGTH = 32;

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Bytes one after the other, in a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #view: DataView;
  #length = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
    this.#view = viewOf(this.#buffer);
  }

  #room(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
    this.#view = viewOf(grown);
  }

  /** Seven bits a byte, the least significant ones first. */
  varint(value: number): void {
    this.#room(9);
    this.#length = this.#putVarint(value, this.#length);
  }

  #putVarint(value: number, at: number): number {
    let [rest, end] = [value, at];
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#buffer[end++] = (rest % 128) | 128;
    this.#buffer[end++] = rest;
    return end;
  }

  /** With its length in bytes before it. Half a surrogate pair, which UTF-8 has no bytes for, becomes U+FFFD. */
  text(value: string): void {
    if (value.length <= MAX_COPIED_LENGTH && this.#copyAscii(value)) return;
    // As many bytes as that are room for any text of its length.
    this.#room(value.length * 3 + 9);
    const size = varintSize(value.length);
    const at = this.#length + size;
    const written = this.#buffer.write(value, at);
    // Beyond ASCII the length may be longer than it was taken for.
    const more = varintSize(written) - size;
    if (more > 0) this.#buffer.copyWithin(at + more, at, at + written);
    this.#putVarint(written, this.#length);
    this.#length = at + more + written;
  }

  /** False where the text is not of ASCII alone. A call of the buffer's own costs more than a short text. */
  #copyAscii(value: string): boolean {
    const { length } = value;
    this.#room(length + 1);
    const buffer = this.#buffer;
    const at = this.#length + 1;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 127) return false;
      buffer[at + index] = code;
    }
    buffer[at - 1] = length;
    this.#length = at + length;
    return true;
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
    if (typeof value === "bigint") this.#view.setBigInt64(this.#length, value, true);
    else {
      const high = Math.floor(value / 2 ** 32);
      this.#view.setUint32(this.#length, value - high * 2 ** 32, true);
      this.#view.setInt32(this.#length + 4, high, true);
    }
    this.#length += 8;
  }

  uint64(value: bigint): void {
    this.#room(8);
    this.#view.setBigUint64(this.#length, value, true);
    this.#length += 8;
  }

  float64(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
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
