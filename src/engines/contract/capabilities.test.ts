import { expect, it } from "vitest";
import { defaultCapabilities, describeWeakPromises } from "./capabilities.ts";

it("says nothing of an engine that promises what is usual", () => {
  expect(describeWeakPromises(defaultCapabilities)).toEqual([]);
  expect(describeWeakPromises({ ...defaultCapabilities, hasLocalFiles: true, cancelLatencyMs: 5 })).toEqual([]);
});

it.each([
  ["isAppendDurable", "loss of power"],
  ["areIdsUnique", "stored twice"],
  ["isSchemaSynchronous", "some time after"],
] as const)("says what it means that %s is false", (flag, words) => {
  expect(describeWeakPromises({ ...defaultCapabilities, [flag]: false })).toEqual([expect.stringContaining(words)]);
});
