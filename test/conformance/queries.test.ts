import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { printQueryConformance, runQueryConformance } from "./queries.ts";

const CASES = [
  { id: "a", name: "right", query: "SELECT 1, @p", params: { p: "x" }, rows: [[1, "x"]] },
  { id: "b", name: "right in any order", query: "SELECT x FROM UNNEST([1, 2]) AS x", rows: [[2], [1]] },
  { id: "c", name: "wrong order", query: "SELECT x FROM UNNEST([1, 2]) AS x ORDER BY x", rows: [[2], [1]] },
  { id: "d", name: "an error is due and given", query: "SELECT 1 / 0", error: "zero" },
  { id: "e", name: "an error is due", query: "SELECT 1", error: "any" },
  { id: "f", name: "rows are due", query: "SELECT nope", rows: [[1]] },
];

const SKETCHES = [
  {
    id: "a",
    name: "a sketch",
    query: "SELECT y, s FROM (SELECT y, HLL_COUNT.INIT(x) AS s FROM UNNEST([1]) x, UNNEST([2]) y GROUP BY y)",
    rows: [[2, "b3RoZXI="]],
  },
  {
    id: "b",
    name: "no sketch",
    query: "SELECT NULL AS y, HLL_COUNT.INIT(x) FROM UNNEST([1]) x",
    rows: [[1, "b3RoZXI="]],
  },
  {
    id: "c",
    name: "an estimate",
    query: "SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)) FROM UNNEST([1]) x",
    rows: [[2]],
  },
];

describe("a run of a folder's queries.json", () => {
  let folder = "";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "logweir-queries-"));
    writeFileSync(join(folder, "queries.json"), JSON.stringify(CASES));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("counts wrong rows separately from errors, and names the failed cases", async () => {
    const result = await runQueryConformance(folder);
    expect(result).toMatchObject({ passed: 3, failed: 3, wrongRows: 2 });
    expect(result.failures.map((failure) => failure.slice(0, 2))).toEqual(["c ", "e ", "f "]);
    const printed = printQueryConformance(result).split("\n");
    expect(printed.at(-1)).toBe("queries: 3 passed, 3 failed");
    expect(printed.at(-2)).toBe("queries, right: 50.0%, wrong rows: 2 (33.3%)");
  });

  it("does not compare the bytes of sketches, and names their cases", async () => {
    writeFileSync(join(folder, "queries.json"), JSON.stringify(SKETCHES));
    const result = await runQueryConformance(folder);
    expect(result).toMatchObject({ passed: 1, failed: 2, wrongRows: 2, sketches: ["a", "b"] });
    expect(printQueryConformance(result)).toContain("not compared: a, b");
  });
});
