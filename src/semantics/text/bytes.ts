/** BYTES: conversions, encodings and hashes that DuckDB lacks. */

import { createHash } from "node:crypto";
import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { trimEnd } from "../../values/trim-end.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { farmFingerprint } from "./farm-fingerprint.ts";

/**
 * A string of one character, U+0000 to U+00FF, for each byte: what is right for such a string is right for the bytes.
 */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The inverse of `toLatin1`. */
function fromLatin1(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

function mapAscii(bytes: Uint8Array, from: number, distance: number): Uint8Array {
  return bytes.map((byte) => (byte >= from && byte < from + 26 ? byte + distance : byte));
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 base32 with padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let result = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    for (; bitCount >= 5; bitCount -= 5) result += BASE32[(bits >> (bitCount - 5)) & 31];
  }
  if (bitCount > 0) result += BASE32[(bits << (5 - bitCount)) & 31];
  return result.padEnd(Math.ceil(result.length / 8) * 8, "=");
}

/** The bytes of base32 digits; bits that make no whole byte are left out. Undefined for any other character. */
export function decodeDigits(digits: string): Uint8Array | undefined {
  const result: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const digit of digits) {
    const value = BASE32.indexOf(digit);
    if (value === -1) return undefined;
    bits = ((bits << 5) | value) & 0xfff;
    bitCount += 5;
    if (bitCount >= 8) {
      bitCount -= 8;
      result.push((bits >> bitCount) & 0xff);
    }
  }
  return Uint8Array.from(result);
}

/** Throws for a character outside the alphabet, or a length that no encoding has. */
export function decodeBase32(text: string): Uint8Array {
  const digits = trimEnd(text, "=");
  const isPadded = digits.length === text.length || text.length % 8 === 0;
  const bytes = isPadded && ![1, 3, 6].includes(digits.length % 8) ? decodeDigits(digits) : undefined;
  if (bytes === undefined) throw new Error("Failed to decode invalid base32 string");
  return bytes;
}

/**
 * RFC 4648 base64; white space is skipped and padding may be left out. Throws for anything else outside the alphabet.
 */
export function decodeBase64(text: string): Uint8Array {
  const digits = text.replace(/\s/g, "");
  const match = /^([A-Za-z0-9+/]*)(=*)$/.exec(digits);
  const body = match?.[1] ?? "";
  const padding = match?.[2]?.length ?? 0;
  const isWhole = padding === 0 || (body.length + padding) % 4 === 0;
  if (match === null || !isWhole || padding > 2 || body.length % 4 === 1) {
    throw new Error("Failed to decode invalid base64 string");
  }
  return Buffer.from(body, "base64");
}

function fromCodePoints(values: readonly (bigint | null)[]): string | null {
  let result = "";
  for (const value of values) {
    if (value === null) return null;
    if (value < 0n || value > 0x10ffffn || (value >= 0xd800n && value <= 0xdfffn)) {
      throw new Error(`Invalid codepoint ${value}`);
    }
    result += String.fromCodePoint(Number(value));
  }
  return result;
}

function fromByteValues(values: readonly (bigint | null)[]): Uint8Array | null {
  const bytes = new Uint8Array(values.length);
  for (const [index, value] of values.entries()) {
    if (value === null) return null;
    if (value < 0n || value > 255n) throw new Error(`Invalid value for a byte: ${value}`);
    bytes[index] = Number(value);
  }
  return bytes;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** The length of the UTF-8 sequence that a byte begins; 1 where it begins none. */
function sequenceLength(byte: number): number {
  return byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** BIT_COUNT of BYTES: DuckDB has no empty bit string. */
function countBits(bytes: Uint8Array): bigint {
  let count = 0;
  for (const byte of bytes) {
    for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  }
  return BigInt(count);
}

/** The text of UTF-8 bytes; each invalid byte becomes one replacement character. */
function safeText(bytes: Uint8Array): string {
  const whole = decode(bytes);
  if (whole !== undefined) return whole;
  let result = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const character = at + length <= bytes.length ? decode(bytes.subarray(at, at + length)) : undefined;
    result += character ?? "\ufffd";
    at += character === undefined ? 1 : length;
  }
  return result;
}

export const bytesFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_latin1", ["BYTES"], "STRING", toLatin1, NEVER_FAILS),
  defineFunction("lw_latin1_bytes", ["STRING"], "BYTES", fromLatin1),
  defineFunction("lw_upper_bytes", ["BYTES"], "BYTES", (bytes) => mapAscii(bytes, 97, -32), NEVER_FAILS),
  defineFunction("lw_lower_bytes", ["BYTES"], "BYTES", (bytes) => mapAscii(bytes, 65, 32), NEVER_FAILS),
  defineFunction("lw_reverse_bytes", ["BYTES"], "BYTES", (bytes) => Uint8Array.from(bytes).reverse(), NEVER_FAILS),
  defineFunction("lw_safe_text", ["BYTES"], "STRING", safeText, NEVER_FAILS),
  defineFunction(
    "lw_code_points",
    ["STRING"],
    "INT64[]",
    (text) => [...text].map((character) => BigInt(character.codePointAt(0) ?? 0)),
    NEVER_FAILS,
  ),
  defineFunction("lw_bit_count", ["BYTES"], "INT64", countBits, NEVER_FAILS),
  defineFunction("lw_byte_values", ["BYTES"], "INT64[]", (bytes) => Array.from(bytes, BigInt), NEVER_FAILS),
  defineFunction("lw_from_code_points", ["INT64[]"], "STRING", fromCodePoints),
  defineFunction("lw_from_byte_values", ["INT64[]"], "BYTES", fromByteValues),
  defineFunction("lw_to_base32", ["BYTES"], "STRING", encodeBase32, NEVER_FAILS),
  defineFunction("lw_from_base32", ["STRING"], "BYTES", decodeBase32),
  defineFunction("lw_from_base64", ["STRING"], "BYTES", decodeBase64),
  defineFunction("lw_sha512", ["BYTES"], "BYTES", (bytes) => createHash("sha512").update(bytes).digest(), NEVER_FAILS),
  defineFunction("lw_farm_fingerprint", ["BYTES"], "INT64", farmFingerprint, NEVER_FAILS),
];
