import { describe, expect, it } from "vitest";
import { formatDatetimeText } from "../../values/time-text.ts";
import { createZoneFinder } from "../../values/time-zone.ts";
import type { FormattedType } from "./datetime-format.ts";
import { checkParseFormat, parseDatetime } from "./datetime-parse.ts";

const find = createZoneFinder();

function parse(format: string, text: string, zone = "UTC"): string {
  return formatDatetimeText(parseDatetime(format, text, zone, find));
}

describe("the PARSE_ functions", () => {
  it.each([
    ["%Y-%m-%d %H:%M:%S", "2024-02-29 23:59:58", "2024-02-29 23:59:58"],
    ["%Y%m%d", "20081225", "2008-12-25 00:00:00"],
    ["%F %T", "2024-2-3 4:5:6", "2024-02-03 04:05:06"],
    ["%A %b %e %Y", "Thursday Dec 25 2008", "2008-12-25 00:00:00"],
    ["%a %B %d %Y", "thu december 25 2008", "2008-12-25 00:00:00"],
    ["%c", "Thu Dec 25 07:30:00 2008", "2008-12-25 07:30:00"],
    ["%D", "02/02/99", "1999-02-02 00:00:00"],
    ["%x %X", "12/25/08 15:30:07", "2008-12-25 15:30:07"],
    ["%y", "68", "2068-01-01 00:00:00"],
    ["%y", "69", "1969-01-01 00:00:00"],
    ["%C%y", "2108", "2108-01-01 00:00:00"],
    ["%C", "19", "1900-01-01 00:00:00"],
    ["%I:%M %p", "12:05 AM", "1970-01-01 00:05:00"],
    ["%l %P", " 1 pm", "1970-01-01 13:00:00"],
    ["%r", "03:30:07 PM", "1970-01-01 15:30:07"],
    ["%k", " 9", "1970-01-01 09:00:00"],
    ["%R", "14:30", "1970-01-01 14:30:00"],
    ["%Q %Y", "3 2024", "2024-07-01 00:00:00"],
    ["%s", "1230219000", "2008-12-25 15:30:00"],
    ["%s", "-1", "1969-12-31 23:59:59"],
    ["%E*S", "07.123456789", "1970-01-01 00:00:07.123456"],
    ["%E3S", "07.123", "1970-01-01 00:00:07.123"],
    ["%E4Y", "0001", "0001-01-01 00:00:00"],
    ["%Y%j", "2024060", "2024-02-29 00:00:00"],
    ["%j", "366 ", undefined],
    ["%G-W%V-%u", "2020-W53-7", "2021-01-03 00:00:00"],
    ["%G %J", "2020 371", "2021-01-03 00:00:00"],
    ["%G", "2015", "2014-12-29 00:00:00"],
    ["%Y %U %w", "2024 10 3", "2024-03-13 00:00:00"],
    ["%Y %W", "2024 10", "2024-03-04 00:00:00"],
    ["%Y-%m-%d%n%H", "2024-01-02   3", "2024-01-02 03:00:00"],
    ["%Y-%m-%d %H:%M:%S%Ez", "2020-06-02 23:58:40+09:00", "2020-06-02 14:58:40"],
    ["%Y-%m-%d %H%z", "2020-06-02 23-0130", "2020-06-03 00:30:00"],
    ["%H%Ez", "23Z", "1970-01-01 23:00:00"],
    ["%H %Z", "12 America/Los_Angeles", "1970-01-01 20:00:00"],
    ["%H %Z", "12 UTC+2", "1970-01-01 10:00:00"],
    ["%S", "60", "1970-01-01 00:01:00"],
    ["100%% %Y", "100% 2024", "2024-01-01 00:00:00"],
    ["  %Y  ", "\t2024\n", "2024-01-01 00:00:00"],
    ["%Y%t", "2024", "2024-01-01 00:00:00"],
    ["", "", "1970-01-01 00:00:00"],
  ])("read %j from %j", (format, text, expected) => {
    if (expected === undefined) expect(() => parse(format, text)).toThrow("Year 1970 has 365 days");
    else expect(parse(format, text)).toBe(expected);
  });

  it("read a text without a zone in the given zone", () => {
    expect(parse("%F %H", "2024-07-01 12", "America/Los_Angeles")).toBe("2024-07-01 19:00:00");
  });

  it.each([
    ["%m", "14"],
    ["%m", "0"],
    ["%d", "32"],
    ["%H", "24"],
    ["%M", "60"],
    ["%I:%M", "13:00"],
    ["%F", "2008-01"],
    ["%Y %A", "Thursday 2008"],
    ["%Y", "2008 x"],
    ["%Y %m", "2008"],
    ["%E5S", "7,5"],
    ["%L", "1"],
    ["%Ey%Ei", "081"],
    ["%Z", ""],
  ])("reject %j for %j", (format, text) => {
    expect(() => parse(format, text)).toThrow(/^Failed to parse input string/);
  });

  it.each([
    ["%Y-%m-%d", "2023-02-29", "Out-of-range datetime field"],
    ["%Y-%m", "2023/02", "Mismatch between format character '-' and string character '/'"],
    ["%Y%", "2023 ", "cannot end with a single '%'"],
    ["%Y", "10000", "Invalid result from parsing function"],
    ["%Y", "0", "Invalid result from parsing function"],
    ["%z", "+1500", "out of valid range"],
    ["%Z", "Nowhere/City", "Invalid time zone: Nowhere/City"],
    ["%G %V", "2021 53", "Invalid ISO week 53"],
    ["%Y %U", "2024 53", "Week number 53 is invalid"],
  ])("explain why %j does not match %j", (format, text, message) => {
    expect(() => parse(format, text)).toThrow(message);
  });

  it.each<[FormattedType, string, string]>([
    ["DATE", "%Y %H", "%H"],
    ["DATE", "%E3S", "%E3S"],
    ["DATETIME", "%F %Ez", "%Ez"],
    ["TIME", "%H %E4Y", "%E4Y"],
  ])("name the element that a %s does not have in %j", (type, format, element) => {
    const message = `Invalid format: ${element} is not allowed for the ${type} type.`;
    expect(() => checkParseFormat(format, type)).toThrow(message);
  });

  it("distinguish escaped percent signs from elements", () => {
    expect(() => checkParseFormat("%%H", "DATE")).not.toThrow();
  });
});
