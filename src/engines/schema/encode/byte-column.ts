/** Values of one column as the bytes in which a store takes them: text as UTF-8, numbers little-endian. */

/** How the values of a column are written. */
export type ByteKind = "text" | "int64" | "float64" | "bool";

/** Shorter runs are copied byte by byte: a call into the runtime costs as much. */
const MAX_LOOPED_BYTES = 48;
const FIRST_BYTES = 128;
const FIRST_VALUES = 16;

const widths: Readonly<Record<ByteKind, number>> = { text: 0, int64: 8, float64: 8, bool: 1 };

/** At most one value a row, rows in their order. */
export class ByteColumn {
  readonly kind: ByteKind;
  /** The bytes of all values, and of one that is being written. */
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  used = 0;
  count = 0;
  /** The row of each value. */
  rows: Uint32Array = new Uint32Array(FIRST_VALUES);
  /** The bytes of each text. */
  lengths: Uint32Array;
  #begun = 0;

  constructor(kind: ByteKind) {
    this.kind = kind;
    this.lengths = new Uint32Array(kind === "text" ? FIRST_VALUES : 0);
  }

  /** Begins the value of a row. False where the row has one already, which stays. */
  begin(row: number): boolean {
    const { count } = this;
    if (count > 0 && this.rows[count - 1] === row) return false;
    if (count === this.rows.length) this.#growValues();
    this.rows[count] = row;
    this.#begun = this.used;
    return true;
  }

  /** Ends the value that was begun. */
  end(): void {
    if (this.kind === "text") this.lengths[this.count] = this.used - this.#begun;
    this.count++;
  }

  /** Drops what was written of a value that has not ended. */
  drop(): void {
    this.used = this.#begun;
  }

  /** Takes the value of the row back, if it has one; it must be the last row. */
  undo(row: number): void {
    const last = this.count - 1;
    if (last < 0 || this.rows[last] !== row) return;
    this.count = last;
    this.used -= this.kind === "text" ? (this.lengths[last] ?? 0) : widths[this.kind];
  }

  /** Copies bytes behind those that are there. */
  copy(source: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.used + length > this.bytes.length) this.reserve(length);
    const { bytes, used } = this;
    this.used = used + length;
    if (length > MAX_LOOPED_BYTES) {
      bytes.set(source.subarray(from, to), used);
      return;
    }
    for (let i = 0; i < length; i++) bytes[used + i] = source[from + i] as number;
  }

  push(byte: number): void {
    if (this.used === this.bytes.length) this.reserve(1);
    this.bytes[this.used++] = byte;
  }

  write(text: string): void {
    // Three bytes are the most that a unit of UTF-16 takes.
    if (this.used + text.length * 3 > this.bytes.length) this.reserve(text.length * 3);
    this.used += this.bytes.write(text, this.used);
  }

  writeInt(value: number | bigint): void {
    if (this.used + 8 > this.bytes.length) this.reserve(8);
    if (typeof value === "bigint") {
      this.used = this.bytes.writeBigInt64LE(value, this.used);
      return;
    }
    const high = Math.floor(value / 2 ** 32);
    const at = this.bytes.writeUInt32LE(value - high * 2 ** 32, this.used);
    this.used = this.bytes.writeInt32LE(high, at);
  }

  writeFloat(value: number): void {
    if (this.used + 8 > this.bytes.length) this.reserve(8);
    this.used = this.bytes.writeDoubleLE(value, this.used);
  }

  /** Makes room for so many more bytes. */
  reserve(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.used + length));
    grown.set(this.bytes.subarray(0, this.used));
    this.bytes = grown;
  }

  /** Forgets all values; the memory stays for the next ones. */
  clear(): void {
    this.count = 0;
    this.used = 0;
  }

  /** The memory that it takes. */
  get capacity(): number {
    return this.bytes.length + this.rows.byteLength + this.lengths.byteLength;
  }

  #growValues(): void {
    const rows = new Uint32Array(this.rows.length * 2);
    rows.set(this.rows);
    this.rows = rows;
    if (this.kind !== "text") return;
    const lengths = new Uint32Array(rows.length);
    lengths.set(this.lengths);
    this.lengths = lengths;
  }
}
