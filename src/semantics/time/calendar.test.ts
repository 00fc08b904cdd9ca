import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  civilFromDays,
  daysFromCivil,
  formatDatetime,
  formatInterval,
  parseDate,
  parseDatetime,
  parseInterval,
  parseTime,
} from "./calendar.ts";

describe("the calendar", () => {
  it("agrees with Date for every day from year 1 to 9999", () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (days) => {
        const date = new Date(days * 86_400_000);
        const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(civilFromDays(days)).toEqual(civil);
        expect(daysFromCivil(civil)).toBe(days);
      }),
    );
  });

  it("parses back every datetime that it formats", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }), (micros) => {
        expect(parseDatetime(formatDatetime(micros))).toBe(micros);
      }),
    );
  });

  it("parses back every interval that it formats", () => {
    const parts = fc.record({
      months: fc.integer({ min: -120_000, max: 120_000 }),
      days: fc.integer({ min: -3_660_000, max: 3_660_000 }),
      micros: fc.bigInt({ min: -316_224_000_000_000_000n, max: 316_224_000_000_000_000n }),
    });
    fc.assert(
      fc.property(parts, (interval) => {
        expect(parseInterval(formatInterval(interval))).toEqual(interval);
      }),
    );
  });

  it.each(["2023-02-29", "2024-13-01", "2024-00-10", "yesterday", ""])("rejects the date %j", (text) => {
    expect(parseDate(text)).toBeUndefined();
  });

  it.each(["24:00:00", "10:60:00", "10:00", "10:00:00.", ""])("rejects the time %j", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
