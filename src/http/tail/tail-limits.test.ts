import { expect, it } from "vitest";
import { createTailLimits } from "./tail-limits.ts";

it("a token follows 1,000 queries or tables at most, and what it leaves makes room", () => {
  const limits = createTailLimits();
  const entered = Array.from({ length: 33 }, () => limits.enter("a", 30));
  limits.enter("a", 10);
  expect(() => limits.enter("a", 1)).toThrow(expect.objectContaining({ code: "too_many_queries" }));
  expect(limits.enter("b", 1_000).waiting).not.toBe(entered[0]?.waiting);
  entered[0]?.leave();
  expect(limits.enter("a", 30).waiting).toBe(entered[0]?.waiting);
  expect(() => limits.enter("a", 1)).toThrow(expect.objectContaining({ status: 429 }));
});
