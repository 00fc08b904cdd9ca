import { describe, expect, it } from "vitest";
import { reservedFigureNames } from "../../contract/store-report.ts";
import type { HostReport } from "../host/protocol.ts";
import { figureDefinitions, findStoreProblems, sourceFigures, storeFigures } from "./store-report.ts";

const edge: HostReport["sources"][number] = {
  name: "edge",
  rowCount: 10,
  oldestUs: "0",
  newestUs: "1",
  tailRowCount: 4,
  fieldCount: 7,
  runCount: 2,
  tenantlessCount: null,
};
const report: HostReport = {
  fileBytes: 1000,
  reusableBytes: 100,
  logBytes: 10,
  diskFreeBytes: 1e12,
  sources: [edge],
};

function problemsOf(some: Partial<HostReport>): readonly string[] {
  return findStoreProblems({ ...report, ...some }, "/data/store", undefined).map(({ code }) => code);
}

describe("the figures of the embedded engine", () => {
  it("match the definitions, and use no reserved name", () => {
    const namesOf = (of: string) => figureDefinitions.filter((each) => each.of === of).map(({ name }) => name);
    expect(Object.keys(storeFigures(report))).toEqual(namesOf("store"));
    expect(Object.keys(sourceFigures(edge))).toEqual(namesOf("source"));
    expect(figureDefinitions.filter(({ name }) => reservedFigureNames.has(name))).toEqual([]);
  });
});

describe("the problems of the embedded engine", () => {
  it("are empty for a healthy store, and exclude disk space for a store in memory", () => {
    expect(problemsOf({})).toEqual([]);
    expect(findStoreProblems({ ...report, diskFreeBytes: 0 }, undefined, undefined)).toEqual([]);
  });

  it("report a nearly full disk, even if only the log is large", () => {
    expect(problemsOf({ diskFreeBytes: 1e8 })).toEqual(["disk_nearly_full"]);
    expect(problemsOf({ diskFreeBytes: 6e8, logBytes: 4e8 })).toEqual(["disk_nearly_full"]);
  });

  it("report a log that no checkpoint empties, and a tail that is not compacted", () => {
    expect(problemsOf({ logBytes: 6e8 })).toEqual(["log_too_long"]);
    expect(problemsOf({ sources: [{ ...edge, tailRowCount: 2_000_000 }] })).toEqual(["compaction_behind"]);
  });

  it("report a truncated log", () => {
    const loss = { foundAt: "2026-08-20T00:00:00Z", acknowledgedBytes: 20, foundBytes: 10 };
    expect(findStoreProblems(report, undefined, loss)).toEqual([
      { code: "log_shortened", message: expect.stringContaining("10 bytes, and 20 when") },
    ]);
  });
});
