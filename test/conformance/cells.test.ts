import { describe, expect, it } from "vitest";
import { isSameCell, isSameRows, type Json } from "./cells.ts";

const same: readonly (readonly [Json, Json])[] = [
  [1, 1],
  [1.000001, 1],
  [{ $f: 1.5 }, 1.5],
  [{ $f: "NaN" }, "NaN"],
  [{ $f: "inf" }, "Infinity"],
  [{ $big: "9223372036854775807" }, "9223372036854775807"],
  [{ $ts: "1970-01-01 00:00:01.5" }, 1_500_000],
  [{ $ts: "1970-01-01 00:00:01+00" }, 1_000_000],
  [null, []],
  [[], null],
  ["1.50", 1.5],
  [
    [{ a: 1 }, { b: null }],
    [1, null],
  ],
  ["x", "x"],
  [true, true],
];
const different: readonly (readonly [Json, Json])[] = [
  [1, 2],
  [1, null],
  [null, 0],
  ["x", "X"],
  [[1, 2], [1]],
  [
    [1, 2],
    [2, 1],
  ],
  [{ $ts: "1970-01-01 00:00:01" }, 1],
  [{ $f: 1.5 }, "x"],
  [true, "true"],
  [{ $f: "NaN" }, 1],
  [{ $f: "inf" }, 1e300],
  [1, "-Infinity"],
  ["Infinity", "-Infinity"],
];

describe("isSameCell", () => {
  it.each(same)("treats %j and %j as equal", (expected, actual) => {
    expect(isSameCell(expected, actual)).toBe(true);
  });
  it.each(different)("treats %j and %j as different", (expected, actual) => {
    expect(isSameCell(expected, actual)).toBe(false);
  });
});

describe("isSameRows", () => {
  it("compares the order only of ordered rows", () => {
    expect(isSameRows([[1], [2]], [[2], [1]], false)).toBe(true);
    expect(isSameRows([[1], [2]], [[2], [1]], true)).toBe(false);
  });
  it("compares unordered rows as multisets", () => {
    expect(isSameRows([[1], [1], [2]], [[1], [2], [2]], false)).toBe(false);
    expect(isSameRows([[1]], [[1], [1]], false)).toBe(false);
    expect(isSameRows([[1, 2]], [[1]], false)).toBe(false);
  });
});
