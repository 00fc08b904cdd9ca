import { describe, expect, it } from "vitest";
import { formatInterval } from "./calendar.ts";
import { type IntervalPart, parseIntervalParts, parseIntervalText, parseSingleInterval } from "./interval-text.ts";

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
    expect(formatInterval(parseIntervalText(text))).toBe(expected);
  });

  it.each(["", "1", "1 2", "abc", "1-2-3", " 1-2", "P", "P1", "PT", "P1H", "1-2 3 4:5:6.", "P1.5D"])(
    "rejects %j",
    (text) => {
      expect(() => parseIntervalText(text)).toThrow("Invalid INTERVAL value");
    },
  );

  it.each(["10000-1", "0-0 3660001 0:0:0", "0-0 0 87840000:0:0.000001"])("rejects %j as out of range", (text) => {
    expect(() => parseIntervalText(text)).toThrow("is out of range");
  });

  it.each<[string, IntervalPart, IntervalPart, string]>([
    ["1-2", "YEAR", "MONTH", "1-2 0 0:0:0"],
    ["-3 12", "MONTH", "DAY", "-0-3 12 0:0:0"],
    ["1 2:3", "DAY", "MINUTE", "0-0 1 2:3:0"],
    ["-61:61", "MINUTE", "SECOND", "0-0 0 -1:2:1"],
  ])("reads %j from %s to %s as %j", (text, from, to, expected) => {
    expect(formatInterval(parseIntervalParts(text, from, to))).toBe(expected);
  });

  it("reads a fraction only in the unit SECOND", () => {
    expect(formatInterval(parseSingleInterval("-1.5", "SECOND"))).toBe("0-0 0 -0:0:1.500");
    expect(() => parseSingleInterval("1.5", "DAY")).toThrow("Invalid INTERVAL value '1.5'");
  });
});
