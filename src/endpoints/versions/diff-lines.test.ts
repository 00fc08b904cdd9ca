import fc from "fast-check";
import { expect, it } from "vitest";
import { type DiffLine, diffLines } from "./compare-versions.ts";

const show = (lines: readonly DiffLine[]) => lines.map(({ op, text }) => op + text);

it("diffLines returns common, removed and added lines in order", () => {
  expect(show(diffLines("a\nb\nc\nd", "a\nx\nc\nd\ne"))).toEqual([" a", "-b", "+x", " c", " d", "+e"]);
  expect(show(diffLines("a", "a"))).toEqual([" a"]);
  expect(show(diffLines("", "a"))).toEqual(["-", "+a"]);
  expect(show(diffLines("a\r\nb", "a\nb"))).toEqual([" a", " b"]);
});

it("diffLines reproduces both texts, and marks no line of equal texts", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const of = (op: string) => lines.filter((line) => line.op === op || line.op === " ").map((line) => line.text);
      expect(of("-").join("\n")).toBe(before);
      expect(of("+").join("\n")).toBe(after);
      if (before === after) expect(lines.every(({ op }) => op === " ")).toBe(true);
    }),
    { seed: 7 },
  );
});

it("diffLines handles long texts without common lines", () => {
  const text = (word: string) => Array.from({ length: 5_000 }, (_, index) => word + index).join("\n");
  expect(diffLines(text("a"), text("b"))).toHaveLength(10_000);
});
