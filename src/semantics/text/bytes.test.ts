import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase32, decodeBase64, encodeBase32 } from "./bytes.ts";
import { farmFingerprint } from "./farm-fingerprint.ts";
import { normalizeAndCasefold } from "./unicode-text.ts";

describe("base32", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeBase32(encodeBase32(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each(["A", "ABC", "ABCDEF", "AB=", "a", "A1======"])("rejects %s", (text) => {
    expect(() => decodeBase32(text)).toThrow("invalid base32");
  });
});

describe("decodeBase64", () => {
  it("accepts missing padding and white space, and rejects other malformed text", () => {
    expect(Buffer.from(decodeBase64("aGVs\nbG8")).toString()).toBe("hello");
    for (const text of ["a", "ab=", "ab===", "a-b_", "=abc"])
      expect(() => decodeBase64(text)).toThrow("invalid base64");
  });
});

describe("farmFingerprint", () => {
  // Values of the reference implementation in C++.
  it.each([
    [0, -7286425919675154353n],
    [1, -78300442537744119n],
    [2, -6729330591238115614n],
    [3, 587641514288062396n],
    [5, -3568843048241644362n],
    [9, 2345324454234571926n],
    [16, -1054172189957056169n],
    [17, 5354243811350913583n],
  ])("matches the reference for 8 letters repeated %d times", (count, fingerprint) => {
    expect(farmFingerprint(Buffer.from("abcdefgh".repeat(count)))).toBe(fingerprint);
  });
});

describe("normalizeAndCasefold", () => {
  it.each([
    ["ẞ", "ss"],
    ["ς", "σ"],
    ["İ", "i̇"],
    ["ı", "ı"],
    ["ŉ", "ʼn"],
    ["K", "k"],
  ])("folds %s", (text, folded) => {
    expect(normalizeAndCasefold(text, "NFC")).toBe(folded);
  });

  it("is idempotent", () => {
    for (const text of ["Straße ﬁ Ⅸ", "ΟΔΟΣ ᾳ ΐ", "ǰ ŉ ẛ ſ", "Å \u0041\u030A"]) {
      const folded = normalizeAndCasefold(text, "NFKC");
      expect(normalizeAndCasefold(folded, "NFKC")).toBe(folded);
    }
  });
});
