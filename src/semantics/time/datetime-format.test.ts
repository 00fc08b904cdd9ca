import { describe, expect, it } from "vitest";
import { parseDatetime } from "../../values/time-text.ts";
import { createZoneFinder } from "../../values/time-zone.ts";
import { fieldsOfInstant, fieldsOfWall } from "./datetime-fields.ts";
import { compileDatetimeFormat, type FormattedType } from "./datetime-format.ts";

const find = createZoneFinder();

function format(pattern: string, text: string, type: FormattedType = "TIMESTAMP", zone = "UTC"): string {
  const micros = parseDatetime(text);
  if (micros === undefined) throw new Error(`No datetime: ${text}`);
  const fields = type === "TIMESTAMP" ? fieldsOfInstant(micros, find(zone)) : fieldsOfWall(micros);
  return compileDatetimeFormat(pattern, type)(fields);
}

describe("the elements of the FORMAT_ functions", () => {
  it.each([
    ["%A", "Thursday"],
    ["%a", "Thu"],
    ["%B", "December"],
    ["%b", "Dec"],
    ["%h", "Dec"],
    ["%C", "20"],
    ["%c", "Thu Dec 25 15:30:07 2008"],
    ["%D", "12/25/08"],
    ["%d", "25"],
    ["%e", "25"],
    ["%F", "2008-12-25"],
    ["%G", "2008"],
    ["%g", "08"],
    ["%H", "15"],
    ["%I", "03"],
    ["%J", "361"],
    ["%j", "360"],
    ["%k", "15"],
    ["%l", " 3"],
    ["%M", "30"],
    ["%m", "12"],
    ["%n", "\n"],
    ["%P", "pm"],
    ["%p", "PM"],
    ["%Q", "4"],
    ["%R", "15:30"],
    ["%r", "03:30:07 PM"],
    ["%S", "07"],
    ["%s", "1230219007"],
    ["%T", "15:30:07"],
    ["%t", "\t"],
    ["%U", "51"],
    ["%u", "4"],
    ["%V", "52"],
    ["%W", "51"],
    ["%w", "4"],
    ["%X", "15:30:07"],
    ["%x", "12/25/08"],
    ["%Y", "2008"],
    ["%y", "08"],
    ["%Z", "UTC"],
    ["%z", "+0000"],
    ["%%", "%"],
    ["%Ez", "+00:00"],
    ["%E3S", "07.123"],
    ["%E6S", "07.123400"],
    ["%E0S", "07"],
    ["%E*S", "07.1234"],
    ["%E4Y", "2008"],
    ["%EY", "2008"],
    ["%Om", "12"],
    ["%-m/%-d", "12/25"],
  ])("print %s as %j", (pattern, expected) => {
    expect(format(pattern, "2008-12-25 15:30:07.1234")).toBe(expected);
  });

  it.each([
    ["%j %-j", "2024-01-05 00:00:00", "005 5"],
    ["%e|%k|%l", "2024-01-05 00:00:00", " 5| 0|12"],
    ["%I%p", "2024-01-05 12:00:00", "12PM"],
    ["%G-W%V", "2024-12-30 00:00:00", "2025-W01"],
    ["%G-W%V %J", "2021-01-03 00:00:00", "2020-W53 371"],
    ["%U %W", "2023-01-01 00:00:00", "01 00"],
    ["%Y %E4Y %F %y %C", "0007-01-01 00:00:00", "7 0007 7-01-01 07 00"],
    ["%E*S", "2024-01-01 00:00:05", "05"],
    ["%s", "1969-12-31 23:59:59.5", "-1"],
    ["a%", "2024-01-01 00:00:00", "a%"],
    ["%i %5Y", "2024-01-01 00:00:00", "%i %5Y"],
    ["100%% %Y", "2024-01-01 00:00:00", "100% 2024"],
    ["day 😀 %d", "2024-01-01 00:00:00", "day 😀 01"],
  ])("print %j of %s as %j", (pattern, text, expected) => {
    expect(format(pattern, text)).toBe(expected);
  });

  it("print a zone's local time, offset and name", () => {
    const pattern = "%F %T %z %Ez %Z";
    const print = (zone: string) => format(pattern, "2008-12-25 15:30:00", "TIMESTAMP", zone);
    expect(print("America/Los_Angeles")).toBe("2008-12-25 07:30:00 -0800 -08:00 UTC-8");
    expect(print("Asia/Kolkata")).toBe("2008-12-25 21:00:00 +0530 +05:30 UTC+0530");
  });

  it("truncate offsets of local mean time to minutes", () => {
    expect(format("%T %Ez", "1850-01-01 12:00:00", "TIMESTAMP", "America/New_York")).toBe("07:04:00 -04:56");
  });

  it("stay unchanged if the type has no value for them", () => {
    expect(format("%Y %H %E3S %Ez %Z", "2024-05-06 07:08:09", "DATE")).toBe("2024 %H %E3S %Ez %Z");
    expect(format("%Y-%m %H:%M", "2024-05-06 07:08:09", "TIME")).toBe("%Y-%m 07:08");
    expect(format("%H %Z", "2024-05-06 07:08:09", "DATETIME")).toBe("07 %Z");
  });
});
