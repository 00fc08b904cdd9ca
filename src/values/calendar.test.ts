import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addMonths,
  civilFromDays,
  civilFromMicros,
  daysFromCivil,
  isTimestampInRange,
  isValidDay,
  MAX_DAY,
  MAX_MICROS,
  MIN_DAY,
  MIN_MICROS,
  microsFromCivil,
} from "./calendar.ts";

const anyDay = fc.integer({ min: MIN_DAY, max: MAX_DAY });

describe("the calendar", () => {
  it("agrees with Date for every day from year 1 to 9999", () => {
    fc.assert(
      fc.property(anyDay, (days) => {
        const date = new Date(days * 86_400_000);
        const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(civilFromDays(days)).toEqual(civil);
        expect(daysFromCivil(civil)).toBe(days);
      }),
    );
  });

  it("puts together again what it takes apart", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN_MICROS, max: MAX_MICROS }), (micros) => {
        expect(microsFromCivil(civilFromMicros(micros))).toBe(micros);
      }),
    );
  });

  it("has exactly the days of each month, and 29 February in leap years only", () => {
    for (const [month, last] of [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].entries()) {
      const days = [0, 1, last, last + 1].map((day) => isValidDay(2023, month + 1, day));
      expect(days).toEqual([false, true, true, false]);
    }
    expect([isValidDay(2024, 0, 1), isValidDay(2024, 13, 1)]).toEqual([false, false]);
    const years = [1900, 2000, 2023, 2024, 2100, 2400];
    expect(years.filter((year) => isValidDay(year, 2, 29))).toEqual([2000, 2024, 2400]);
  });

  it("begins with year 1 and ends with year 9999", () => {
    expect([MIN_DAY, MAX_DAY].map(civilFromDays)).toEqual([
      { year: 1, month: 1, day: 1 },
      { year: 9999, month: 12, day: 31 },
    ]);
    const ends = [MIN_MICROS - 1n, MIN_MICROS, MAX_MICROS, MAX_MICROS + 1n];
    expect(ends.map(isTimestampInRange)).toEqual([false, true, true, false]);
  });

  it("moves a day by months to the same day, or to the last of a shorter month", () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -120_000, max: 120_000 }), (days, months) => {
        const [from, to] = [civilFromDays(days), civilFromDays(addMonths(days, months))];
        expect((to.year - from.year) * 12 + to.month - from.month).toBe(months);
        const isLast = !isValidDay(to.year, to.month, to.day + 1);
        expect(to.day === from.day || (to.day < from.day && isLast)).toBe(true);
      }),
    );
  });
});
