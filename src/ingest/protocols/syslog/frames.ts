import { trimEnd } from "../../../values/trim-end.ts";

/** Bytes of a message beyond which it is cut: RFC 5425 asks for 8192, some senders go beyond. */
const maxMessageBytes = 65_536;

const lineFeed = 10;
const space = 32;
const lessThan = 60;

/**
 * Splits a stream of syslog into messages, as RFC 6587 defines them: prefixed with their length (`42 <13>1 ...`), or
 * one per line. A stream may mix both, and may be split anywhere between `push`es. A message that is too long is cut
 * into pieces.
 */
export class SyslogFrames {
  readonly #onMessage: () => void;
  #rest: Uint8Array = new Uint8Array();

  /** `onMessage` is called with each message before the next is looked for; what it throws ends the reading. */
  constructor(onMessage: () => void = () => undefined) {
    this.#onMessage = onMessage;
  }

  /** The messages that are complete now. */
  push(bytes: Uint8Array): readonly string[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: string[] = [];
    let at = 0;
    for (let frame = nextFrame(all, at); frame !== undefined; frame = nextFrame(all, at)) {
      this.#add(messages, all.subarray(frame.start, frame.end));
      at = frame.next;
    }
    // A copy, so that the surrounding bytes are not retained.
    this.#rest = new Uint8Array(all.subarray(at));
    return messages;
  }

  /** The rest at the end of the stream. */
  finish(): readonly string[] {
    const messages: string[] = [];
    const count = readCount(this.#rest, 0);
    this.#add(messages, this.#rest.subarray(count?.start ?? 0));
    this.#rest = new Uint8Array();
    return messages;
  }

  #add(messages: string[], bytes: Uint8Array): void {
    const text = trimEnd(new TextDecoder().decode(bytes), "\r\n\0 ");
    if (text.trim() === "") return;
    this.#onMessage();
    messages.push(text);
  }
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** Undefined when the bytes end before the frame does. */
function nextFrame(bytes: Uint8Array, at: number): Frame | undefined {
  const count = readCount(bytes, at);
  if (count !== undefined) {
    const end = count.start + count.length;
    return end <= bytes.length ? { start: count.start, end, next: end } : undefined;
  }
  const end = bytes.indexOf(lineFeed, at);
  const cut = at + maxMessageBytes;
  if (end >= 0 && end <= cut) return { start: at, end, next: end + 1 };
  return bytes.length > cut ? { start: at, end: cut, next: cut } : undefined;
}

/** The length in front of a message, which begins with its priority. */
function readCount(bytes: Uint8Array, at: number): { readonly length: number; readonly start: number } | undefined {
  let length = 0;
  for (let index = at; index < at + 6; index++) {
    const byte = bytes[index];
    if (byte === undefined) return undefined;
    if (byte === space) {
      const isCount = index > at && bytes[index + 1] === lessThan && length <= maxMessageBytes;
      return isCount ? { length, start: index + 1 } : undefined;
    }
    if (byte < 48 || byte > 57 || (index === at && byte === 48)) return undefined;
    length = length * 10 + byte - 48;
  }
  return undefined;
}
