import { describe, expect, it } from "vitest";
import type { FigureDefinition, SourceReport, StoreReport } from "../engines/contract/query-engine.ts";
import { reservedFigureNames } from "../engines/contract/store-report.ts";
import { describeStore } from "./store-state.ts";

const nowMs = Date.UTC(2026, 7, 20);
const nowUs = BigInt(nowMs) * 1000n;
const dayUs = 86_400_000_000n;

const edge: SourceReport = {
  name: "edge",
  rowCount: 10,
  oldestTimestampUs: nowUs - dayUs,
  newestTimestampUs: nowUs,
  fieldCount: 7,
  figures: { parts: 2 },
};
const figureDefinitions: readonly FigureDefinition[] = [
  { name: "shards", label: "Shards", unit: "count", of: "store", description: "Machines." },
  { name: "parts", label: "Parts", unit: "count", of: "source", description: "Files." },
];
const report: StoreReport = {
  directory: "/data/store",
  figureDefinitions,
  figures: { shards: 3 },
  problems: [],
  sources: [edge],
};
const sources = [{ name: "edge", retentionDays: 30 }];

function problemsOf(some: Partial<StoreReport>, source: Partial<SourceReport> = {}): string[] {
  const state = describeStore("any", { ...report, sources: [{ ...edge, ...source }], ...some }, sources, nowMs);
  return state.problems.map(({ code }) => code);
}

describe("the state of a store", () => {
  it("tells the engine's figures and sources, times in ISO 8601", () => {
    expect(describeStore("any", report, sources, nowMs)).toEqual({
      engine: "any",
      directory: "/data/store",
      rows: 10,
      shards: 3,
      sources: [
        {
          name: "edge",
          rows: 10,
          oldest: "2026-08-19T00:00:00.000Z",
          newest: "2026-08-20T00:00:00.000Z",
          fields: 7,
          parts: 2,
          without_tenant: null,
          mistyped: [],
          retention_days: 30,
        },
      ],
      problems: [],
      figures: figureDefinitions,
    });
  });

  it("lists the engine's problems before those of events", () => {
    const own = { code: "out_of_shards", message: "Add one" };
    expect(problemsOf({ problems: [own] }, { newestTimestampUs: nowUs + 2n * dayUs })).toEqual([
      "out_of_shards",
      "events_in_the_future",
    ]);
  });

  it("lets no figure of an engine's stand in for what every engine tells", () => {
    const state = describeStore("any", { ...report, figures: { rows: 7 } }, sources, nowMs);
    expect(state.rows).toBe(10);
    expect(new Set([...Object.keys(state), ...Object.keys(state.sources[0] ?? {})])).toEqual(
      new Set([...reservedFigureNames, "parts"]),
    );
  });

  it.each([
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
