import { describe, expect, it } from "vitest";
import {
  formatDatetimeText,
  formatTimestampText,
  formatTimeText,
  parseDateText,
  parseDatetimeText,
  parseTimestampText,
  parseTimeText,
} from "./datetime-text.ts";
import { createZoneFinder } from "./time-zone.ts";

const find = createZoneFinder();

describe("the text functions for dates and times", () => {
  it.each([
    ["1970-01-02", 1],
    ["2024-2-3", 19_756],
    ["0001-01-01", -719_162],
    ["9999-12-31", 2_932_896],
    ["0000-01-01", undefined],
    ["2023-02-29", undefined],
    ["10000-01-01", undefined],
    [" 2024-01-01", undefined],
    ["20240101", undefined],
    ["2024-01-01 00:00:00", undefined],
    ["", undefined],
  ])("read the date %j as %j", (text, days) => {
    expect(parseDateText(text)).toBe(days);
  });

  it.each([
    ["00:00:00", 0n],
    ["1:2:3", 3_723_000_000n],
    ["23:59:59.999999", 86_399_999_999n],
    ["23:59:60", 0n],
    ["12:00:00.5", 43_200_500_000n],
    ["24:00:00", undefined],
    ["12:00", undefined],
    ["12:00:00.", undefined],
    ["12:00:00.1234567", undefined],
  ])("read the time %j as %s", (text, micros) => {
    expect(parseTimeText(text)).toBe(micros);
  });

  it.each([
    ["2024-01-02", "2024-01-02 00:00:00"],
    ["2024-01-02T03:04:05", "2024-01-02 03:04:05"],
    ["2024-01-02t3:4:5.1", "2024-01-02 03:04:05.100"],
    ["2024-12-31 23:59:60", "2025-01-01 00:00:00"],
    ["9999-12-31 23:59:60", undefined],
    ["2024-01-02 03:04:05Z", undefined],
    ["2024-01-02 ", undefined],
    ["20100317", undefined],
  ])("read the datetime %j as %j", (text, expected) => {
    const value = parseDatetimeText(text);
    expect(value === undefined ? undefined : formatDatetimeText(value)).toBe(expected);
  });

  it.each([
    ["2024-01-02", "2024-01-02 08:00:00+00"],
    ["2024-01-02 03:04:05", "2024-01-02 11:04:05+00"],
    ["2024-01-02 03:04:05Z", "2024-01-02 03:04:05+00"],
    ["2024-01-02 03:04:05+09", "2024-01-01 18:04:05+00"],
    ["2024-01-02T03:04:05.123456-05:30", "2024-01-02 08:34:05.123456+00"],
    ["2024-01-02 03:04:05 UTC", "2024-01-02 03:04:05+00"],
    ["2024-01-02 03:04:05 UTC+2", "2024-01-02 01:04:05+00"],
    ["2024-07-02 03:04:05 Europe/Berlin", "2024-07-02 01:04:05+00"],
    ["2024-01-02 +01", "2024-01-01 23:00:00+00"],
    ["2024-01-02 03:04:05 +09", undefined],
    ["2024-01-02 03:04:05 Nowhere/City", undefined],
    ["2024-01-02 03:04:05ZZ", undefined],
    ["2024-01-02 03:04", undefined],
    ["2024-13-02", undefined],
    ["10000-01-01 00:00:00+01", "9999-12-31 23:00:00+00"],
    ["0001-01-01 00:00:00+01", undefined],
  ])("read the timestamp %j in Los Angeles as %j", (text, expected) => {
    const value = parseTimestampText(text, "America/Los_Angeles", find);
    expect(value === undefined ? undefined : formatTimestampText(value, find("UTC"))).toBe(expected);
  });

  it("write three or six digits of a second, or none, as needed", () => {
    expect(formatTimeText(1n)).toBe("00:00:00.000001");
    expect(formatTimeText(120_000n)).toBe("00:00:00.120");
    expect(formatTimeText(0n)).toBe("00:00:00");
    expect(formatDatetimeText(-1n)).toBe("1969-12-31 23:59:59.999999");
  });

  it("write the minutes of an offset only if they are not zero", () => {
    expect(formatTimestampText(0n, find("Asia/Kolkata"))).toBe("1970-01-01 05:30:00+05:30");
    expect(formatTimestampText(0n, find("-8"))).toBe("1969-12-31 16:00:00-08");
  });
});
