import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventFilter } from "../engines/contract/query-engine.ts";
import { createExpiryClock, expiredEvents, isBeyondRetention, runRetention, startRetention } from "./retention.ts";
import type { Source } from "./source.ts";

const nowMs = Date.UTC(2026, 7, 20);
const hourMs = 3_600_000;

function createOptions(deleteAll: (name: string, filter: EventFilter) => Promise<number>) {
  const log: string[] = [];
  const sources: Pick<Source, "name" | "retentionDays">[] = [
    { name: "edge", retentionDays: 30 },
    { name: "kept", retentionDays: undefined },
    { name: "short", retentionDays: 0.5 },
  ];
  const options = {
    sources,
    forgetting: {
      async delete(name: string, filter: EventFilter) {
        const deleted = await deleteAll(name, filter);
        return { matched: deleted, deleted };
      },
    },
    nowMs: () => nowMs,
    log: (level: string, message: string) => void log.push(`${level} ${message}`),
  };
  return { options, log };
}

describe("the clock of retention", () => {
  const dayMs = 24 * hourMs;

  function open() {
    const state = { passedMs: 0, setMs: 0 };
    const log: string[] = [];
    const clock = createExpiryClock({
      nowMs: () => nowMs + state.passedMs + state.setMs,
      steadyMs: () => state.passedMs,
      log: (_, message) => void log.push(message),
    });
    /** How far it has gone from its beginning, once so much has passed and the other clock was set. */
    const pass = (passedMs: number, setMs = 0) => {
      state.passedMs += passedMs;
      state.setMs += setMs;
      return clock() - nowMs;
    };
    return { pass, log };
  }

  it("does not believe a clock that is set ahead for a day, then does", () => {
    const { pass, log } = open();
    expect(pass(hourMs)).toBe(hourMs);
    expect(pass(hourMs, 365 * dayMs)).toBe(2 * hourMs);
    expect(pass(dayMs - 1)).toBe(2 * hourMs + dayMs - 1);
    expect(log).toEqual([
      "the clock was set ahead by 8760 hours: for a day, retention deletes nothing because of that",
    ]);
    expect(pass(1)).toBe(2 * hourMs + 366 * dayMs);
  });

  it("follows a clock that is put right, drifts, or is set back", () => {
    const { pass, log } = open();
    expect(pass(hourMs, 365 * dayMs)).toBe(hourMs);
    expect(pass(hourMs, -365 * dayMs)).toBe(2 * hourMs);
    expect(pass(dayMs, hourMs)).toBe(dayMs + 3 * hourMs);
    expect(pass(0, -2 * dayMs)).toBe(3 * hourMs - dayMs);
    expect(log).toHaveLength(1);
  });
});

describe("retention by tenant", () => {
  const retention = { default: 30, tenants: { a: 7, b: 7, c: 90 } };
  const us = (days: number) => BigInt(nowMs - days * 86_400_000) * 1000n;

  it("deletes each tenant's events after its own days, and those of all others after the default", () => {
    expect(expiredEvents(retention, nowMs)).toEqual([
      { days: 7, filter: { tenants: { of: ["a", "b"] }, toUs: us(7) } },
      { days: 90, filter: { tenants: { of: ["c"] }, toUs: us(90) } },
      { days: 30, filter: { tenants: { exceptOf: ["a", "b", "c"] }, toUs: us(30) } },
    ]);
    expect(expiredEvents({ tenants: { a: 1 } }, nowMs)).toEqual([
      { days: 1, filter: { tenants: { of: ["a"] }, toUs: us(1) } },
    ]);
    expect(expiredEvents({ default: 2 }, nowMs)).toEqual([{ days: 2, filter: { toUs: us(2) } }]);
    expect(expiredEvents(undefined, nowMs)).toEqual([]);
    expect(expiredEvents(1e300, nowMs)).toEqual([{ days: 1e300, filter: { toUs: -8_640_000_000_000_000_000n } }]);
  });

  it.each([
    ["a", 8, true],
    ["a", 6, false],
    ["c", 89, false],
    ["other", 31, true],
    [null, 31, true],
    [null, 29, false],
    ["constructor", 31, true],
    // Its tenant is not known: it may be any.
    [undefined, 89, false],
    [undefined, 91, true],
  ])("holds for an event of %s that is %i days old: %s", (tenant, days, isBeyond) => {
    expect(isBeyondRetention(retention, { tenant, timestampUs: us(days) }, nowMs)).toBe(isBeyond);
  });
});

describe("retention", () => {
  it("deletes events older than a source's retention, and none of a source without one", async () => {
    const calls: unknown[] = [];
    const { options, log } = createOptions(async (name, { toUs = 0n }) => {
      calls.push([name, new Date(Number(toUs / 1000n)).toISOString()]);
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

  it("deletes nothing by a retention that was changed, or taken away, since the run began", async () => {
    const calls: string[] = [];
    const sources: Pick<Source, "name" | "retentionDays">[] = [
      { name: "large", retentionDays: { default: 7, tenants: { a: 1 } } },
      { name: "longer", retentionDays: 7 },
      { name: "kept", retentionDays: 7 },
      { name: "gone", retentionDays: 7 },
      { name: "same", retentionDays: { default: 7 } },
    ];
    const { options, log } = createOptions(async (name, { tenants }) => {
      if (calls.length === 0) {
        const large = { name: "large", retentionDays: { default: 90, tenants: { a: 1 } } };
        const [longer, kept] = [
          { name: "longer", retentionDays: 90 },
          { name: "kept", retentionDays: undefined },
        ];
        state.sources = [large, longer, kept, { name: "same", retentionDays: { default: 7 } }];
      }
      return calls.push(`${name} ${JSON.stringify(tenants ?? {})}`);
    });
    const state = { ...options, sources };
    await runRetention(state);
    expect(calls).toEqual(['large {"of":["a"]}', "same {}"]);
    expect(log.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("deletes nothing more once another node has the turn", async () => {
    const calls: string[] = [];
    const { options } = createOptions(async (name) => calls.push(name));
    await runRetention({ ...options, isOurs: () => calls.length === 0 });
    expect(calls).toEqual(["edge"]);
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

    it("runs only on the node whose turn it is", async () => {
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

    it("runs at once when a source's retention changes, and again if that was during a run", async () => {
      const finish: (() => void)[] = [];
      const { options } = createOptions(() => new Promise((resolve) => finish.push(() => resolve(0))));
      const source = { name: "edge", retentionDays: 1 };
      const sources = [source];
      const retention = startRetention({ ...options, sources });
      retention.noteSources();
      expect(finish).toHaveLength(0);
      for (const days of [2, 3]) {
        sources.splice(0, 1, { ...source, retentionDays: days });
        retention.noteSources();
      }
      expect(finish).toHaveLength(1);
      finish[0]?.();
      await vi.advanceTimersByTimeAsync(1);
      expect(finish).toHaveLength(2);
      finish[1]?.();
      await vi.advanceTimersByTimeAsync(1);
      expect(finish).toHaveLength(2);
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
