import { describe, expect, it } from "vitest";
import { computeOnce, isRepeatable, literalInteger } from "./compute-once.ts";

describe("computeOnce", () => {
  it.each([
    "c1",
    "CAST(s1.c1_x AS DOUBLE)",
    '"a ""b"" c".x',
    "t.c1",
    "5",
    "5::BIGINT",
    "(-5)::BIGINT",
    "'it''s'",
    "CAST('1.5' AS DECIMAL(38, 9))",
    "$1",
    "NULL",
  ])("repeats %s as it is", (sql) => {
    expect(isRepeatable(sql)).toBe(true);
    expect(computeOnce([sql], "f", (value) => `${value} + ${value}`)).toBe(`(${sql} + ${sql})`);
  });

  it.each(["random()", "a + b", "'a' || 'b'", "CAST(c1 AS BIGINT)", "f('a')", "'a'; --"])("binds %s", (sql) => {
    expect(isRepeatable(sql)).toBe(false);
    expect(computeOnce([sql], "f", (value) => `${value} + ${value}`)).toBe(
      `list_transform([{'a0': ${sql}}], lambda lw_f: lw_f.a0 + lw_f.a0)[1]`,
    );
  });

  it("binds columns beside what is not repeatable, and no constants", () => {
    expect(computeOnce(["c", "f(1)", "2"], "m", (a, b, c) => `${a}, ${b}, ${c}`)).toBe(
      "list_transform([{'a0': c, 'a1': f(1)}], lambda lw_m: lw_m.a0, lw_m.a1, 2)[1]",
    );
  });

  it("reads printed integers", () => {
    expect(literalInteger("(-5)::BIGINT")).toBe(-5n);
    expect(literalInteger("17::BIGINT")).toBe(17n);
    expect(literalInteger("17.5")).toBeUndefined();
    expect(literalInteger("c1")).toBeUndefined();
  });
});
