import { describe, expect, it } from "vitest";
import { parseDecimalText } from "./decimal-text.ts";
import { formatInterval, intervalOf, parseFullInterval, parseIntervalText } from "./interval-text.ts";
import { isTimeZone, parseDateText, parseDatetimeText, parseTimestampText, parseTimeText } from "./temporal.ts";
import { readDate, readDatetime, readOffset, readTimestamp } from "./temporal-text.ts";

describe("the parser of dates and times, by the calendar,", () => {
  it("accepts exactly the days of each month", () => {
    const last = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [month, days] of last.entries()) {
      const read = (day: number) => parseDateText(`2023-${month + 1}-${day}`) !== undefined;
      expect([read(0), read(1), read(days), read(days + 1)]).toEqual([false, true, true, false]);
    }
    expect(["2024-0-1", "2024-13-1", "0000-01-01"].map(parseDateText)).toEqual([undefined, undefined, undefined]);
  });

  it("accepts 29 February in leap years only", () => {
    const years = [1900, 2000, 2023, 2024, 2100, 2400];
    expect(years.filter((year) => parseDateText(`${year}-02-29`) !== undefined)).toEqual([2000, 2024, 2400]);
  });

  it("accepts a leap second without its fraction, and rejects fields out of range", () => {
    expect(parseTimeText("23:59:60.5")).toBe("00:00:00");
    expect(["23:59:61", "23:60:00", "24:00:00"].map(parseTimeText)).toEqual([undefined, undefined, undefined]);
    expect(["1:2:3.", "1:2:3.1234567", "x1:2:3", "1:2:3x"].map(parseTimeText)).toEqual(Array(4).fill(undefined));
  });

  it("rejects characters before and after the digits", () => {
    for (const text of ["x2024-01-02", "2024-01-02x", "24-01-02", "2024-001-02", "2024-01-002", " 2024-01-02"]) {
      expect([text, readDate(text), readDatetime(text), readTimestamp(text)]).toEqual([
        text,
        ...Array(3).fill(undefined),
      ]);
    }
    expect(readDatetime("2024-01-02t03:04:05.6")).toEqual({
      ...{ year: 2024, month: 1, day: 2, hour: 3, minute: 4, second: 5 },
      micros: 600_000,
    });
    expect(parseDatetimeText("9999-12-31 23:59:60")).toBeUndefined();
  });
});

describe("a time zone offset", () => {
  it.each([
    ["+1", 3600],
    ["-08", -8 * 3600],
    ["+05:30", 5.5 * 3600],
    ["+0530", 5.5 * 3600],
    ["+5:3", 5 * 3600 + 180],
    ["UTC+2", 2 * 3600],
    ["+00:59", 59 * 60],
    ["+00:60", Number.NaN],
    ["-14:00", -14 * 3600],
    ["+14:01", Number.NaN],
    ["+15", Number.NaN],
    ["1", undefined],
    ["xUTC+1", undefined],
    ["+1x", undefined],
    ["+123456", undefined],
    ["UTC", undefined],
  ])("%s is read in seconds", (text, expected) => expect(readOffset(text)).toBe(expected));

  it("is no zone name, but a zone name may contain a sign", () => {
    expect(["+23:00", "-23:00", "+14:01"].filter(isTimeZone)).toEqual([]);
    const named = ["America/Port-au-Prince", "Etc/GMT+5", "UTC+1"];
    expect(named.filter((zone) => !isTimeZone(zone))).toEqual([]);
  });
});

