import { describe, expect, it } from "vitest";
import { findDifference } from "./compare.ts";
import { batchCount, defaultEndMs, makeBatch, restamp } from "./events.ts";

const plan = { seed: 11, eventCount: 2_000, endMs: defaultEndMs };
const events = Array.from({ length: batchCount(plan) }, (_, index) => makeBatch(plan, index)).flat();
const endUs = plan.endMs * 1_000;

describe("the benchmark's events", () => {
  it("are the same for the same seed, and different for another seed", () => {
    expect(makeBatch(plan, 1)).toEqual(makeBatch(plan, 1));
    expect(makeBatch({ ...plan, seed: 12 }, 1)[0]?.id).not.toBe(makeBatch(plan, 1)[0]?.id);
  });

  it("have unique ids and timestamps, and a realistic size", () => {
    expect(new Set(events.map(({ id }) => id)).size).toBe(plan.eventCount);
    expect(new Set(events.map(({ timestampUs }) => timestampUs)).size).toBe(plan.eventCount);
    const sizes = events.map(({ json }) => json.length);
    expect(Math.min(...sizes)).toBeGreaterThan(1_500);
    expect(Math.max(...sizes)).toBeLessThan(2_700);
  });

  it("can be restamped with another id and timestamp only", () => {
    const [event] = events;
    if (event === undefined) throw new Error("No events");
    const changed = restamp(event, 3, endUs + 1);
    expect(JSON.parse(changed.json)).toEqual({
      ...JSON.parse(event.json),
      id: changed.id,
      timestamp: "2026-08-20T00:00:00.000001Z",
    });
    expect(changed.id).toMatch(/^00000003-/);
  });
});

describe("findDifference", () => {
  it("reports a missing row, a different order and a different number", () => {
    expect(findDifference("ids", [["a"]], [])).toBe("1 rows and 0 rows");
    expect(findDifference("ids", [["a"], ["b"]], [["b"], ["a"]])).toBe("row 0 is a and b");
    expect(findDifference("numbers", [["x", 1]], [["y", 2]])).toBe("row 0, column 1: 1 and 2");
  });

  it("accepts numbers given as text, and quantiles that are close to each other", () => {
    expect(findDifference("numbers", [["x", 12]], [["y", "12"]])).toBeUndefined();
    expect(findDifference("quantile", [["x", 12, 100]], [["y", 12, 110]])).toBeUndefined();
    expect(findDifference("quantile", [["x", 12, 100]], [["y", 13, 100]])).toBe("row 0, column 1: 12 and 13");
  });
});
