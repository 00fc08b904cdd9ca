import { describe, expect, it } from "vitest";
import { compareForms } from "./compare-forms.ts";

describe("a call of every function", () => {
  it("returns the same over literals as over columns", async () => {
    expect(await compareForms({ seed: 1, count: 70, together: 2 })).toEqual([]);
  }, 60_000);
});
