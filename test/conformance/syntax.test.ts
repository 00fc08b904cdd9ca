import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { printSyntaxConformance, runSyntaxConformance } from "./syntax.ts";

const CASES = [
  { id: "a", area: "select", sql: "SELECT 1", accept: true },
  { id: "b", area: "select", sql: "SELECT 1 1", accept: true },
  { id: "c", area: "select", sql: "SELECT", accept: false, error: "Unexpected end of statement [at 1:7]" },
  { id: "d", area: "select", sql: "SELECT ]", accept: false, error: "Unexpected ] [at 9:9]" },
  { id: "e", area: "select", sql: "SELECT 2", accept: false, error: "Not this one [at 1:8]" },
];

describe("a run of a folder's syntax.json", () => {
  let folder = "";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "logweir-syntax-"));
    writeFileSync(join(folder, "syntax.json"), JSON.stringify(CASES));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("counts texts to accept separately from texts to reject", () => {
    const result = runSyntaxConformance(folder);
    expect(result.accepted).toMatchObject({ passed: 1, failed: 1 });
    expect(result.rejected).toMatchObject({ passed: 2, failed: 1 });
    expect(result.samePosition).toBe(1);
  });

  it("names each failure and ends with one line for each set", () => {
    expect(printSyntaxConformance(runSyntaxConformance(folder)).split("\n")).toEqual([
      'b select: rejected: Syntax error: Expected end of input but got integer literal "1" [at 1:10]',
      "e select: accepted, but: Not this one [at 1:8]",
      "syntax, rejected at the reference's position: 1 of 3",
      "syntax, to accept: 1 passed, 1 failed",
      "syntax, to reject: 2 passed, 1 failed",
    ]);
  });
});
