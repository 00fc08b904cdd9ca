import { describe, expect, it } from "vitest";
import { formatDatetimeText, parseDatetime } from "../../values/time-text.ts";
import { createZoneFinder } from "../../values/time-zone.ts";
import { fieldsOfInstant, fieldsOfWall } from "../time/datetime-fields.ts";
import type { FormattedType } from "../time/datetime-format.ts";
import { formatBytes, parseBytes } from "./cast-bytes.ts";
import { compileCastFormat } from "./cast-datetime-format.ts";
import { compileCastParse, parseCastDatetime } from "./cast-datetime-parse.ts";
import { compileNumberFormat, fromDecimal, fromDouble } from "./cast-number-format.ts";

const find = createZoneFinder();
const now = parseDatetime("2024-05-17 10:00:00") ?? 0n;

describe("CAST of dates and times with FORMAT", () => {
  it.each([
    ["YYYY-MM-DD HH24:MI:SS", "2008-12-25 15:30:07"],
    ["YYYY YYY YY Y", "2008 008 08 8"],
    ["RRRR RR", "2008 08"],
    ["MON Mon mon", "DEC Dec dec"],
    ["MONTH Month month", "DECEMBER December december"],
    ["DAY Day dy Dy", "THURSDAY Thursday thu Thu"],
    ["DDD D DD", "360 5 25"],
    ["HH:MI AM", "03:30 PM"],
    ["HH12 p.m.", "03 p.m."],
    ["SSSSS", "55807"],
    ["SS.FF1 FF3 FF6 FF9", "07.1 123 123400 123400000"],
    ['"Day: "DD"\\""', 'Day: 25"'],
    ["DD/MM;YYYY", "25/12;2008"],
  ])("writes %j as %j", (format, expected) => {
    const micros = parseDatetime("2008-12-25 15:30:07.1234") ?? 0n;
    expect(compileCastFormat(format, "DATETIME")(fieldsOfWall(micros))).toBe(expected);
  });

  it("writes the offset of a zone", () => {
    const print = compileCastFormat("HH24 TZH:TZM", "TIMESTAMP");
    expect(print(fieldsOfInstant(0n, find("Asia/Kolkata")))).toBe("05 +05:30");
    expect(print(fieldsOfInstant(0n, find("America/Los_Angeles")))).toBe("16 -08:00");
  });

  it.each<[string, FormattedType]>([
    ["HH24", "DATE"],
    ["YYYY", "TIME"],
    ["TZH", "DATETIME"],
    ["Q", "TIMESTAMP"],
    ["?", "DATE"],
    ['"open', "DATE"],
  ])("rejects %j for a %s", (format, type) => {
    expect(() => compileCastFormat(format, type)).toThrow();
  });

  it.each<[string, string, string]>([
    ["18-12-03", "YY-MM-DD", "2018-12-03 00:00:00"],
    ["JUN 30, 2018", "MON DD, YYYY", "2018-06-30 00:00:00"],
    ["december 1 99", "MONTH DD RR", "1999-12-01 00:00:00"],
    ["30", "MI", "2024-05-01 00:30:00"],
    ["03:30 P.M.", "HH12:MI A.M.", "2024-05-01 15:30:00"],
    ["12 a.m.", "HH P.M.", "2024-05-01 00:00:00"],
    ["55807", "SSSSS", "2024-05-01 15:30:07"],
    ["20081225153007123", "YYYYMMDDHH24MISSFF3", "2008-12-25 15:30:07.123"],
    ["2,008", "Y,YYY", "2008-05-01 00:00:00"],
    ["2024-01-02 10+0530", "YYYY-MM-DD HH24TZHTZM", "2024-01-02 04:30:00"],
    ["x2024", '"x"YYYY', "2024-05-01 00:00:00"],
    ["7", "Y", "2027-05-01 00:00:00"],
  ])("reads %j by %j as %j", (text, format, expected) => {
    const value = parseCastDatetime(text, compileCastParse(format, "TIMESTAMP"), now, "UTC", find);
    expect(formatDatetimeText(value)).toBe(expected);
  });

  it.each([
    ["2024-02-30", "YYYY-MM-DD", "Invalid result from year, month, day"],
    ["2024", "YYYY-MM", "Entire timestamp string has been parsed"],
    ["2024x", "YYYY", "Illegal non-space trailing data 'x'"],
    ["24-13", "YY-MM", "Failed to parse input timestamp string at 3"],
    ["10", "HH12", "MERIDIAN_INDICATOR is required"],
    ["2024", "YYYY YY", "More than one format element in category YEAR"],
    ["10", "DDD", "'DDD' is not supported for parsing"],
    ["1", "MI MI", "appears more than once"],
    ["1", "SSSSS SS", "cannot exist simultaneously"],
  ])("rejects %j for the format %j", (text, format, message) => {
    const read = () => parseCastDatetime(text, compileCastParse(format, "TIMESTAMP"), now, "UTC", find);
    expect(read).toThrow(message);
  });
});

