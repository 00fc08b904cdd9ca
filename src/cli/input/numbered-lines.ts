import { createGunzip } from "node:zlib";

/** A line that is not blank, with its number; lines are counted from 1. */
export interface NumberedLine {
  readonly bytes: Buffer;
  readonly number: number;
}

/** Decompressed when it starts like gzip; otherwise unchanged. */
export async function* unzipped(input: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  const chunks = toBuffers(input);
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    if (head.length > 0) yield head;
    yield* chunks;
    return;
  }
  const gunzip = createGunzip();
  const feeding = (async () => {
    for (let chunk: Buffer | undefined = head; chunk !== undefined; chunk = (await chunks.next()).value ?? undefined) {
      if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once("drain", resolve));
    }
    gunzip.end();
  })();
  // The reader sees the stream's error; this only makes sure that a broken input is noticed.
  feeding.catch((error: Error) => gunzip.destroy(error));
  yield* gunzip as AsyncIterable<Buffer>;
}

/** The bytes of a stream that may hold texts. */
export async function* toBuffers(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer, undefined> {
  for await (const chunk of input) {
    yield typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }
}

/** The non-blank lines of a stream of bytes. A line longer than `maxBytes` is truncated to one byte more. */
export async function* numberedLines(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<NumberedLine> {
  for await (const line of splitLines(input, maxBytes)) if (!isBlank(line.bytes)) yield line;
}

/** All lines of a stream, each as soon as it is complete; a last one without an end counts unless it is empty. */
export async function* splitLines(
  input: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<NumberedLine> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    const room = maxBytes + 1 - length;
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room));
    length = Math.min(length + part.length, maxBytes + 1);
  };
  const take = (): NumberedLine => {
    const [first = Buffer.alloc(0)] = parts;
    const bytes = parts.length === 1 ? first : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { bytes, number: number++ };
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}
