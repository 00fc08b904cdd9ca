import { describe, expect, it } from "vitest";
import { parseDatetime } from "./time-text.ts";
import { createZoneFinder, findZone, readOffset, utcFromWall, wallFromUtc } from "./time-zone.ts";

const find = createZoneFinder();

function micros(text: string): bigint {
  const value = parseDatetime(text);
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

  it.each(["Nowhere/City", "", "+15:00", "+14:01", "+5:60", "UTC+", "+1:2:3", "+23:00", "-23:00"])(
    "reject the name %j",
    (name) => {
      for (const each of [find, findZone]) expect(() => each(name)).toThrow(/Invalid (empty )?time zone/);
    },
  );

  it("are the same whether they are found for a few instants or for many", () => {
    for (const name of ["UTC", "-03:30", "Europe/Berlin", "America/Port-au-Prince", "Etc/GMT+5", "UTC+1"]) {
      for (let hour = -200_000; hour < 400_000; hour += 997) {
        expect(find(name).offsetAt(hour * 3600)).toBe(findZone(name).offsetAt(hour * 3600));
      }
    }
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
});
