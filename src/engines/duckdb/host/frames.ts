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
  readonly body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

/** The frame's buffers, to be written one after the other. */
export function encodeFrame(head: unknown, body: Buffer = NO_BODY): readonly Buffer[] {
  const headBytes = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt32LE(4 + headBytes.length + body.length, 0);
  prefix.writeUInt32LE(headBytes.length, 4);
  return body.length === 0 ? [Buffer.concat([prefix, headBytes])] : [Buffer.concat([prefix, headBytes]), body];
}

/** Writes a frame in one go. */
export function writeFrame(stream: Writable, head: unknown, body?: Buffer): void {
  stream.cork();
  for (const part of encodeFrame(head, body)) stream.write(part);
  stream.uncork();
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
    const restBytes = this.#peek(PREFIX_BYTES).readUInt32LE(0);
    if (restBytes < 4 || restBytes > MAX_FRAME_BYTES) throw new RangeError(`A frame cannot have ${restBytes} bytes`);
    const total = restBytes + 4;
    if (this.#byteCount < total) return undefined;
    const [bytes = NO_BODY, ...later] = [this.#peek(total), ...this.#pieces.slice(1)];
    this.#pieces = bytes.length === total ? later : [bytes.subarray(total), ...later];
    this.#byteCount -= total;
    const headBytes = bytes.readUInt32LE(4);
    if (headBytes > restBytes - 4) throw new RangeError(`A frame's head cannot have ${headBytes} bytes`);
    const head: unknown = JSON.parse(bytes.toString("utf8", PREFIX_BYTES, PREFIX_BYTES + headBytes));
    return { head, body: bytes.subarray(PREFIX_BYTES + headBytes, total) };
  }

  /** The pieces as one buffer of at least `byteCount` bytes, which must have arrived. */
  #peek(byteCount: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= byteCount) return first;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }
}
