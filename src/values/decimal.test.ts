import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BIGNUMERIC_DECIMAL,
  decimalFromDouble,
  decimalToDouble,
  divideRounded,
  formatDecimal,
  NUMERIC_DECIMAL,
  parseDecimal,
  type RoundingMode,
} from "./decimal.ts";

const bignumeric = fc.bigInt({ min: BIGNUMERIC_DECIMAL.min, max: BIGNUMERIC_DECIMAL.max });

describe("a decimal as a scaled integer", () => {
  it.each([
    ["0", 0n],
    ["1", 1_000_000_000n],
    ["-1.5", -1_500_000_000n],
    [".5", 500_000_000n],
    ["5.", 5_000_000_000n],
    ["+1e3", 1_000_000_000_000n],
    [" 12.5E-1 ", 1_250_000_000n],
    ["0.0000000005", 1n],
    ["-0.0000000005", -1n],
    ["0.00000000049999", 0n],
    ["99999999999999999999999999999.999999999", 10n ** 38n - 1n],
    ["0e999999999", 0n],
    ["1e-999999999", 0n],
  ])("is parsed from %j as a NUMERIC", (text, expected) => {
    expect(parseDecimal(text, NUMERIC_DECIMAL)).toBe(expected);
  });

  it.each([
    "",
    ".",
    "-",
    "1e",
    "1.2.3",
    "0x10",
    "NaN",
    "1 2",
    "1e999999999",
    "99999999999999999999999999999.9999999995",
    "1e29",
    "--7",
    "e5",
    `${"9".repeat(100_000)}.5`,
  ])("is not parsed from %j", (text) => {
    expect(parseDecimal(text, NUMERIC_DECIMAL)).toBeUndefined();
  });

  it("is read to the last digit of its range", () => {
    for (const type of [NUMERIC_DECIMAL, BIGNUMERIC_DECIMAL]) {
      for (const [limit, beyond] of [
        [type.min, type.min - 1n],
        [type.max, type.max + 1n],
      ] as const) {
        expect(parseDecimal(`${limit}e-${type.scale}`, type)).toBe(limit);
        expect(parseDecimal(`${beyond}e-${type.scale}`, type)).toBeUndefined();
      }
    }
  });

  it("parses back from its own text, which is exact", () => {
    fc.assert(
      fc.property(bignumeric, (value) => {
        expect(parseDecimal(formatDecimal(value, BIGNUMERIC_DECIMAL), BIGNUMERIC_DECIMAL, true)).toBe(value);
      }),
    );
  });

  it("is rounded as the quotient of its digits by a power of ten, unless it has to be exact", () => {
    const digits = fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 60 }), (value, exponent) => {
        const unit = 10n ** BigInt(exponent);
        const scaled = value * NUMERIC_DECIMAL.one;
        const rounded = divideRounded(scaled, unit);
        const isWithin = rounded >= NUMERIC_DECIMAL.min && rounded <= NUMERIC_DECIMAL.max;
        const [text, expected] = [`${value}e-${exponent}`, isWithin ? rounded : undefined];
        expect(parseDecimal(text, NUMERIC_DECIMAL)).toBe(expected);
        expect(parseDecimal(text, NUMERIC_DECIMAL, true)).toBe(scaled % unit === 0n ? expected : undefined);
      }),
    );
  });

  it.each([
    ["1.1000000000", 1_100_000_000n],
    ["1.0000000001", undefined],
    ["0.00000000001", undefined],
    ["1e-999999999", undefined],
    ["0e-99", 0n],
  ])("is read from %j only if that is exact", (text, expected) => {
    expect(parseDecimal(text, NUMERIC_DECIMAL, true)).toBe(expected);
  });

  it("is written without trailing zeros", () => {
    expect(formatDecimal(-1_500_000_000n, NUMERIC_DECIMAL)).toBe("-1.5");
    expect(formatDecimal(100_000_000_000n, NUMERIC_DECIMAL)).toBe("100");
    expect(formatDecimal(-1n, NUMERIC_DECIMAL)).toBe("-0.000000001");
  });

  it.each<[RoundingMode, bigint[]]>([
    ["ROUND_HALF_AWAY_FROM_ZERO", [3n, -3n, 2n, -2n, 4n, -4n]],
    ["ROUND_HALF_EVEN", [2n, -2n, 2n, -2n, 4n, -4n]],
    ["TRUNCATE", [2n, -2n, 2n, -2n, 3n, -3n]],
    ["FLOOR", [2n, -3n, 2n, -3n, 3n, -4n]],
    ["CEILING", [3n, -2n, 3n, -2n, 4n, -3n]],
  ])("is divided with the mode %s", (mode, expected) => {
    const numerators = [25n, -25n, 24n, -24n, 35n, -35n];
    expect(numerators.map((numerator) => divideRounded(numerator, 10n, mode))).toEqual(expected);
    expect(numerators.map((numerator) => divideRounded(-numerator, -10n, mode))).toEqual(expected);
  });

  it("converts from the exact value of a double", () => {
    const digits = decimalFromDouble(0.1, BIGNUMERIC_DECIMAL) ?? 0n;
    expect(formatDecimal(digits, BIGNUMERIC_DECIMAL)).toBe("0.10000000000000000555111512312578270212");
    expect(decimalFromDouble(5e-324, NUMERIC_DECIMAL)).toBe(0n);
    expect(decimalFromDouble(-2.5, NUMERIC_DECIMAL)).toBe(-2_500_000_000n);
    expect(decimalFromDouble(1e30, NUMERIC_DECIMAL)).toBeUndefined();
    expect(decimalFromDouble(Number.NaN, NUMERIC_DECIMAL)).toBeUndefined();
  });

  it("converts to the nearest double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e20, max: 1e20 }), (value) => {
        const exact = decimalFromDouble(value, BIGNUMERIC_DECIMAL) ?? 0n;
        expect(Math.abs(decimalToDouble(exact, BIGNUMERIC_DECIMAL) - value)).toBeLessThanOrEqual(1e-38);
      }),
    );
  });
});
