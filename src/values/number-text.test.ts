import { describe, expect, it } from "vitest";
import { formatFloat64, parseFloat64, parseInt64 } from "./number-text.ts";

describe("numbers as text", () => {
  it.each([
    [1, "1"],
    [-0, "0"],
    [1.5, "1.5"],
    [0.1, "0.1"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e15, "1e+15"],
    [123456789012345, "123456789012345"],
    [1e20, "1e+20"],
    [1e-5, "1e-05"],
    [0.0001, "0.0001"],
    [-2.5e-10, "-2.5e-10"],
    [5e-324, "4.94065645841247e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ])("writes %d as %s", (value, text) => {
    expect(formatFloat64(value)).toBe(text);
  });

  it.each([
    [" 1.5 ", 1.5],
    ["1e3", 1000],
    [".5", 0.5],
    ["5.", 5],
    ["+7", 7],
    ["-INF", Number.NEGATIVE_INFINITY],
    ["infinity", Number.POSITIVE_INFINITY],
    ["nan", Number.NaN],
    ["1e400", Number.POSITIVE_INFINITY],
    ["", undefined],
    ["0x10", 16],
    ["1_000", undefined],
    ["1 2", undefined],
  ])("reads %j as the FLOAT64 %j", (text, value) => {
    expect(parseFloat64(text)).toBe(value);
  });

  it.each([
    ["12", 12n],
    [" -0900\n", -900n],
    ["+7", 7n],
    ["0x87a", 2170n],
    ["-0X1F", -31n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", undefined],
    ["1.0", undefined],
    ["1e3", undefined],
    ["", undefined],
    ["- 1", undefined],
    ["１", undefined],
  ])("reads %j as the INT64 %s", (text, value) => {
    expect(parseInt64(text)).toBe(value);
  });
});
