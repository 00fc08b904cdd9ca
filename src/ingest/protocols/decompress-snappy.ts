import { BodyError } from "../../engines/contract/query-engine.ts";

/**
 * The longest copy that one element of the format can ask for, and the bytes that the element itself takes at least.
 */
const maxGrowth = 64 / 3;

/**
 * Decodes Snappy's block format (google/snappy, `format_description.txt`). No length is trusted before it was checked
 * against the actual bytes, and no more memory is allocated than these can decode to. Throws `invalid_body` and
 * `body_too_large`.
 */
export function decompressSnappy(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const { length, start } = readLength(bytes);
  if (length > maxBytes) throw new BodyError("body_too_large", `The body is larger than ${maxBytes} bytes`);
  if (length > bytes.length * maxGrowth) throw broken("it promises more than its bytes can unpack to");
  const output = new Uint8Array(length);
  let at = start;
  let written = 0;
  while (at < bytes.length) {
    const { isLiteral, size, offset, next } = readElement(bytes, at);
    if (written + size > length) throw broken("it unpacks to more than it promises");
    if (isLiteral) {
      if (next + size > bytes.length) throw broken("it is cut off");
      output.set(bytes.subarray(next, next + size), written);
      at = next + size;
    } else {
      if (next > bytes.length) throw broken("it is cut off");
      if (offset === 0 || offset > written) throw broken("a copy points before its beginning");
      copyWithin(output, written, offset, size);
      at = next;
    }
    written += size;
  }
  if (written !== length) throw broken("it is cut off");
  return output;
}

function broken(why: string): BodyError {
  return new BodyError("invalid_body", `The body is not valid snappy: ${why}`);
}

/** The varint at the beginning: how long the whole is. */
function readLength(bytes: Uint8Array): { readonly length: number; readonly start: number } {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[index];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { length, start: index + 1 };
  }
  throw broken("it has no length");
}

interface Element {
  readonly isLiteral: boolean;
  readonly size: number;
  /** In a copy: how far back it begins. */
  readonly offset: number;
  /** Where a literal's bytes begin, or the next element. */
  readonly next: number;
}

function readElement(bytes: Uint8Array, at: number): Element {
  const tag = bytes[at] ?? 0;
  switch (tag & 3) {
    case 0: {
      const short = tag >>> 2;
      if (short < 60) return { isLiteral: true, size: short + 1, offset: 0, next: at + 1 };
      const width = short - 59;
      return { isLiteral: true, size: readUint(bytes, at + 1, width) + 1, offset: 0, next: at + 1 + width };
    }
    case 1: {
      const offset = ((tag >>> 5) << 8) | readUint(bytes, at + 1, 1);
      return { isLiteral: false, size: ((tag >>> 2) & 7) + 4, offset, next: at + 2 };
    }
    default: {
      const width = (tag & 3) === 2 ? 2 : 4;
      return { isLiteral: false, size: (tag >>> 2) + 1, offset: readUint(bytes, at + 1, width), next: at + 1 + width };
    }
  }
}

/** A little-endian integer; bytes that are not there count as 0, which the caller's bounds find. */
function readUint(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = 0; index < width; index++) value += (bytes[at + index] ?? 0) * 2 ** (8 * index);
  return value;
}

/** Byte by byte where the copy reads what it writes. */
function copyWithin(output: Uint8Array, at: number, offset: number, size: number): void {
  if (offset >= size) output.copyWithin(at, at - offset, at - offset + size);
  else for (let index = 0; index < size; index++) output[at + index] = output[at + index - offset] ?? 0;
}
