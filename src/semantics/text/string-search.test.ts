import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, findOccurrence, translate } from "./string-search.ts";

describe("findOccurrence", () => {
  it("agrees with indexOf from a position", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 8 });
    const wanted = fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(text, wanted, fc.integer({ min: 1, max: 8 }), (value, search, position) => {
        const characters = [...value];
        const from = characters.slice(0, position - 1).join("").length;
        const index = position > characters.length ? -1 : value.indexOf(search, from);
        const expected = index === -1 ? 0 : [...value.slice(0, index)].length + 1;
        expect(findOccurrence(value, search, BigInt(position), 1n)).toBe(BigInt(expected));
      }),
    );
  });

  it("searches backwards from a negative position, and counts overlapping matches", () => {
    expect(findOccurrence("aaaa", "aa", -1n, 1n)).toBe(3n);
    expect(findOccurrence("aaaa", "aa", -1n, 3n)).toBe(1n);
    expect(findOccurrence("aaaa", "aa", -5n, 1n)).toBe(0n);
  });
});

describe("translate", () => {
  it("removes characters without a counterpart and rejects repeated ones", () => {
    expect(translate("a😀b", "😀b", "x")).toBe("ax");
    expect(() => translate("a", "bb", "cd")).toThrow("duplicate character");
  });
});

describe("editDistance", () => {
  it("is symmetric and at most the length of the longer text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 6 });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const distance = editDistance(left, right, null);
        expect(editDistance(right, left, null)).toBe(distance);
        expect(Number(distance)).toBeLessThanOrEqual(Math.max([...left].length, [...right].length));
        expect(distance === 0n).toBe(left === right);
      }),
    );
  });

  it("rejects texts whose comparison would take minutes", () => {
    expect(() => editDistance("a".repeat(50_000), "b".repeat(50_000), null)).toThrow("too long");
  });
});
