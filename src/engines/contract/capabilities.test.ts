import { expect, it } from "vitest";
import { defaultCapabilities, describeWeakPromises } from "./capabilities.ts";

it("describeWeakPromises returns nothing for an engine with the usual promises", () => {
  expect(describeWeakPromises(defaultCapabilities)).toEqual([]);
  expect(describeWeakPromises({ ...defaultCapabilities, hasLocalFiles: true, cancelLatencyMs: 5 })).toEqual([]);
});

it.each([
  ["isAppendDurable", "loss of power"],
  ["areIdsUnique", "stored twice"],
  ["isSchemaSynchronous", "some time after"],
] as const)("describeWeakPromises explains what it means that %s is false", (flag, words) => {
  expect(describeWeakPromises({ ...defaultCapabilities, [flag]: false })).toEqual([expect.stringContaining(words)]);
});
