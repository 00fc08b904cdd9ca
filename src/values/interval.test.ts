import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInterval, INTERVAL_UNITS, intervalOf, parseInterval, parseIntervalParts } from "./interval.ts";

describe("the reader of INTERVAL text", () => {
  it.each([
    ["1-2 3 4:5:6.789999", "1-2 3 4:5:6.789999"],
    ["-1-2 -3 -4:5:6", "-1-2 -3 -4:5:6"],
    ["1-2 3 4:5", "1-2 3 4:5:0"],
    ["1-2 3 4", "1-2 3 4:0:0"],
    ["1-2 3", "1-2 3 0:0:0"],
    ["1-14", "2-2 0 0:0:0"],
    ["2 3 4", "0-2 3 4:0:0"],
    ["2 3 4:5:6", "0-2 3 4:5:6"],
    ["3 4:5", "0-0 3 4:5:0"],
    ["3 -4:5:6.5", "0-0 3 -4:5:6.500"],
    ["100:5:6", "0-0 0 100:5:6"],
    ["P1Y2M3DT4H5M6.5S", "1-2 3 4:5:6.500"],
    ["P-1W2D", "0-0 -5 0:0:0"],
    ["PT-0.5S", "0-0 0 -0:0:0.500"],
    ["10000-0 3660000 87840000:0:0", "10000-0 3660000 87840000:0:0"],
  ])("reads %j as %j", (text, expected) => {
    expect(formatInterval(parseInterval(text))).toBe(expected);
  });

  it.each(["", "1", "1 2", "abc", "1-2-3", " 1-2", "P", "P1", "PT", "P1H", "1-2 3 4:5:6.", "P1.5D"])(
    "rejects %j",
    (text) => {
      expect(() => parseInterval(text)).toThrow("Invalid INTERVAL value");
    },
  );

  it.each(["10000-1", "0-0 3660001 0:0:0", "0-0 0 87840000:0:0.000001"])("rejects %j as out of range", (text) => {
    expect(() => parseInterval(text)).toThrow("is out of range");
  });

  it.each<[string, string, string | undefined, string]>([
    ["3", "YEAR", undefined, "3-0 0 0:0:0"],
    ["-7", "QUARTER", undefined, "-1-9 0 0:0:0"],
    ["3", "MONTH", undefined, "0-3 0 0:0:0"],
    ["3", "WEEK", undefined, "0-0 21 0:0:0"],
    ["+3", "DAY", undefined, "0-0 3 0:0:0"],
    ["3", "HOUR", undefined, "0-0 0 3:0:0"],
    ["61", "MINUTE", undefined, "0-0 0 1:1:0"],
    ["-1.5", "SECOND", undefined, "0-0 0 -0:0:1.500"],
    [".25", "SECOND", undefined, "0-0 0 0:0:0.250"],
    ["1.1234567", "SECOND", undefined, "0-0 0 0:0:1.123456"],
    ["3", "MILLISECOND", undefined, "0-0 0 0:0:0.003"],
    ["3", "MICROSECOND", undefined, "0-0 0 0:0:0.000003"],
    ["1-2", "YEAR", "MONTH", "1-2 0 0:0:0"],
    ["-1-2", "YEAR", "MONTH", "-1-2 0 0:0:0"],
    ["1-2 3", "YEAR", "DAY", "1-2 3 0:0:0"],
    ["1-2 -3 4", "YEAR", "HOUR", "1-2 -3 4:0:0"],
    ["1-2 3 4:5", "YEAR", "MINUTE", "1-2 3 4:5:0"],
    ["-1-2 3 -4:5:6.7", "YEAR", "SECOND", "-1-2 3 -4:5:6.700"],
    ["-3 12", "MONTH", "DAY", "-0-3 12 0:0:0"],
    ["-5 3 -4", "MONTH", "HOUR", "-0-5 3 -4:0:0"],
    ["5 3 4:5:6", "MONTH", "SECOND", "0-5 3 4:5:6"],
    ["3 -4", "DAY", "HOUR", "0-0 3 -4:0:0"],
    ["1 2:3", "DAY", "MINUTE", "0-0 1 2:3:0"],
    ["+3 4:5:6.789", "DAY", "SECOND", "0-0 3 4:5:6.789"],
    ["-4:5", "HOUR", "MINUTE", "0-0 0 -4:5:0"],
    ["-61:61", "MINUTE", "SECOND", "0-0 0 -1:2:1"],
    ["-5:6.5", "MINUTE", "SECOND", "0-0 0 -0:5:6.500"],
  ])("reads %j from %s to %s as %j", (text, from, to, expected) => {
    expect(formatInterval(parseIntervalParts(text, from, to))).toBe(expected);
  });

  it.each<[string, string, string | undefined]>([
    ["1.5", "DAY", undefined],
    ["x1", "SECOND", undefined],
    ["1x", "SECOND", undefined],
    ["1.", "SECOND", undefined],
    ["1.1234567890", "SECOND", undefined],
    ["", "SECOND", undefined],
    ["--1", "SECOND", undefined],
    ["1", "CENTURY", undefined],
    ["1", "DAY", "DAY"],
    ["1", "WEEK", "DAY"],
    ["1-2", "MONTH", "YEAR"],
    ["1", "YEAR", "MONTH"],
    ["1 2", "YEAR", "DAY"],
    ["x3 4", "DAY", "HOUR"],
    ["3 4x", "DAY", "HOUR"],
    ["3  4", "DAY", "HOUR"],
  ])("reads no interval in %j from %s to %s", (text, from, to) => {
    expect(() => parseIntervalParts(text, from, to)).toThrow(`Invalid INTERVAL value '${text}'`);
  });

  it("limits each part to its own range", () => {
    const limits = { MONTH: 120_000n, DAY: 3_660_000n, MICROSECOND: 316_224_000_000_000_000n };
    for (const [part, limit] of Object.entries(limits)) {
      for (const sign of [1n, -1n]) {
        expect(intervalOf(sign * limit, part)).toBeDefined();
        expect(() => intervalOf(sign * (limit + 1n), part)).toThrow("is out of range");
      }
    }
    expect(() => parseIntervalParts("10001-0", "YEAR", "MONTH")).toThrow("is out of range");
    expect(() => parseIntervalParts("316224000000.5", "SECOND")).toThrow("is out of range");
    expect(() => intervalOf(1n, "CENTURY")).toThrow("Invalid INTERVAL value '1 CENTURY'");
  });

  it("counts each date part as its reference says", () => {
    for (const part of INTERVAL_UNITS.keys()) expect(intervalOf(7n, part)).toEqual(parseIntervalParts("7", part));
  });

  it("reads back every interval that it writes", () => {
    const parts = fc.record({
      months: fc.integer({ min: -120_000, max: 120_000 }),
      days: fc.integer({ min: -3_660_000, max: 3_660_000 }),
      micros: fc.bigInt({ min: -316_224_000_000_000_000n, max: 316_224_000_000_000_000n }),
    });
    fc.assert(
      fc.property(parts, (interval) => {
        expect(parseInterval(formatInterval(interval))).toEqual(interval);
      }),
    );
  });
});
