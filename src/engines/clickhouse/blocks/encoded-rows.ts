/**
 * Rows of an append as columns of ClickHouse's Native format, which another thread has encoded. The server accepts
 * several blocks in a row, each with its own columns, so that none has to be encoded again to be sent with others.
 */
import { ByteWriter } from "./byte-writer.ts";

export interface EncodedRows {
  readonly ids: readonly string[];
  /** Whether the sender chose the row's id. */
  readonly ownIds: readonly boolean[];
  /** Microseconds since 1970. */
  readonly timestamps: readonly bigint[];
  /** The tenant of each row; undefined for a source without tenants. */
  readonly tenants: readonly (string | null)[] | undefined;
  readonly rowCount: number;
  readonly columns: readonly string[];
  /** The columns, one after the other. */
  readonly bytes: Uint8Array;
  readonly byteCount: number;
}

/** The picked rows alone, which ascend. */
export function pickEncoded(rows: EncodedRows, picked: readonly number[]): EncodedRows {
  if (picked.length === rows.rowCount) return rows;
  const isPicked = new Uint8Array(rows.rowCount);
  for (const row of picked) isPicked[row] = 1;
  const keep = <T>(values: readonly T[]) => values.filter((_, row) => isPicked[row] === 1);
  const reader = new ByteReader(rows.bytes);
  const writer = new ByteWriter(rows.bytes.length);
  for (const _ of rows.columns) {
    writer.bytes(reader.lengthAndBytes());
    const type = reader.text();
    writer.text(type);
    copyValues({ reader, writer }, type, isPicked);
  }
  const bytes = writer.finish();
  return {
    ids: keep(rows.ids),
    ownIds: keep(rows.ownIds),
    timestamps: keep(rows.timestamps),
    tenants: rows.tenants === undefined ? undefined : keep(rows.tenants),
    rowCount: picked.length,
    columns: rows.columns,
    bytes,
    byteCount: bytes.length,
  };
}

const WIDTHS: ReadonlyMap<string, number> = new Map([
  ["Bool", 1],
  ["Int64", 8],
  ["Float64", 8],
]);

interface Copying {
  readonly reader: ByteReader;
  readonly writer: ByteWriter;
}

/** Copies the selected values of a type, and skips the others. */
function copyValues(copying: Copying, type: string, isKept: Uint8Array): void {
  const { reader, writer } = copying;
  const [, wrapper, inner = ""] = /^(Nullable|Array)\((.*)\)$/.exec(type) ?? [];
  if (wrapper === "Nullable") {
    copyFixed(copying, 1, isKept);
    copyValues(copying, inner, isKept);
  } else if (wrapper === "Array") copyValues(copying, inner, copyEnds(copying, isKept));
  else if (type === "String") {
    for (const kept of isKept) {
      const bytes = reader.lengthAndBytes();
      if (kept === 1) writer.bytes(bytes);
    }
  } else {
    const width = WIDTHS.get(type);
    if (width === undefined) throw new Error(`No block has a column of ${type}`);
    copyFixed(copying, width, isKept);
  }
}

function copyFixed({ reader, writer }: Copying, width: number, isKept: Uint8Array): void {
  for (const kept of isKept) {
    const bytes = reader.bytes(width);
    if (kept === 1) writer.bytes(bytes);
  }
}

/** The ends of the selected lists. Returns which of their elements are selected. */
function copyEnds({ reader, writer }: Copying, isKept: Uint8Array): Uint8Array {
  const ends = Array.from(isKept, () => Number(reader.uint64()));
  const elements = new Uint8Array(ends.at(-1) ?? 0);
  let end = 0;
  for (const [row, kept] of isKept.entries()) {
    if (kept === 0) continue;
    const from = ends[row - 1] ?? 0;
    const to = ends[row] ?? 0;
    elements.fill(1, from, to);
    end += to - from;
    writer.uint64(BigInt(end));
  }
  return elements;
}

/** Reads what `ByteWriter` wrote. */
class ByteReader {
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