describe("the time zone of a timestamp", () => {
  it.each([
    ["2024-01-02 03:04:05", undefined],
    ["2024-01-02 03:04:05Z", "UTC"],
    ["2024-01-02 03:04:05z", "UTC"],
    ["2024-01-02 03:04:05+01", "+01"],
    ["2024-01-02 +01", "+01"],
    ["2024-01-02 03:04:05 UTC", "UTC"],
    ["2024-01-02 03:04:05 UTC+3", "+3"],
    ["2024-01-02 03:04:05 Asia/Tokyo", "Asia/Tokyo"],
    [`2024-01-02 03:04:05 ${"x".repeat(64)}`, "x".repeat(64)],
  ])("is read from %s", (text, zone) =>
    expect(readTimestamp(text)).toMatchObject({ fields: { year: 2024, day: 2 }, zone }),
  );

  it.each([
    "2024-01-02 03:04:05  UTC",
    "2024-01-02 03:04:05 +01",
    `2024-01-02 03:04:05 ${"x".repeat(65)}`,
    "2024-01-02Z",
    "2024-01-32 00:00:00",
  ])("is not read from the malformed text %s", (text) => expect(readTimestamp(text)).toBeUndefined());

  it("changes its offset at the two transitions of the year", () => {
    const utcOf = (text: string) => {
      const micros = parseTimestampText(`${text} America/Los_Angeles`, "UTC");
      return micros === undefined ? undefined : new Date(Number(micros) / 1000).toISOString().slice(5, 16);
    };
    expect(
      ["03-09 12:00", "03-10 01:59", "03-10 03:00", "03-10 12:00", "03-11 12:00"].map((at) => utcOf(`2024-${at}:00`)),
    ).toEqual(["03-09T20:00", "03-10T09:59", "03-10T10:00", "03-10T19:00", "03-11T19:00"]);
    expect(
      ["11-02 12:00", "11-03 00:59", "11-03 02:00", "11-03 12:00", "11-04 12:00"].map((at) => utcOf(`2024-${at}:00`)),
    ).toEqual(["11-02T19:00", "11-03T07:59", "11-03T10:00", "11-03T20:00", "11-04T20:00"]);
  });

  it("applies before 1970 too, and limits a timestamp to its range", () => {
    expect(parseTimestampText("1969-12-31 23:59:59.999999 America/New_York", "UTC")).toBe("17999999999");
    expect(parseTimestampText("1900-01-01 00:00:00.5 Europe/Paris", "UTC")).toBe("-2208989360500000");
    expect(parseTimestampText("0001-01-01 00:00:00", "UTC")).toBe("-62135596800000000");
    expect(parseTimestampText("0001-01-01 00:00:00+00:01", "UTC")).toBeUndefined();
    expect(parseTimestampText("9999-12-31 23:59:59.999999", "UTC")).toBe("253402300799999999");
    expect(parseTimestampText("9999-12-31 23:59:59.999999-00:01", "UTC")).toBeUndefined();
    expect(parseTimestampText("10000-01-01 00:00:00+00:01", "UTC")).toBe("253402300740000000");
  });
});

describe("the parser of exact decimals", () => {
  it("rejects a value that it would have to round", () => {
    expect(parseDecimalText("1.1000000000", "NUMERIC", true)).toBe("1.1");
    expect(parseDecimalText("1.0000000001", "NUMERIC", true)).toBeUndefined();
    expect(parseDecimalText("1.0000000001", "BIGNUMERIC", true)).toBe("1.0000000001");
    expect(parseDecimalText("0.00000000001", "NUMERIC", true)).toBeUndefined();
    expect(parseDecimalText("0e-99", "NUMERIC", true)).toBe("0");
  });

  it("reads every digit, and rounds halves away from zero", () => {
    expect(["1.0000000004", "1.0000000005", "-1.0000000005"].map((text) => parseDecimalText(text, "NUMERIC"))).toEqual([
      "1",
      "1.000000001",
      "-1.000000001",
    ]);
    const texts = ["+7", " 7 ", "7.", "007", "7e0", "70E-1", "0.7e+1"];
    expect(texts.map((text) => parseDecimalText(text, "NUMERIC"))).toEqual(Array(7).fill("7"));
    expect(["x7", "7x", ".", "e5", "--7", "7e1234567"].map((text) => parseDecimalText(text, "NUMERIC"))).toEqual(
      Array(6).fill(undefined),
    );
    expect(parseDecimalText("-99999999999999999999999999999.999999999", "NUMERIC")).toMatch(/^-9{29}\.9{9}$/);
    expect(parseDecimalText("0e99", "BIGNUMERIC")).toBe("0");
    expect(parseDecimalText("1e38", "BIGNUMERIC")).toBe(`1${"0".repeat(38)}`);
    expect(parseDecimalText("1e99", "BIGNUMERIC")).toBeUndefined();
  });
});

