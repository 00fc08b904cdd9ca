import { describe, expect, it } from "vitest";
import type { ScalarValue } from "../scalar-function.ts";
import { bitFunctions } from "./bits.ts";

function call(name: string, ...values: ScalarValue[]): ScalarValue | null | undefined {
  return bitFunctions.find((udf) => udf.name === name)?.call(...values);
}

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (value: string) => new TextEncoder().encode(value);

describe("shifts of integers", () => {
  it.each([
    ["lw_shift_left", 1n, 63n, -(2n ** 63n)],
    ["lw_shift_left", 1n, 64n, 0n],
    ["lw_shift_left", -1n, 1n, -2n],
    ["lw_shift_right", -8n, 1n, 9223372036854775804n],
    ["lw_shift_right", -1n, 63n, 1n],
    ["lw_shift_right", 5n, 2n ** 40n, 0n],
    ["lw_shift_right", 5n, 0n, 5n],
  ])("%s(%s, %s) is %s", (name, value, count, result) => {
    expect(call(name, value, count)).toBe(result);
  });

  it("fail for a negative count", () => {
    expect(() => call("lw_shift_left", 1n, -1n)).toThrow("negative");
    expect(() => call("lw_bytes_shift_right", bytes(1), -1n)).toThrow("negative");
  });
});

describe("operators on bytes", () => {
  it("shift across bytes and preserve the length", () => {
    expect(call("lw_bytes_shift_left", bytes(1, 2, 3), 4n)).toEqual(bytes(0x10, 0x20, 0x30));
    expect(call("lw_bytes_shift_left", bytes(1, 2, 3), 12n)).toEqual(bytes(0x20, 0x30, 0));
    expect(call("lw_bytes_shift_right", bytes(1, 2, 3), 12n)).toEqual(bytes(0, 0, 0x10));
    expect(call("lw_bytes_shift_right", bytes(1, 2), 8n)).toEqual(bytes(0, 1));
    expect(call("lw_bytes_shift_left", bytes(1, 2), 16n)).toEqual(bytes(0, 0));
    expect(call("lw_bytes_shift_left", bytes(), 1n)).toEqual(bytes());
  });

  it("combine values of the same length byte by byte", () => {
    expect(call("lw_bytes_and", bytes(0x0f), bytes(0x3c))).toEqual(bytes(0x0c));
    expect(call("lw_bytes_or", bytes(0x0f), bytes(0x30))).toEqual(bytes(0x3f));
    expect(call("lw_bytes_xor", bytes(0x0f), bytes(0xff))).toEqual(bytes(0xf0));
    expect(call("lw_bytes_not", bytes(0x0f, 0xff))).toEqual(bytes(0xf0, 0));
    expect(() => call("lw_bytes_and", bytes(1), bytes(1, 2))).toThrow("equal length");
  });
});

describe("LIKE on bytes", () => {
  it.each([
    ["abc", "abc", true],
    ["abc", "a%", true],
    ["abc", "%c", true],
    ["abc", "%b%", true],
    ["abc", "a_c", true],
    ["abc", "a_", false],
    ["abc", "", false],
    ["", "%", true],
    ["", "", true],
    ["a%c", "a\\%c", true],
    ["abc", "a\\%c", false],
    ["aab", "%ab", true],
    ["aXbXc", "a%b%c", true],
    ["aXbX", "a%b%c", false],
    ["ab", "a%%b", true],
  ])("%j matches %j: %s", (value, pattern, matches) => {
    expect(call("lw_bytes_like", text(value), text(pattern))).toBe(matches);
  });

  it("matches an underscore with one byte, even within a character", () => {
    expect(call("lw_bytes_like", text("é"), text("__"))).toBe(true);
    expect(call("lw_bytes_like", bytes(0xff, 0), bytes(0xff, 0x5f))).toBe(true);
  });

  it("fails for a pattern that ends with a backslash", () => {
    expect(() => call("lw_bytes_like", text("a"), text("a\\"))).toThrow("backslash");
  });

  it("takes little time for a pattern that almost matches everywhere", () => {
    const value = text("a".repeat(20_000));
    expect(call("lw_bytes_like", value, text(`%${"a".repeat(50)}b`))).toBe(false);
  });
});
