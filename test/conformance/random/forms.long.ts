import { describe, expect, it } from "vitest";
import { compareForms } from "./compare-forms.ts";

/** SEED and CONFORMANCE_CALLS set the seed and the count. */
const seed = Number(process.env.SEED ?? 872_499);
const count = Number(process.env.CONFORMANCE_CALLS ?? 100_000);

describe("random calls of every function", () => {
  it(`return the same over literals as over columns: ${count} calls, seed ${seed}`, async () => {
    expect(await compareForms({ seed, count, together: 16 })).toEqual([]);
  }, 7_200_000);
});
