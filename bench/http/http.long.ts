import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultEndMs } from "../events.ts";
import { formatHttp } from "./http-report.ts";
import { type HttpReport, hitRatios, measureHttp } from "./measure-http.ts";

const effort = { rounds: 1, secondsPerRound: 0.2, junkCalls: 500, junkValues: 50, leavers: 20, exportRows: 12_000 };
let folder: string;
let report: HttpReport;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-bench-http-"));
  const options = {
    plan: { seed: 5, eventCount: 1, endMs: defaultEndMs },
    peers: [],
    part: "http",
    jsonFile: undefined,
    folder,
    keepsStores: false,
    chdbFolder: folder,
    ingestSeconds: 1,
  } as const;
  report = await measureHttp(options, () => undefined, effort);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the HTTP benchmark", () => {
  it("counts responses of the bare route, cache hits and unchanged responses", () => {
    for (const { bare, hits, unchanged } of report.rounds) {
      for (const { count } of [bare, hits, unchanged]) expect(count).toBeGreaterThan(0);
    }
    expect(hitRatios(report.rounds).requests).toBeGreaterThan(0);
  });

  it("runs one query for identical misses, and answers or refuses each distinct one", () => {
    expect(report.identical).toEqual({ callers: 64, answered: 64, engineRuns: 1 });
    expect(report.different.answered + report.different.refused).toBe(64);
  });

  it("finds no query running once its caller has left", () => {
    expect(report.leavers.running).toBe(0);
  });

  it("finds the cache within its size limit, whatever junk parameters are sent", () => {
    expect(report.junk.keptBytes).toBeLessThanOrEqual(report.junk.cacheBytes);
  });

  it("streams every row of an export", () => {
    expect(report.exports.map(({ rows }) => rows)).toEqual([12_000, 12_000]);
  });

  it("prints its measurements beside the targets", () => {
    const text = formatHttp(report);
    for (const words of ["bare Fastify route", "304", "64 identical misses", "sets of junk", "newest first"]) {
      expect(text).toContain(words);
    }
  });
});
