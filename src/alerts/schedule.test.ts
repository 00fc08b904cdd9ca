import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNextRun, findCronProblem, nextRunMs, readDuration, runsWithin } from "./schedule.ts";

const minuteMs = 60_000;

describe("a schedule", () => {
  it.each([
    ["*/5 * * * *", false],
    ["*/4 * * * *", true],
    ["*/7 * * * *", true],
    ["0,5,12 * * * *", false],
    ["0,4 3 * * *", true],
    ["3,58 * * * *", false],
    ["2,58 * * * *", true],
    ["2,58 0,12 * * *", false],
    ["2,58 0,23 1 * *", false],
    ["2,58 0,23 1,31 * *", true],
    ["0 9 * * MON-FRI", false],
    ["@hourly", false],
  ])("%s runs twice within five minutes: %s", (pattern, isSo) => {
    expect([findCronProblem(pattern, "UTC"), runsWithin(pattern, 5)]).toEqual([undefined, isSo]);
  });

  it("has the same next run among many, in whatever order they are asked for", () => {
    const pattern = fc.constantFrom("* * * * *", "*/7 * * * *", "30 2 * * *", "0 9 * * MON", "0 0 29 2 *");
    const cron = fc.record({
      kind: fc.constant("cron" as const),
      pattern,
      zone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York"),
    });
    const every = fc.record({ kind: fc.constant("every" as const), ms: fc.constant(minuteMs), offsetMs: fc.nat(9) });
    // Around the nights in which clocks are set.
    const time = fc.integer({ min: Date.UTC(2026, 2, 28), max: Date.UTC(2026, 3, 1) });
    const asked = fc.tuple(fc.oneof(cron, every), fc.oneof(fc.constant(Date.UTC(2026, 2, 29, 0, 59)), time));
    fc.assert(
      fc.property(fc.array(asked, { minLength: 1, maxLength: 20 }), (all) => {
        const next = createNextRun();
        const runs = all.map(([schedule, afterMs]) => next(schedule, afterMs));
        expect(runs).toEqual(all.map(([schedule, afterMs]) => nextRunMs(schedule, afterMs)));
      }),
      { numRuns: 30 },
    );
  });

  it("finds the shortest time between two runs, as a list of a day's runs shows it", () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 4 });
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(minutes, hours, (minuteList, hourList) => {
        const runs = hourList.flatMap((hour) => minuteList.map((minute) => hour * 60 + minute)).sort((a, b) => a - b);
        const gaps = [...runs, (runs[0] ?? 0) + 1_440].slice(1).map((run, at) => run - (runs[at] ?? 0));
        const isSo = gaps.some((gap) => gap < 5);
        expect(runsWithin(`${minuteList.join()} ${hourList.join()} * * *`, 5)).toBe(isSo);
      }),
      { numRuns: 30 },
    );
  });

  it.each(["every minute", "* * * *", "* * * * * *", "61 * * * *", "0 0 30 2 *"])("%s is no pattern", (pattern) => {
    expect(findCronProblem(pattern, "UTC")).toBe("cron");
  });

  it("runs by the clock of its zone, also where that is set forward", () => {
    expect(findCronProblem("0 9 * * *", "Europe/Nowhere")).toBe("zone");
    const schedule = { kind: "cron", pattern: "0 9 * * *", zone: "Europe/Berlin" } as const;
    const first = nextRunMs(schedule, Date.parse("2026-03-28T00:00:00Z"));
    expect(first).toBe(Date.parse("2026-03-28T08:00:00Z"));
    expect(nextRunMs(schedule, Number(first))).toBe(Date.parse("2026-03-29T07:00:00Z"));
  });

  it("runs every so often, at times that do not depend on when it was asked", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 0, max: minuteMs - 1 }), (afterMs, offsetMs) => {
        const next = nextRunMs({ kind: "every", ms: minuteMs, offsetMs }, afterMs) ?? 0;
        expect(next % minuteMs).toBe(offsetMs);
        expect(next > afterMs && next - afterMs <= minuteMs).toBe(true);
      }),
      { numRuns: 50 },
    );
    expect(["30s", "5m", "2h", "1d"].map(readDuration)).toEqual([30_000, 300_000, 7_200_000, 86_400_000]);
  });
});
