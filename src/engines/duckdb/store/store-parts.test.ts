import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../contract/query-engine.ts";
import { withOwnIds } from "../batch/batch.ts";
import type { EngineHost, HostReport, HostSnapshot } from "../host/protocol.ts";
import { findStoreProblems, toReport, toStatistics } from "./store-report.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { untilDone } from "./until-done.ts";

const edge: HostReport["sources"][number] = {
  name: "edge",
  rowCount: 10,
  oldestUs: "3",
  newestUs: "9007199254740993",
  tailRowCount: 4,
  fieldCount: 7,
  runCount: 2,
  tenantlessCount: null,
};
const report: HostReport = { fileBytes: 1000, reusableBytes: 100, logBytes: 10, diskFreeBytes: 1e12, sources: [edge] };
const loss = { foundAt: "2026-08-20T00:00:00Z", acknowledgedBytes: 2_000_000, foundBytes: 1_000 };
const MEBIBYTE = 1024 ** 2;

function problemsOf(some: Partial<HostReport>) {
  return findStoreProblems({ ...report, ...some }, "/data/store", undefined);
}

describe("the report of a store", () => {
  it("has times to the microsecond, and null times for a source without events", () => {
    const told = { name: "edge", rowCount: 10, oldestTimestampUs: 3n, newestTimestampUs: 9_007_199_254_740_993n };
    expect(toStatistics(edge)).toEqual(told);
    const empty = { ...edge, rowCount: 0, oldestUs: null, newestUs: null };
    expect(toStatistics(empty)).toEqual({ ...told, rowCount: 0, oldestTimestampUs: null, newestTimestampUs: null });
  });

  it("lists figures and mistyped fields by source, and counts events without a tenant in sources with tenants", () => {
    const mistyped = { path: "n", type: "INT64", count: 2, example: "x" };
    const sources = [edge, { ...edge, name: "other", tenantlessCount: 0 }];
    const told = toReport({ ...report, sources }, { directory: "/data", logLoss: loss }, (name) =>
      name === "edge" ? { mistyped: new Map([["n", mistyped]]) } : undefined,
    );
    expect(told).toMatchObject({
      directory: "/data",
      figures: { file_bytes: 1000, reusable_bytes: 100, log_bytes: 10, disk_free_bytes: 1e12 },
      problems: [{ code: "log_shortened" }],
      sources: [
        { name: "edge", rowCount: 10, fieldCount: 7, mistyped: [mistyped], figures: { runs: 2, tail_rows: 4 } },
        { name: "other", tenantlessCount: 0, mistyped: [] },
      ],
    });
    expect(told.sources[0]).not.toHaveProperty("tenantlessCount");
  });

  it("explains a truncated log and what to do about it", () => {
    expect(findStoreProblems(report, undefined, loss)).toEqual([
      {
        code: "log_shortened",
        message:
          "Acknowledged events are lost: when the store was opened at 2026-08-20T00:00:00Z, its write-ahead log had " +
          "1,000 bytes, and 2,000,000 when its last events were acknowledged. Find out what cut the file (the disk, a " +
          "copy, a file system check), and send those events again, or bring a backup back with `logweir restore`",
      },
    ]);
  });
});

describe("the problems of a store", () => {
  it("include the disk if less than half a gigabyte, or twice the log's size, is free", () => {
    expect(problemsOf({ diskFreeBytes: 512 * MEBIBYTE })).toEqual([]);
    expect(problemsOf({ diskFreeBytes: 512 * MEBIBYTE - 1 })).toEqual([
      {
        code: "disk_nearly_full",
        message:
          "The disk of /data/store has 536 MB left; make room, or lower retention_days. Events are refused when it " +
          "is full",
      },
    ]);
    expect(problemsOf({ diskFreeBytes: 800 * MEBIBYTE, logBytes: 400 * MEBIBYTE })).toEqual([]);
    expect(problemsOf({ diskFreeBytes: 800 * MEBIBYTE - 1, logBytes: 400 * MEBIBYTE })).toHaveLength(1);
  });

  it("include the log if it is longer than half a gigabyte", () => {
    expect(problemsOf({ logBytes: 512 * MEBIBYTE })).toEqual([]);
    expect(problemsOf({ logBytes: 512 * MEBIBYTE + 1 })).toEqual([
      {
        code: "log_too_long",
        message:
          "The write-ahead log has 536 MB; a backup or a statement that takes long, or a disk without room for a checkpoint, keeps it",
      },
    ]);
  });

  it("include a source with more than 1,500,000 events that are not compacted", () => {
    const ofTail = (tailRowCount: number) => problemsOf({ sources: [{ ...edge, tailRowCount }, edge] });
    expect(ofTail(1_500_000)).toEqual([]);
    expect(ofTail(1_500_001)).toEqual([
      {
        code: "compaction_behind",
        message: "1500001 events of edge are not compacted yet: queries are slower until they are",
        source: "edge",
      },
    ]);
  });
});