describe("CAST of numbers with FORMAT", () => {
  it.each([
    [12345.678, "999,999.99", "  12,345.68"],
    [-5.2, "99.9", " -5.2"],
    [5, "000", " 005"],
    [0.12, "9.99", "  .12"],
    [0, "9.99", "  .00"],
    [1.2, "FM99.999", "1.2"],
    [123456, "999", " ###"],
    [1234.56, "S9999.9", "+1234.6"],
    [-7, "9MI", "7-"],
    [-7, "99PR", " <7>"],
    [7, "9S", "7+"],
    [1234.5, "$9,999.99", " $1,234.50"],
    [1.2, "9V99", " 120"],
    [12345, "9.9EEEE", " 1.2E+04"],
    [0, "9.99EEEE", " 0.00E+00"],
    [999, "9.9EEEE", " 1.0E+03"],
    [0, "B99", "   "],
    [26, "XX", " 1A"],
    [26, "0xxx", " 001a"],
    [1.5, "9", " 2"],
    [2.5, "9", " 2"],
    [Number.POSITIVE_INFINITY, "9999", "  INF"],
    [Number.NaN, "999.9", " NAN  "],
    [5, "C99", "  USD5"],
  ])("writes the FLOAT64 %d by %j as %j", (value, format, expected) => {
    expect(compileNumberFormat(format)(fromDouble(value))).toBe(expected);
  });

  it("rounds halves of decimals away from zero", () => {
    expect(compileNumberFormat("9")(fromDecimal(2_500_000_000n, 9))).toBe(" 3");
    expect(compileNumberFormat("9")(fromDecimal(-2_500_000_000n, 9))).toBe("-3");
  });

  it.each(["", "9.9.9", "MI9", "9,X", "9EEEE9", "9S9", "SMI9", "$$9", "RN", "TM", "Q", "XXXXXXXXXXXXXXXXX", "9.9,9"])(
    "rejects the format %j",
    (format) => {
      expect(() => compileNumberFormat(format)).toThrow("Error in format string");
    },
  );
});

describe("CAST of BYTES with FORMAT", () => {
  it.each([
    ["HEX", "00ff61"],
    ["base16", "00ff61"],
    ["BASE64", "AP9h"],
    ["BASE64M", "AP9h"],
    ["BASE32", "AD7WC==="],
    ["BASE8", "00177541"],
    ["BASE2", "000000001111111101100001"],
  ])("formats and parses %s as %s", (format, text) => {
    const bytes = Uint8Array.from([0x00, 0xff, 0x61]);
    expect(formatBytes(bytes, format)).toBe(text);
    expect([...parseBytes(text, format)]).toEqual([...bytes]);
  });

  it("breaks MIME text into lines of 76 characters", () => {
    const lines = formatBytes(new Uint8Array(100), "BASE64M").split("\n");
    expect(lines.map((line) => line.length)).toEqual([76, 60]);
  });

  it("converts text with ASCII and UTF-8", () => {
    expect(formatBytes(Buffer.from("héllo 😀"), "UTF-8")).toBe("héllo 😀");
    expect(formatBytes(Buffer.from("abc"), "ascii")).toBe("abc");
    expect([...parseBytes("é", "UTF8")]).toEqual([0xc3, 0xa9]);
  });

  it.each([
    () => formatBytes(Uint8Array.from([0xff]), "UTF-8"),
    () => formatBytes(Uint8Array.from([0xff]), "ASCII"),
    () => formatBytes(Uint8Array.from([0xff]), "BASE7"),
    () => parseBytes("xyz", "HEX"),
    () => parseBytes("a", "BASE64"),
    () => parseBytes("é", "ASCII"),
    () => parseBytes("102", "BASE2"),
  ])("rejects bytes and texts that a format cannot represent (%#)", (convert) => {
    expect(convert).toThrow();
  });
});
