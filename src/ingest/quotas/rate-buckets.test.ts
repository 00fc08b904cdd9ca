import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateBuckets } from "./rate-buckets.ts";

function createClock() {
  const clock = { ms: 0 };
  return Object.assign(clock, { now: () => clock.ms });
}

const one = { events: 1, bytes: 10 };

describe("a rate per minute", () => {
  it("may be used up at once, and is refilled gradually", () => {
    const clock = createClock();
    const buckets = createRateBuckets(clock.now);
    const rates = { events: 6 };
    const all = { events: 6, bytes: 0 };
    expect(buckets.shortage("a", all, rates)).toBeUndefined();
    buckets.take("a", all, rates);
    expect(buckets.shortage("a", one, rates)).toEqual({ unit: "events", rate: 6, waitMs: 10_000, isTooMuch: false });
    clock.ms = 9_999;
    expect(buckets.shortage("a", one, rates)).toBeDefined();
    clock.ms = 10_000;
    expect(buckets.shortage("a", one, rates)).toBeUndefined();
    expect(buckets.shortage("a", { events: 2, bytes: 0 }, rates)?.waitMs).toBeCloseTo(10_000);
  });

  it("is distinguished from a load that alone exceeds it", () => {
    const buckets = createRateBuckets(() => 0);
    expect(buckets.shortage("a", { events: 7, bytes: 0 }, { events: 6 })).toMatchObject({
      isTooMuch: true,
      waitMs: 60_000,
    });
    buckets.take("a", one, { events: 6 });
    expect(buckets.shortage("a", { events: 6, bytes: 0 }, { events: 6 })).toMatchObject({
      isTooMuch: false,
      waitMs: 10_000,
    });
  });

  it("applies to bytes as well as events, for each key separately", () => {
    const buckets = createRateBuckets(() => 0);
    const rates = { events: 100, bytes: 25 };
    buckets.take("a", one, rates);
    buckets.take("a", one, rates);
    expect(buckets.shortage("a", one, rates)).toMatchObject({ unit: "bytes", waitMs: 12_000 });
    expect(buckets.shortage("b", one, rates)).toBeUndefined();
  });

  it("is restored when a load is given back", () => {
    const buckets = createRateBuckets(() => 0);
    const rates = { events: 1 };
    buckets.take("a", one, rates);
    buckets.giveBack("a", one);
    expect(buckets.shortage("a", one, rates)).toBeUndefined();
  });

  it("allows the load of one minute at a time, and at most twice as much within any minute", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 12 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (arrivals) => {
        const clock = createClock();
        const buckets = createRateBuckets(clock.now);
        const rates = { events: 10 };
        const taken: { readonly atMs: number; readonly events: number }[] = [];
        for (const [laterMs, events] of arrivals) {
          clock.ms += laterMs;
          const short = buckets.shortage("a", { events, bytes: 0 }, rates);
          if (short !== undefined) {
            if (short.isTooMuch) continue;
            // The announced wait is sufficient.
            clock.ms += Math.ceil(short.waitMs);
            expect(buckets.shortage("a", { events, bytes: 0 }, rates)).toBeUndefined();
          }
          buckets.take("a", { events, bytes: 0 }, rates);
          taken.push({ atMs: clock.ms, events });
          const minute = taken.filter(({ atMs }) => atMs > clock.ms - 60_000);
          expect(minute.reduce((sum, each) => sum + each.events, 0)).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});

describe("keys of rate buckets", () => {
  it("are removed after a minute without use", () => {
    const clock = createClock();
    const buckets = createRateBuckets(clock.now);
    for (let at = 0; at < 10_000; at++) buckets.take(`t${at}`, one, { events: 5 });
    expect(buckets.size).toBe(10_000);
    clock.ms = 60_000;
    buckets.take("last", one, { events: 5 });
    expect(buckets.size).toBe(1);
  });

  it("are limited in number, retaining those used last", () => {
    const buckets = createRateBuckets(() => 0, 100);
    const rates = { events: 1 };
    for (let at = 0; at < 10_000; at++) {
      buckets.take(`t${at}`, one, rates);
      if (at % 50 === 0) buckets.take("busy", one, rates);
    }
    expect(buckets.size).toBe(100);
    expect(buckets.shortage("busy", one, rates)).toBeDefined();
    expect(buckets.shortage("t0", one, rates)).toBeUndefined();
  });
});
