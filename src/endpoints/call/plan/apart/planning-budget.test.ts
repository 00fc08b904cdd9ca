import { expect, it } from "vitest";
import { PlanningBudget } from "./planning-budget.ts";

it("a caller's plans may take 50 ms at once, and a tenth of the clock, whatever others take", () => {
  let nowMs = 0;
  const budget = new PlanningBudget(() => nowMs);
  const take = (caller: string, ms: number) =>
    budget.spend(caller, () => {
      nowMs += ms;
    });
  take("a", 30);
  expect(budget.hasTime("a")).toBe(true);
  take("a", 30);
  // A tenth of the time that the second plan took has come back.
  expect([budget.hasTime("a"), budget.hasTime("b")]).toEqual([false, true]);
  nowMs += 50;
  expect(budget.hasTime("a")).toBe(false);
  nowMs += 25;
  expect(budget.hasTime("a")).toBe(true);
  const failing = () => {
    nowMs += 60;
    throw new Error("no plan");
  };
  expect(() => budget.spend("b", failing)).toThrow("no plan");
  expect(budget.hasTime("b")).toBe(false);
});
