import { expect, it } from "vitest";
import { createIntakeTally } from "./intake-tally.ts";

it("the intake tally counts by source and lists the newest reasons first", () => {
  let now = 1_000;
  const tally = createIntakeTally(() => now);
  tally.note("edge", {
    stored: 3,
    untimed: 1,
    tenantless: 2,
    rejected: [{ reason: "no object" }, { reason: "too large" }],
  });
  now = 2_000;
  tally.note("edge", { stored: 1, untimed: 0, rejected: [{ reason: "no object" }] });
  tally.refuse("edge", "not JSON");
  expect(tally.of("edge")).toEqual({
    stored: 4,
    rejected: 3,
    refusedBodies: 1,
    untimed: 1,
    tenantless: 2,
    lastStoredMs: 2_000,
    reasons: [
      { reason: "not JSON", count: 1, newestMs: 2_000 },
      { reason: "no object", count: 2, newestMs: 2_000 },
      { reason: "too large", count: 1, newestMs: 1_000 },
    ],
  });
  expect(tally.of("db")).toMatchObject({ stored: 0, lastStoredMs: undefined, reasons: [] });
  expect(tally.sinceMs).toBe(1_000);
});

it("the intake tally retains a bounded number of reasons, however many differ", () => {
  const tally = createIntakeTally(() => 0);
  for (let index = 0; index < 1_000; index++) tally.refuse("edge", `${index} ${"x".repeat(10_000)}`);
  const { reasons, refusedBodies } = tally.of("edge");
  expect(refusedBodies).toBe(1_000);
  expect(reasons).toHaveLength(20);
  expect(reasons[0]?.reason).toMatch(/^999 x{296}$/);
});