describe("the parser of interval texts", () => {
  const textOf = (text: string, from: string, to?: string) => {
    const parts = parseIntervalText(text, from, to);
    return parts === undefined ? undefined : formatInterval(parts);
  };

  it("reads an amount of a single part", () => {
    const parts = { YEAR: "3-0 0", QUARTER: "0-9 0", MONTH: "0-3 0", WEEK: "0-0 21", DAY: "0-0 3" };
    for (const [part, text] of Object.entries(parts)) expect(textOf("3", part)).toBe(`${text} 0:0:0`);
    const clocks = {
      HOUR: "3:0:0",
      MINUTE: "0:3:0",
      SECOND: "0:0:3",
      MILLISECOND: "0:0:0.003000",
      MICROSECOND: "0:0:0.000003",
    };
    for (const [part, text] of Object.entries(clocks)) expect(textOf("3", part)).toBe(`0-0 0 ${text}`);
    expect(textOf("+3", "DAY")).toBe("0-0 3 0:0:0");
    expect(textOf("-1.5", "SECOND")).toBe("0-0 0 -0:0:1.500000");
    expect(textOf(".25", "SECOND")).toBe("0-0 0 0:0:0.250000");
    expect(textOf("1.1234567", "SECOND")).toBe("0-0 0 0:0:1.123456");
    for (const text of ["x1", "1x", "1.", "1.1234567890", "", "--1"]) expect(textOf(text, "SECOND")).toBeUndefined();
  });

  it.each([
    ["1-2", "YEAR", "MONTH", "1-2 0 0:0:0"],
    ["-1-2", "YEAR", "MONTH", "-1-2 0 0:0:0"],
    ["1-2 3", "YEAR", "DAY", "1-2 3 0:0:0"],
    ["1-2 -3 4", "YEAR", "HOUR", "1-2 -3 4:0:0"],
    ["1-2 3 4:5", "YEAR", "MINUTE", "1-2 3 4:5:0"],
    ["5 -3", "MONTH", "DAY", "0-5 -3 0:0:0"],
    ["-5 3 -4", "MONTH", "HOUR", "-0-5 3 -4:0:0"],
    ["5 3 4:5:6", "MONTH", "SECOND", "0-5 3 4:5:6"],
    ["3 -4", "DAY", "HOUR", "0-0 3 -4:0:0"],
    ["+3 4:5:6.789", "DAY", "SECOND", "0-0 3 4:5:6.789000"],
    ["-4:5", "HOUR", "MINUTE", "0-0 0 -4:5:0"],
    ["4:5:6", "HOUR", "SECOND", "0-0 0 4:5:6"],
    ["-5:6.5", "MINUTE", "SECOND", "0-0 0 -0:5:6.500000"],
    ["1", "DAY", "DAY", undefined],
    ["1", "WEEK", "DAY", undefined],
    ["1 2", "YEAR", "DAY", undefined],
    ["x3 4", "DAY", "HOUR", undefined],
    ["3 4x", "DAY", "HOUR", undefined],
    ["3  4", "DAY", "HOUR", undefined],
  ])("reads '%s' from %s to %s", (text, from, to, expected) => expect(textOf(text, from, to)).toBe(expected));

  it("limits each part to its own range", () => {
    const limits = { MONTH: 120_000n, DAY: 3_660_000n, MICROSECOND: 316_224_000_000_000_000n };
    for (const [part, limit] of Object.entries(limits)) {
      const fits = [limit, limit + 1n, -limit, -limit - 1n].map((amount) => intervalOf(amount, part) !== undefined);
      expect(fits).toEqual([true, false, true, false]);
    }
    expect(textOf("10001-0", "YEAR", "MONTH")).toBeUndefined();
    expect(textOf("316224000001", "SECOND")).toBeUndefined();
    expect(textOf("316224000000.5", "SECOND")).toBeUndefined();
  });

  it("reads a whole interval in six forms", () => {
    const forms = {
      "1-2 3 4:5:6": "1-2 3 4:5:6",
      "1-2 3": "1-2 3 0:0:0",
      "1-2": "1-2 0 0:0:0",
      "7 3 4:5:6": "0-7 3 4:5:6",
    };
    const clocks = { "3 4:5:6": "0-0 3 4:5:6", "4:5:6.5": "0-0 0 4:5:6.500000" };
    for (const [text, expected] of Object.entries({ ...forms, ...clocks })) {
      const parts = parseFullInterval(text);
      expect(parts === undefined ? undefined : formatInterval(parts)).toBe(expected);
    }
    expect(["1", "1 2", "4:5", "1-2-3"].map(parseFullInterval)).toEqual(Array(4).fill(undefined));
  });
});
