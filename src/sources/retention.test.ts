import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runRetention, startRetention } from "./retention.ts";

const nowMs = Date.UTC(2026, 7, 20);
const hourMs = 3_600_000;

function createOptions(deleteBefore: (name: string, timestampUs: bigint) => Promise<number>) {
  const log: string[] = [];
  const sources = [
    { name: "edge", retentionDays: 30 },
    { name: "kept", retentionDays: undefined },
    { name: "short", retentionDays: 0.5 },
  ];
  const options = {
    sources,
    store: { deleteBefore },
    nowMs: () => nowMs,
    log: (level: string, message: string) => void log.push(`${level} ${message}`),
  };
  return { options, log };
}

describe("retention", () => {
  it("deletes events older than a source's retention, and none of a source without one", async () => {
    const calls: unknown[] = [];
    const { options, log } = createOptions(async (name, timestampUs) => {
      calls.push([name, new Date(Number(timestampUs / 1000n)).toISOString()]);
      return name === "edge" ? 12 : 0;
    });
    expect(await runRetention(options)).toBe(12);
    expect(calls).toEqual([
      ["edge", "2026-07-21T00:00:00.000Z"],
      ["short", "2026-08-19T12:00:00.000Z"],
    ]);
    expect(log).toEqual(["info retention: deleted 12 events of edge older than 30 days"]);
  });

  it("continues with the other sources when one fails, and reports it", async () => {
    const { options, log } = createOptions(async (name) => {
      if (name === "edge") throw new Error("the engine is restarting");
      return 3;
    });
    expect(await runRetention(options)).toBe(3);
    expect(log[0]).toBe("error retention of edge failed and will be tried again: the engine is restarting");
  });

  describe("in the background", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("runs a minute after the start and then every hour until it is closed", async () => {
      const calls: string[] = [];
      const { options } = createOptions(async (name) => {
        calls.push(name);
        return 0;
      });
      const retention = startRetention(options);
      expect(calls).toEqual([]);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(calls).toEqual(["edge", "short"]);
      await vi.advanceTimersByTimeAsync(hourMs);
      expect(calls).toHaveLength(4);
      await retention.close();
      await vi.advanceTimersByTimeAsync(5 * hourMs);
      expect(calls).toHaveLength(4);
    });

    it("runs only on the node whose turn it is, and skips a store that cannot delete", async () => {
      const calls: string[] = [];
      let isOurs = false;
      const { options } = createOptions(async (name) => calls.push(name));
      const retention = startRetention({ ...options, isOurs: () => isOurs });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(calls).toEqual([]);
      isOurs = true;
      await vi.advanceTimersByTimeAsync(hourMs);
      expect(calls).toEqual(["edge", "short"]);
      await retention.close();
      expect(await runRetention({ ...options, store: {} })).toBe(0);
    });

    it("does not start a second run while one takes more than an hour", async () => {
      const finish: (() => void)[] = [];
      const { options } = createOptions(() => new Promise((resolve) => finish.push(() => resolve(0))));
      const retention = startRetention({ ...options, sources: [{ name: "edge", retentionDays: 1 }] });
      await vi.advanceTimersByTimeAsync(60_000 + hourMs);
      expect(finish).toHaveLength(1);
      finish[0]?.();
      await vi.advanceTimersByTimeAsync(hourMs);
      expect(finish).toHaveLength(2);
      finish[1]?.();
      await retention.close();
    });

    it("has no timer left when it is closed before its first run", async () => {
      const retention = startRetention(createOptions(async () => 0).options);
      expect(vi.getTimerCount()).toBe(1);
      await retention.close();
      expect(vi.getTimerCount()).toBe(0);
    });

    it("finishes the current source when it is closed, and starts no other", async () => {
      const calls: string[] = [];
      let finish = (_count: number): void => undefined;
      const { options } = createOptions((name) => {
        calls.push(name);
        return new Promise((resolve) => {
          finish = resolve;
        });
      });
      const retention = startRetention(options);
      await vi.advanceTimersByTimeAsync(60_000);
      const closed = retention.close();
      finish(0);
      await closed;
      expect(calls).toEqual(["edge"]);
    });
  });
});
