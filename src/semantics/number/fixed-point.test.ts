import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exponential, FIXED_BITS, logarithm, roundFixed, squareRoot, toFixed } from "./fixed-point.ts";

const DIGITS = 10n ** 50n;

describe("fixed-point functions", () => {
  it("compute e, ln 2 and ln 10 to fifty digits", () => {
    expect(roundFixed(exponential(toFixed(1n, 1n)), DIGITS)).toBe(271828182845904523536028747135266249775724709369996n);
    expect(roundFixed(logarithm(toFixed(2n, 1n)), DIGITS)).toBe(69314718055994530941723212145817656807550013436026n);
    expect(roundFixed(logarithm(toFixed(10n, 1n)), DIGITS)).toBe(230258509299404568401799145468436420760110148862877n);
  });

  it("compute a logarithm that inverts the exponential", () => {
    fc.assert(
      fc.property(fc.integer({ min: -80_000, max: 80_000 }), (thousandths) => {
        const x = toFixed(BigInt(thousandths), 1000n);
        const difference = logarithm(exponential(x)) - x;
        expect(difference < 1n << (FIXED_BITS / 2n) && -difference < 1n << (FIXED_BITS / 2n)).toBe(true);
      }),
    );
  });

  it("agree with doubles", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (n) => {
        const scaled = roundFixed(logarithm(toFixed(BigInt(n), 1000n)), 10n ** 12n);
        expect(Number(scaled) / 1e12).toBeCloseTo(Math.log(n / 1000), 10);
      }),
    );
  });

  it("round values next to a half away from zero", () => {
    const half = toFixed(1n, 2n);
    expect([half, half - 1n, -half, -(half - 1n)].map((value) => roundFixed(value, 1n))).toEqual([1n, 1n, -1n, -1n]);
    expect(roundFixed(toFixed(49n, 100n), 1n)).toBe(0n);
  });

  it("round square roots to the nearest integer", () => {
    expect([0n, 1n, 2n, 3n, 6n, 7n, 10n ** 40n].map(squareRoot)).toEqual([0n, 1n, 1n, 2n, 2n, 3n, 10n ** 20n]);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 120n }), (value) => {
        const root = squareRoot(value);
        // (root - 1/2)^2 < value < (root + 1/2)^2, times four.
        expect(4n * value >= (2n * root - 1n) ** 2n || root === 0n).toBe(true);
        expect(4n * value < (2n * root + 1n) ** 2n).toBe(true);
      }),
    );
  });
});
