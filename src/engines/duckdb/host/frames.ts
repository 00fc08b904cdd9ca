/**
 * Frames between the service and the engine host: `u32 length of the rest, u32 length of the head, head (JSON), body
 * (bytes)`, little-endian. One frame is one message.
 */
import type { Writable } from "node:stream";

/** Beyond this a length is a sign of a broken stream, not of a message. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024;
const PREFIX_BYTES = 8;

export interface Frame {
  readonly head: unknown;
  /** In pieces as they arrived; none where there is no body. */
  readonly body: readonly Buffer[];
}

const NO_BODY = Buffer.alloc(0);

/** A body in one piece. */
export function joinPieces(pieces: readonly Buffer[]): Buffer {
  const [only = NO_BODY, ...others] = pieces;
  return others.length === 0 ? only : Buffer.concat(pieces);
}

/** The frame's buffers, to be written one after the other. */
export function encodeFrame(head: unknown, body: Buffer = NO_BODY): readonly Buffer[] {
  const headBytes = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt32LE(4 + headBytes.length + body.length, 0);
  prefix.writeUInt32LE(headBytes.length, 4);
  return body.length === 0 ? [Buffer.concat([prefix, headBytes])] : [Buffer.concat([prefix, headBytes]), body];
}

/** Writes a frame, in one go with all others of the same turn of the event loop. */
export function writeFrame(stream: Writable, head: unknown, body?: Buffer): void {
  if (stream.writableCorked === 0) {
    stream.cork();
    setImmediate(() => stream.uncork());
  }
  for (const part of encodeFrame(head, body)) stream.write(part);
}

/** Puts frames together from the pieces that a stream delivers. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #byteCount = 0;

  /** Answers the frames that are complete now. Throws where the stream cannot be one of frames. */
  push(piece: Buffer): Frame[] {
    this.#pieces.push(piece);
    this.#byteCount += piece.length;
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | undefined {
    if (this.#byteCount < PREFIX_BYTES) return undefined;
    const prefix = this.#first(PREFIX_BYTES);
    const restBytes = prefix.readUInt32LE(0);
    if (restBytes < 4 || restBytes > MAX_FRAME_BYTES) throw new RangeError(`A frame cannot have ${restBytes} bytes`);
    if (this.#byteCount < restBytes + 4) return undefined;
    const headBytes = prefix.readUInt32LE(4);
    if (headBytes > restBytes - 4) throw new RangeError(`A frame's head cannot have ${headBytes} bytes`);
    const start = PREFIX_BYTES + headBytes;
    const head: unknown = JSON.parse(this.#first(start).toString("utf8", PREFIX_BYTES, start));
    this.#shift(start);
    return { head, body: this.#shift(restBytes + 4 - start) };
  }

  /** A buffer that begins with the first bytes, which must have arrived. */
  #first(byteCount: number): Buffer {
    const [first = NO_BODY] = this.#pieces;
    if (first.length >= byteCount) return first;
    let end = 0;
    for (let length = 0; length < byteCount; end++) length += this.#pieces[end]?.length ?? byteCount;
    const joined = Buffer.concat(this.#pieces.slice(0, end));
    this.#pieces.splice(0, end, joined);
    return joined;
  }

  /** Takes the first bytes, which must have arrived, off the pieces. */
  #shift(byteCount: number): Buffer[] {
    const taken: Buffer[] = [];
    let missing = byteCount;
    let end = 0;
    for (; missing > 0; end++) {
      const piece = this.#pieces[end] ?? NO_BODY;
      taken.push(piece.subarray(0, missing));
      if (piece.length > missing) break;
      missing -= piece.length;
    }
    const rest = missing > 0 ? this.#pieces[end]?.subarray(missing) : undefined;
    this.#pieces.splice(0, rest === undefined ? end : end + 1, ...(rest === undefined ? [] : [rest]));
    this.#byteCount -= byteCount;
    return taken;
  }
}
