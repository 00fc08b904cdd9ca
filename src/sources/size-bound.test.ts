import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventFilter, StoreSpace } from "../engines/contract/query-engine.ts";
import {
  describeSpaceProblem,
  keepWithinBounds,
  type SizeBoundOptions,
  type SizeBounds,
  startSizeBound,
} from "./size-bound.ts";

const never = new AbortController().signal;
const bounds = (maxUsedBytes?: number, minFreeBytes?: number): SizeBounds => ({ maxUsedBytes, minFreeBytes });

/** A store of sources with events at some times, each of 1,000 bytes. */
class SmallStore {
  readonly times = new Map<string, bigint[]>();
  readonly log: string[] = [];
  freeBytes: number | undefined = 1e9;
  isSettled = true;
  deletions = 0;

  add(source: string, times: readonly number[]): void {
    this.times.set(source, [...(this.times.get(source) ?? []), ...times.map(BigInt)]);
  }

  get count(): number {
    return [...this.times.values()].reduce((sum, times) => sum + times.length, 0);
  }

  options(wanted: SizeBounds): SizeBoundOptions {
    const before = (source: string, { toUs = 0n }: EventFilter) =>
      (this.times.get(source) ?? []).filter((time) => time < toUs);
    return {
      bounds: wanted,
      log: (level, message) => void this.log.push(`${level} ${message}`),
      store: {
        space: async (): Promise<StoreSpace | undefined> =>
          this.isSettled ? { usedBytes: this.count * 1000, freeBytes: this.freeBytes } : undefined,
        statistics: async () =>
          [...this.times].map(([name, times]) => ({
            ...{ name, rowCount: times.length },
            oldestTimestampUs: times.length === 0 ? null : times.reduce((a, b) => (a < b ? a : b)),
            newestTimestampUs: times.length === 0 ? null : times.reduce((a, b) => (a > b ? a : b)),
          })),
      },
      forgetting: {
        count: async (source, filter) => before(source, filter).length,
        delete: async (source, filter, reason) => {
          expect(reason).toBe("size");
          this.deletions++;
          const gone = before(source, filter);
          this.times.set(
            source,
            (this.times.get(source) ?? []).filter((time) => !gone.includes(time)),
          );
          return { matched: gone.length, deleted: gone.length };
        },
      },
    };
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe("keepWithinBounds", () => {
  it("deletes the oldest events of all sources down to a margin below what may be used", async () => {
    const store = new SmallStore();
    store.add("a", range(0, 500));
    store.add("b", range(250, 750));
    store.add("late", range(5_000_000, 5_000_010));
    expect(await keepWithinBounds(store.options(bounds(1_010_000)), never)).toBe(0);
    const deleted = await keepWithinBounds(store.options(bounds(1_009_999)), never);
    expect(deleted).toBeGreaterThanOrEqual(45);
    expect(deleted).toBeLessThanOrEqual(60);
    const all = [...store.times.values()].flat();
    expect(all.every((time) => time >= BigInt(deleted))).toBe(true);
    expect(store.times.get("b")).toHaveLength(500);
    expect(store.log).toEqual([expect.stringMatching(/^info size: deleted the oldest \d+ events, those before 1970/)]);
    expect(await keepWithinBounds(store.options(bounds(1_009_999)), never)).toBe(0);
  });

  it("deletes as much as is missing where too little is free", async () => {
    const store = new SmallStore();
    store.add("a", range(0, 1000));
    store.freeBytes = 200_000;
    expect(await keepWithinBounds(store.options(bounds(undefined, 200_000)), never)).toBe(0);
    const deleted = await keepWithinBounds(store.options(bounds(undefined, 300_000)), never);
    expect(Math.abs(deleted - 115)).toBeLessThanOrEqual(12);
  });

  it("deletes nothing while the space of deleted events is not free, or is not known", async () => {
    const store = new SmallStore();
    store.add("a", range(0, 1000));
    store.isSettled = false;
    expect(await keepWithinBounds(store.options(bounds(1)), never)).toBe(0);
    store.isSettled = true;
    store.freeBytes = undefined;
    expect(await keepWithinBounds(store.options(bounds(undefined, 1e12)), never)).toBe(0);
    expect(store.deletions).toBe(0);
  });

  it.each([
    ["of one time", Array.from({ length: 100 }, () => 7)],
    ["of times far apart", [-62_000_000_000_000_000, ...range(0, 98), 253_000_000_000_000_000]],
    ["of two times", [...Array.from({ length: 99 }, () => 1), 2]],
  ])("ends for events %s", async (_, times) => {
    const store = new SmallStore();
    store.add("a", times);
    expect(await keepWithinBounds(store.options(bounds(99_000)), never)).toBeGreaterThan(0);
    while (store.count > 0) await keepWithinBounds(store.options(bounds(1)), never);
    expect(await keepWithinBounds(store.options(bounds(1)), never)).toBe(0);
  });
});

it("describeSpaceProblem names the bound that is exceeded", () => {
  const space = { usedBytes: 20_000_000, freeBytes: 5_000_000 };
  expect(describeSpaceProblem(space, bounds())).toBeUndefined();
  expect(describeSpaceProblem(space, bounds(20_000_000, 5_000_000))).toBeUndefined();
  expect(describeSpaceProblem(space, bounds(19_000_000))).toBe(
    "The events use 20 MB, more than the 19 of max_store_mb",
  );
  expect(describeSpaceProblem(space, bounds(30_000_000, 6_000_000))).toBe(
    "5 MB are free for events, less than the 6 of min_free_mb",
  );
});

describe("startSizeBound", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("looks every ten seconds on the node whose turn it is, and says once why it cannot", async () => {
    const store = new SmallStore();
    store.add("a", range(0, 100));
    let isOurs = false;
    const options = store.options(bounds(50_000));
    const failing = { ...options, store: { ...options.store, statistics: () => Promise.reject(new Error("away")) } };
    const bound = startSizeBound({ ...options, isOurs: () => isOurs });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.count).toBe(100);
    isOurs = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.count).toBeLessThan(60);
    await bound.close();
    const other = startSizeBound({ ...failing, bounds: bounds(1) });
    await vi.advanceTimersByTimeAsync(30_000);
    await other.close();
    expect(store.log.filter((line) => line.startsWith("error"))).toEqual([
      "error the oldest events cannot be deleted, which is tried again: away",
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not look without bounds", () => {
    startSizeBound(new SmallStore().options(bounds()));
    expect(vi.getTimerCount()).toBe(0);
  });
});
