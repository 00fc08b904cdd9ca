import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { floorDivide, MAX_MICROS, MICROS_PER_DAY, MIN_MICROS } from "./calendar.ts";
import {
  formatDate,
  formatDatetime,
  formatDatetimeText,
  formatTime,
  formatTimestampText,
  formatTimeText,
  parseDate,
  parseDatetime,
  parseTime,
  parseTimestamp,
} from "./time-text.ts";
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
    ["24-01-02", undefined],
    ["2024-001-02", undefined],
    ["2024-01-002", undefined],
    ["x2024-01-02", undefined],
    ["2024-01-02x", undefined],
    ["", undefined],
  ])("read the date %j as %j", (text, days) => {
    expect(parseDate(text)).toBe(days);
  });

  it.each([
    ["00:00:00", 0n],
    ["1:2:3", 3_723_000_000n],
    ["23:59:59.999999", 86_399_999_999n],
    ["23:59:60", 0n],
    ["12:00:00.5", 43_200_500_000n],
    ["23:59:60.5", 0n],
    ["23:59:61", undefined],
    ["23:60:00", undefined],
    ["24:00:00", undefined],
    ["12:00", undefined],
    ["x1:2:3", undefined],
    ["1:2:3x", undefined],
    ["12:00:00.", undefined],
    ["12:00:00.1234567", undefined],
  ])("read the time %j as %s", (text, micros) => {
    expect(parseTime(text)).toBe(micros);
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
    const value = parseDatetime(text);
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
    ["2024-01-02 03:04:05z", "2024-01-02 03:04:05+00"],
    ["1970-01-01 00:00:00-0130", "1970-01-01 01:30:00+00"],
    ["2024-03-10 02:30:00", "2024-03-10 10:30:00+00"],
    ["2024-11-03 01:30:00", "2024-11-03 08:30:00+00"],
    ["1969-12-31 23:59:59.999999 America/New_York", "1970-01-01 04:59:59.999999+00"],
    ["1900-01-01 00:00:00.5 Europe/Paris", "1899-12-31 23:50:39.500+00"],
    ["2024-01-02 03:04:05  UTC", undefined],
    ["2024-01-02 03:04:05+15:00", undefined],
    ["2024-01-02Z", undefined],
    ["10000-01-01 00:00:00+01", "9999-12-31 23:00:00+00"],
    ["10000-01-01 00:00:00+00", undefined],
    ["0001-01-01 00:00:00+00", "0001-01-01 00:00:00+00"],
    ["0001-01-01 00:00:00+01", undefined],
  ])("read the timestamp %j in Los Angeles as %j", (text, expected) => {
    const value = parseTimestamp(text, "America/Los_Angeles", find);
    expect(value === undefined ? undefined : formatTimestampText(value, find("UTC"))).toBe(expected);
  });

  it("read a zone's name of 64 characters at most", () => {
    const nameOf = (length: number) => {
      const names: string[] = [];
      parseTimestamp(`2024-01-02 03:04:05 ${"x".repeat(length)}`, "UTC", (name) => {
        names.push(name);
        return find("UTC");
      });
      return names;
    };
    expect([nameOf(64), nameOf(65)]).toEqual([["x".repeat(64)], []]);
  });

  it("find no zone by themselves that is not named", () => {
    expect(() => parseTimestamp("2024-01-02 03:04:05", "Nowhere", find)).toThrow("Invalid time zone: Nowhere");
  });

  it("read back whatever they write", () => {
    const micros = fc.bigInt({ min: MIN_MICROS, max: MAX_MICROS });
    const zones = fc.constantFrom("UTC", "+05:30", "-14", "Asia/Tokyo");
    fc.assert(
      fc.property(micros, zones, (value, zone) => {
        for (const text of [formatDatetime(value), formatDatetime(value, " "), formatDatetimeText(value)]) {
          expect(parseDatetime(text)).toBe(value);
        }
        const [days, time] = floorDivide(value, MICROS_PER_DAY);
        expect(parseDate(formatDate(Number(days)))).toBe(Number(days));
        expect([formatTime(time), formatTimeText(time)].map(parseTime)).toEqual([time, time]);
        const wall = value + BigInt(find(zone).offsetAt(Number(value / 1_000_000n))) * 1_000_000n;
        if (wall >= MIN_MICROS && wall <= MAX_MICROS && value > 0n) {
          expect(parseTimestamp(formatTimestampText(value, find(zone)), "UTC", find)).toBe(value);
        }
      }),
    );
  });

  it("write three or six digits of a second, or none, as needed", () => {
    expect(formatTimeText(1n)).toBe("00:00:00.000001");
    expect(formatTimeText(120_000n)).toBe("00:00:00.120");
    expect(formatTimeText(0n)).toBe("00:00:00");
    expect(formatDatetimeText(-1n)).toBe("1969-12-31 23:59:59.999999");
  });

  it("write six digits of a second, or none, for answers", () => {
    expect([formatTime(120_000n), formatTime(1_000_000n)]).toEqual(["00:00:00.120000", "00:00:01"]);
    expect(formatDatetime(-1n)).toBe("1969-12-31T23:59:59.999999");
    expect(formatDatetime(500_000n, " ")).toBe("1970-01-01 00:00:00.500000");
  });

  it("write the minutes of an offset only if they are not zero", () => {
    expect(formatTimestampText(0n, find("Asia/Kolkata"))).toBe("1970-01-01 05:30:00+05:30");
    expect(formatTimestampText(0n, find("-8"))).toBe("1969-12-31 16:00:00-08");
  });
});
