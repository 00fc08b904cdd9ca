import { describe, expect, it } from "vitest";
import { ServiceError } from "../../shared/errors.ts";
import type { TailRow } from "./ask-tail.ts";
import { type Follower, SharedTail } from "./shared-tail.ts";

const startMs = 1_000_000_000;

/** A store of rows with times in seconds after the start, and a tail that asks it. */
function openTail() {
  const state = {
    nowMs: startMs,
    stored: [] as TailRow[],
    arrivals: 0,
    askCount: 0,
    isFull: false,
    error: undefined as Error | undefined,
  };
  const store = (id: string, second: number) => {
    const timeUs = BigInt(startMs + second * 1000) * 1000n;
    state.stored.push({ key: id, timeUs, json: `"${id}"`, place: [String(timeUs), id] });
    state.arrivals++;
  };
  const tail = new SharedTail({
    ask: async (fromUs) => {
      state.askCount++;
      if (state.error !== undefined) throw state.error;
      const rows = state.stored.filter(({ timeUs }) => timeUs >= fromUs).sort((a, b) => Number(b.timeUs - a.timeUs));
      return { rows, isFull: state.isFull, cursorScope: "", tables: ["t"] };
    },
    nowMs: () => state.nowMs,
    arrivals: () => state.arrivals,
  });
  const join = async (start?: Parameters<typeof tail.join>[1]) => {
    const told: string[] = [];
    const follower: Follower = {
      deliver: (rows) => told.push(...rows.map(({ key }) => key)),
      skip: (count) => told.push(`skipped ${count}`),
      end: ({ code }) => told.push(`end ${code}`),
    };
    const joined = tail.join(follower, start);
    await tail.poll();
    await joined;
    return { told, follower };
  };
  return { state, store, tail, join };
}

describe("a tail with many followers", () => {
  it("queries once for all of them, and not at all while no events arrive", async () => {
    const { state, store, tail, join } = openTail();
    const followers = [];
    for (let index = 0; index < 500; index++) followers.push(await join());
    const before = state.askCount;
    store("a", 1);
    await tail.poll();
    expect(state.askCount).toBe(before + 1);
    await tail.poll();
    await tail.poll();
    expect(state.askCount).toBe(before + 1);
    expect(followers.every(({ told }) => told.join() === "a")).toBe(true);
    state.nowMs += 2_000;
    await tail.poll();
    expect(state.askCount).toBe(before + 2);
  });

  it("delivers rows once and in order, including late and future ones", async () => {
    const { state, store, tail, join } = openTail();
    store("old", -5);
    const { told } = await join();
    store("future", 3_600);
    store("b", 2);
    store("a", 1);
    await tail.poll();
    store("late", -3);
    store("c", 3);
    state.nowMs += 3_000;
    await tail.poll();
    expect(told).toEqual(["a", "b", "future", "late", "c"]);
  });

  it("lets a follower that joins later catch up without gaps or repeats", async () => {
    const { store, tail, join } = openTail();
    await join();
    store("a", 1);
    store("b", 2);
    await tail.poll();
    const behind = await join({ behind: [String(BigInt(startMs + 1000) * 1000n), "a"] });
    const since = await join({ fromUs: 0n });
    store("c", 3);
    await tail.poll();
    expect([behind.told, since.told]).toEqual([
      ["b", "c"],
      ["a", "b", "c"],
    ]);
  });

  it("reports skipped rows when more arrived than one query returns", async () => {
    const { state, store, tail, join } = openTail();
    const { told } = await join();
    store("a", 1);
    state.isFull = true;
    await tail.poll();
    expect(told).toEqual(["skipped undefined", "a"]);
  });

  it("counts a follower that joins during a query", async () => {
    const { state, tail } = openTail();
    const counts: number[] = [];
    const follower: Follower = { deliver: () => undefined, skip: () => undefined, end: () => undefined };
    const joined = tail.join(follower, undefined);
    const polled = tail.poll();
    await Promise.resolve();
    counts.push(state.askCount, tail.followerCount);
    await polled;
    await joined;
    counts.push(tail.followerCount);
    expect(counts).toEqual([1, 1, 1]);
  });

  it("survives an engine restart, and ends on other errors", async () => {
    const { state, store, tail, join } = openTail();
    const { told } = await join();
    state.error = new ServiceError("engine_unavailable", "gone");
    store("a", 1);
    await tail.poll();
    state.error = undefined;
    await tail.poll();
    expect(told).toEqual(["a"]);
    state.error = new ServiceError("query_failed", "bad");
    store("b", 2);
    await tail.poll();
    expect(told).toEqual(["a", "end query_failed"]);
    expect(tail.followerCount).toBe(0);
  });
});
