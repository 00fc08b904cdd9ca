import { describe, expect, it } from "vitest";
import { scalarFunctions } from "./index.ts";

describe("JavaScript functions", () => {
  it("have names of their own that hide nothing of DuckDB", () => {
    const names = scalarFunctions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^lw_[a-z0-9_]+$/.test(name))).toEqual([]);
  });
});
