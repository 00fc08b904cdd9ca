import { describe, expect, it } from "vitest";
import { parseDatetimeText } from "./datetime-text.ts";
import { createZoneFinder, utcFromWall, wallFromUtc } from "./time-zone.ts";

const find = createZoneFinder();

function micros(text: string): bigint {
  const value = parseDatetimeText(text);
  if (value === undefined) throw new Error(`No datetime: ${text}`);
  return value;
}

describe("time zones", () => {
  it.each([
    ["UTC", "2024-07-01 12:00:00", "2024-07-01 12:00:00"],
    ["America/Los_Angeles", "2024-07-01 12:00:00", "2024-07-01 05:00:00"],
    ["America/Los_Angeles", "2024-01-01 12:00:00", "2024-01-01 04:00:00"],
    ["Asia/Kolkata", "2024-01-01 12:00:00", "2024-01-01 17:30:00"],
    ["Pacific/Auckland", "2017-11-05 11:00:00", "2017-11-06 00:00:00"],
    ["+05:30", "2024-01-01 12:00:00", "2024-01-01 17:30:00"],
    ["-8", "2024-01-01 12:00:00", "2024-01-01 04:00:00"],
    ["+0530", "2024-01-01 12:00:00", "2024-01-01 17:30:00"],
    ["UTC-8", "2024-01-01 12:00:00", "2024-01-01 04:00:00"],
    ["America/New_York", "1850-01-01 00:00:00", "1849-12-31 19:03:58"],
    ["Asia/Tokyo", "9999-12-31 12:00:00.999999", "9999-12-31 21:00:00.999999"],
  ])("show for %s at %s UTC the local time %s", (zone, utc, wall) => {
    expect(wallFromUtc(micros(utc), find(zone))).toBe(micros(wall));
  });

  it("map a local time that occurs twice to the earlier instant", () => {
    const wall = micros("2024-11-03 01:30:00");
    expect(utcFromWall(wall, find("America/Los_Angeles"))).toBe(micros("2024-11-03 08:30:00"));
  });

  it("map a skipped local time with the offset before the change", () => {
    const wall = micros("2024-03-10 02:30:00");
    expect(utcFromWall(wall, find("America/Los_Angeles"))).toBe(micros("2024-03-10 10:30:00"));
  });

  it("convert back and forth at every hour of a year with two changes", () => {
    const zone = find("Europe/Berlin");
    const start = micros("2024-01-01 00:00:00");
    for (let hour = 0; hour < 366 * 24; hour++) {
      const utc = start + BigInt(hour) * 3_600_000_000n;
      const back = utcFromWall(wallFromUtc(utc, zone), zone);
      // An hour that occurs twice is read as its first occurrence.
      const isRepeated = utc === micros("2024-10-27 01:00:00");
      expect(back).toBe(isRepeated ? utc - 3_600_000_000n : utc);
    }
  });

  it.each(["Nowhere/City", "", "+15:00", "+14:01", "+5:60", "UTC+", "+1:2:3"])("reject the name %j", (name) => {
    expect(() => find(name)).toThrow(/Invalid (empty )?time zone/);
  });
});
