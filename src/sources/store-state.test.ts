import { describe, expect, it } from "vitest";
import type { FigureDefinition, SourceReport, StoreReport } from "../engines/contract/query-engine.ts";
import { reservedFigureNames } from "../engines/contract/store-report.ts";
import type { RetentionDays } from "./source.ts";
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
  it("has a problem while events use more than they may", () => {
    const space = { usedBytes: 3_000_000, freeBytes: 1_000_000 };
    const codesWith = (maxUsedBytes: number) => {
      const bounds = { maxUsedBytes, minFreeBytes: undefined };
      return describeStore("any", { ...report, space }, sources, nowMs, bounds).problems.map(({ code }) => code);
    };
    expect(codesWith(3_000_000)).toEqual([]);
    expect(codesWith(2_999_999)).toEqual(["store_too_large"]);
  });

  it("has a problem when events are older than any tenant's retention", () => {
    const behind = (retentionDays: RetentionDays) =>
      describeStore("any", report, [{ name: "edge", retentionDays }], nowMs).problems.map(({ code }) => code);
    expect(behind({ default: 0.5, tenants: { a: 0.25 } })).toEqual(["retention_behind"]);
    expect(behind({ default: 0.5, tenants: { a: 2 } })).toEqual([]);
    expect(behind({ tenants: { a: 0.5 } })).toEqual([]);
  });

  it("includes the engine's figures and sources, with times in ISO 8601", () => {
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

  it("does not let a figure of the engine replace a common property", () => {
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
  ])("reports %s", (code, source) => {
    expect(problemsOf({}, source)).toEqual([code]);
  });

  it("explains problems, tolerating an hour of late retention and a day of clock skew", () => {
    const messages = (source: Partial<SourceReport>) =>
      describeStore("any", { ...report, sources: [{ ...edge, ...source }] }, sources, nowMs).problems;
    expect(messages({ name: "gone" })).toEqual([
      {
        code: "unknown_source",
        message: "The store holds 10 events of gone, which no source file names: no query reads them",
        source: "gone",
      },
    ]);
    const keptUs = nowUs - 30n * dayUs - 7_200_000_000n;
    expect(messages({ oldestTimestampUs: keptUs })).toEqual([]);
    expect(messages({ oldestTimestampUs: keptUs - 1n })).toEqual([
      {
        code: "retention_behind",
        message: "edge has events older than its 30 days; a running service deletes them within the hour",
        source: "edge",
      },
    ]);
    expect(messages({ newestTimestampUs: nowUs + dayUs })).toEqual([]);
    expect(messages({ newestTimestampUs: nowUs + dayUs + 1n })).toEqual([
      {
        code: "events_in_the_future",
        message: "edge has events of more than a day in the future; look at the clock of their sender",
        source: "edge",
      },
    ]);
  });

  it("has null for an unknown folder, time, tenant or retention", () => {
    const mistyped = [{ path: "metadata.n", type: "INT64", count: 3, example: "x" }];
    const odd = { ...edge, name: "odd", rowCount: 5, oldestTimestampUs: null, newestTimestampUs: 10n ** 20n, mistyped };
    const homeless = { ...report, directory: undefined, sources: [{ ...edge, tenantlessCount: 4 }, odd] };
    const state = describeStore("any", homeless, sources, nowMs);
    expect([state.directory, state.rows]).toEqual([null, 15]);
    expect(state.sources).toMatchObject([
      { without_tenant: 4, mistyped: [], retention_days: 30 },
      { oldest: null, newest: null, without_tenant: null, mistyped, retention_days: null },
    ]);
  });

  it("reports no problem for an empty source", () => {
    expect(problemsOf({}, { name: "gone", rowCount: 0, oldestTimestampUs: null, newestTimestampUs: null })).toEqual([]);
  });
});