describe("the retry of work", () => {
  const lost = new EngineError("unavailable", "it ended", { isLost: true });

  it("waits for a host before each attempt, and tells every repeated attempt that the work may be done", async () => {
    const steps: unknown[] = [];
    const ready = async () => void steps.push("ready");
    const result = await untilDone(ready, async (mayBeDone) => {
      steps.push(mayBeDone);
      if (steps.length < 6) throw lost;
      return "done";
    });
    expect(result).toBe("done");
    expect(steps).toEqual(["ready", false, "ready", true, "ready", true]);
  });

  it("gives up after the engine has ended five times", async () => {
    const work = vi.fn().mockRejectedValue(lost);
    await expect(untilDone(async () => undefined, work)).rejects.toBe(lost);
    expect(work).toHaveBeenCalledTimes(5);
  });

  it.each([
    ["another error of the engine", new EngineError("unavailable", "no room")],
    ["a defect", Object.assign(new Error("odd"), { isLost: true })],
  ])("does not repeat the work after %s", async (_, error) => {
    const work = vi.fn().mockRejectedValue(error);
    await expect(untilDone(async () => undefined, work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it("looks up every id of a repeated batch", () => {
    const payload = Buffer.from("rows");
    const header = { rowCount: 2, columns: [], ownIdRows: [1] };
    expect(withOwnIds({ header, payload })).toEqual({ header: { ...header, ownIdRows: "all" }, payload });
  });
});

describe("takeSnapshot", () => {
  function hostOf() {
    let begin = () => {};
    let fail = (_: Error) => {};
    const begun = new Promise<HostSnapshot>((resolve, reject) => {
      begin = () =>
        resolve({ name: "file", path: "/data/file", byteCount: 3, sources: [{ name: "edge", rowCount: 1 }] });
      fail = reject;
    });
    const endSnapshot = vi.fn(async () => undefined);
    const host = { beginSnapshot: () => begun, endSnapshot } as unknown as EngineHost;
    return { host, endSnapshot, begin, fail, begun };
  }

  it("returns a snapshot of one file, which lasts until its release", async () => {
    const { host, endSnapshot, begin } = hostOf();
    begin();
    const snapshot = await takeSnapshot(host, new AbortController().signal);
    expect(snapshot).toMatchObject({
      files: [{ path: "/data/file", byteCount: 3 }],
      sources: [{ name: "edge", rowCount: 1 }],
    });
    expect(snapshot.files[0]).not.toHaveProperty("sources");
    expect(endSnapshot).not.toHaveBeenCalled();
    await snapshot.release();
    expect(endSnapshot).toHaveBeenCalledTimes(1);
  });

  it("releases the snapshot if the caller leaves before it exists, but not before it is created", async () => {
    const { host, endSnapshot, begin, begun } = hostOf();
    const caller = new AbortController();
    const taken = takeSnapshot(host, caller.signal);
    caller.abort();
    await expect(taken).rejects.toMatchObject({ code: "aborted" });
    expect(endSnapshot).not.toHaveBeenCalled();
    begin();
    await begun;
    await Promise.resolve();
    expect(endSnapshot).toHaveBeenCalledTimes(1);
  });

  it("releases nothing if the snapshot could not be created", async () => {
    const { host, endSnapshot, fail } = hostOf();
    const lost = new EngineError("unavailable", "it ended", { isLost: true });
    fail(lost);
    await expect(takeSnapshot(host, new AbortController().signal)).rejects.toBe(lost);
    expect(endSnapshot).not.toHaveBeenCalled();
  });
});
