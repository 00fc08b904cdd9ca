import { describe, expect, it } from "vitest";
import type { SourceReport, StoreReport } from "../engines/contract/query-engine.ts";
import { describeStore } from "./store-state.ts";

const nowMs = Date.UTC(2026, 7, 20);
const nowUs = BigInt(nowMs) * 1000n;
const dayUs = 86_400_000_000n;

const edge: SourceReport = {
  name: "edge",
  rowCount: 10,
  oldestTimestampUs: nowUs - dayUs,
  newestTimestampUs: nowUs,
  tailRowCount: 4,
  fieldCount: 7,
  runCount: 2,
};
const report: StoreReport = {
  directory: "/data/store",
  fileBytes: 1000,
  reusableBytes: 100,
  logBytes: 10,
  diskFreeBytes: 1e12,
  sources: [edge],
};
const sources = [{ name: "edge", retentionDays: 30 }];

function problemsOf(some: Partial<StoreReport>, source: Partial<SourceReport> = {}): string[] {
  const state = describeStore("duckdb", { ...report, sources: [{ ...edge, ...source }], ...some }, sources, nowMs);
  return state.problems.map(({ code }) => code);
}

describe("the state of a store", () => {
  it("tells sizes and sources, times in ISO 8601", () => {
    expect(describeStore("duckdb", report, sources, nowMs)).toEqual({
      engine: "duckdb",
      directory: "/data/store",
      rows: 10,
      file_bytes: 1000,
      reusable_bytes: 100,
      log_bytes: 10,
      disk_free_bytes: 1e12,
      sources: [
        {
          name: "edge",
          rows: 10,
          oldest: "2026-08-19T00:00:00.000Z",
          newest: "2026-08-20T00:00:00.000Z",
          fields: 7,
          runs: 2,
          tail_rows: 4,
          without_tenant: null,
          mistyped: [],
          retention_days: 30,
        },
      ],
      problems: [],
    });
  });

  it("names a disk that is nearly full, also when only the log is large", () => {
    expect(problemsOf({ diskFreeBytes: 1e8 })).toEqual(["disk_nearly_full"]);
    expect(problemsOf({ diskFreeBytes: 6e8, logBytes: 4e8 })).toEqual(["disk_nearly_full"]);
  });

  it("names a log that no checkpoint empties", () => {
    expect(problemsOf({ logBytes: 6e8 })).toEqual(["log_too_long"]);
  });

  it.each([
    ["compaction_behind", { tailRowCount: 2_000_000 }],
    ["retention_behind", { oldestTimestampUs: nowUs - 31n * dayUs }],
    ["events_in_the_future", { newestTimestampUs: nowUs + 2n * dayUs }],
    ["unknown_source", { name: "gone" }],
  ])("names %s", (code, source) => {
    expect(problemsOf({}, source)).toEqual([code]);
  });

  it("finds nothing wrong with an empty source", () => {
    expect(problemsOf({}, { name: "gone", rowCount: 0, oldestTimestampUs: null, newestTimestampUs: null })).toEqual([]);
  });
});
