import { describe, expect, it } from "vitest";
import { scalarFunctions } from "./index.ts";

describe("JavaScript functions", () => {
  it("have unique names with the prefix lw_", () => {
    const names = scalarFunctions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^lw_[a-z0-9_]+$/.test(name))).toEqual([]);
  });
});
