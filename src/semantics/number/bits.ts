import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

const BITS = 64n;

function checkShift(count: bigint): void {
  if (count < 0n) throw new Error("Bitwise shift by a negative number");
}

/** Vacant bits are 0 on both sides: the sign bit is a bit like others. */
function shiftInteger(value: bigint, count: bigint, isLeft: boolean): bigint {
  checkShift(count);
  if (count >= BITS) return 0n;
  return BigInt.asIntN(64, isLeft ? value << count : BigInt.asUintN(64, value) >> count);
}

/** The length stays. */
function shiftBytes(bytes: Uint8Array, count: bigint, isLeft: boolean): Uint8Array {
  checkShift(count);
  const result = new Uint8Array(bytes.length);
  if (count >= BigInt(bytes.length) * 8n) return result;
  const whole = Number(count / 8n);
  const rest = Number(count % 8n);
  for (let i = 0; i < bytes.length; i++) {
    if (isLeft) {
      result[i] = ((bytes[i + whole] ?? 0) << rest) | ((bytes[i + whole + 1] ?? 0) >> (8 - rest));
    } else {
      result[i] = ((bytes[i - whole] ?? 0) >> rest) | ((bytes[i - whole - 1] ?? 0) << (8 - rest));
    }
  }
  return result;
}

function combine(left: Uint8Array, right: Uint8Array, each: (l: number, r: number) => number): Uint8Array {
  if (left.length !== right.length) throw new Error("Bitwise operators on BYTES need values of equal length");
  return left.map((byte, index) => each(byte, right[index] ?? 0));
}

/**
 * LIKE on bytes: `%` and `_` count bytes, a backslash takes the next byte as it is. Linear but for `%`, where it goes
 * back to the last one only.
 */
function likeBytes(value: Uint8Array, pattern: Uint8Array): boolean {
  const PERCENT = 0x25;
  const UNDERSCORE = 0x5f;
  const BACKSLASH = 0x5c;
  const end = pattern.findLastIndex((byte) => byte !== BACKSLASH);
  if ((pattern.length - 1 - end) % 2 === 1) throw new Error("LIKE pattern ends with a backslash");
  let at = 0;
  let p = 0;
  let lastPercent = -1;
  let retry = 0;
  while (at < value.length || p < pattern.length) {
    const symbol = pattern[p];
    if (symbol === PERCENT) {
      lastPercent = p++;
      retry = at;
      continue;
    }
    const isEscape = symbol === BACKSLASH;
    const literal = isEscape ? pattern[p + 1] : symbol;
    const matches =
      at < value.length && p < pattern.length && (literal === value[at] || (!isEscape && symbol === UNDERSCORE));
    if (matches) {
      at++;
      p += isEscape ? 2 : 1;
    } else if (lastPercent !== -1 && retry < value.length) {
      at = ++retry;
      p = lastPercent + 1;
    } else return false;
  }
  return true;
}

/** Shifts, and bitwise operators and LIKE on BYTES, which DuckDB lacks or computes otherwise. */
export const bitFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_shift_left", ["INT64", "INT64"], "INT64", (value, count) => shiftInteger(value, count, true)),
  defineFunction("lw_shift_right", ["INT64", "INT64"], "INT64", (value, count) => shiftInteger(value, count, false)),
  defineFunction("lw_bytes_shift_left", ["BYTES", "INT64"], "BYTES", (bytes, count) => shiftBytes(bytes, count, true)),
  defineFunction("lw_bytes_shift_right", ["BYTES", "INT64"], "BYTES", (bytes, count) =>
    shiftBytes(bytes, count, false),
  ),
  defineFunction("lw_bytes_and", ["BYTES", "BYTES"], "BYTES", (l, r) => combine(l, r, (a, b) => a & b)),
  defineFunction("lw_bytes_or", ["BYTES", "BYTES"], "BYTES", (l, r) => combine(l, r, (a, b) => a | b)),
  defineFunction("lw_bytes_xor", ["BYTES", "BYTES"], "BYTES", (l, r) => combine(l, r, (a, b) => a ^ b)),
  defineFunction("lw_bytes_not", ["BYTES"], "BYTES", (bytes) => bytes.map((byte) => ~byte & 0xff), NEVER_FAILS),
  defineFunction("lw_bytes_like", ["BYTES", "BYTES"], "BOOL", likeBytes),
];
