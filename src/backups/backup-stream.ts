/**
 * How a backup travels. `GET /api/store/backup` answers a line of JSON, the bytes of its files one after the other, and
 * a last line of JSON. `POST` is sent the beginnings of the names of chunks that the caller has, sorted, and answers
 * such lines too; between them each chunk of the files has its hash, a byte, and, if that is 1, its bytes.
 */
import { UserError } from "../shared/user-error.ts";

/** The first line. */
export interface BackupHead {
  readonly format: 1 | 2;
  /** ISO 8601. */
  readonly made_at: string;
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
  /** Paths are relative to the data folder, with `/`. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** The last line. It is only there when everything before it can be used. */
export interface BackupTail {
  /** In hexadecimal, in the order of the files; of an answer to `POST`, none. */
  readonly sha256: readonly string[];
}

/** Bytes of a chunk's hash, and those of it that the caller sends: enough that no two chunks begin alike. */
export const hashBytes = 32;
export const prefixBytes = 10;
/** The prefixes of 300 GB: a body of the default `max_body_bytes`. More are not sent. */
const maxPrefixes = 1_200_000;

/** The beginnings of the names of chunks, sorted. */
export function writePrefixes(names: Iterable<string>): Buffer {
  const sorted = [...names].sort().slice(0, maxPrefixes);
  const bytes = Buffer.alloc(sorted.length * prefixBytes);
  for (const [index, name] of sorted.entries()) {
    bytes.write(name.slice(0, prefixBytes * 2), index * prefixBytes, "hex");
  }
  return bytes;
}

/** Does one of the sorted beginnings fit a hash? */
export function hasPrefix(prefixes: Uint8Array, hash: Buffer): boolean {
  let [low, high] = [0, Math.floor(prefixes.length / prefixBytes)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * prefixBytes;
    const order = hash.compare(prefixes, at, at + prefixBytes, 0, prefixBytes);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

const maxLineBytes = 16 * 1024 * 1024;

/** The bytes of a stream, taken in lines and in counted pieces. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Undefined where the stream ends before the line does. */
  async line(): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const end = this.#rest.indexOf(10, from);
      if (end >= 0) {
        const line = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      from = this.#rest.length;
      const chunk = await this.#next();
      if (chunk === undefined || from > maxLineBytes) return undefined;
      this.#rest = Buffer.concat([this.#rest, chunk]);
    }
  }

  /** Yields exactly this many bytes in pieces; ends early when the stream does. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const chunk: Buffer | undefined = this.#rest.length > 0 ? this.#rest : await this.#next();
      if (chunk === undefined) return;
      const piece = chunk.subarray(0, left);
      this.#rest = chunk.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Exactly this many bytes; throws `UserError` where the stream ends early. */
  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let found = 0;
    for await (const piece of this.bytes(count)) {
      pieces.push(piece);
      found += piece.length;
    }
    if (found < count) throw cutOff();
    return Buffer.concat(pieces, count);
  }

  /** Ends the stream, whatever of it is left. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#chunks.next().catch((error: unknown) => {
      // The connection broke.
      throw error instanceof TypeError ? cutOff() : error;
    });
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

/** The error of an answer without its last line. */
export function cutOff(): UserError {
  return new UserError("The service's answer was cut off. Look at the service's log and try again");
}
