import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FollowedPeriod } from "../call/prepare/query-call.ts";
import type { TailAnswer, TailRow } from "./ask-tail.ts";
import type { Follower } from "./shared-tail.ts";
import { createTailHub, type TailHub } from "./tail-hub.ts";

const startMs = Date.parse("2026-08-20T09:00:00Z");
const followerCount = 500;
const queryCount = 20;

let hub: TailHub;
let stored: TailRow[];
let asked: number[];

beforeEach(() => {
  vi.useFakeTimers({ now: startMs });
  hub = createTailHub({ nowMs: Date.now, steadyMs: () => performance.now() });
  stored = [];
  asked = Array.from({ length: queryCount }, () => 0);
});

afterEach(() => {
  hub.close();
  vi.useRealTimers();
});

function store(count: number): void {
  const timeUs = BigInt(Date.now()) * 1000n;
  for (let index = 0; index < count; index++) {
    const key = `row ${stored.length}`;
    stored.push({ key, timeUs, json: `"${key}"`, place: [] });
  }
  void hub.note(
    "edge",
    stored.slice(-count).map(({ key }) => ({ id: key, timestampUs: timeUs })),
  );
}

/**
 * Follows a query; all queries have the same rows. Returns the delivered keys, and the lag of each behind its storing.
 */
function follow(query: number): { readonly keys: string[]; readonly lagsMs: number[]; leave(): void } {
  const keys: string[] = [];
  const lagsMs: number[] = [];
  const follower: Follower = {
    deliver(rows) {
      for (const { key, timeUs } of rows) {
        keys.push(key);
        lagsMs.push(Date.now() - Number(timeUs / 1000n));
      }
    },
    skip: () => undefined,
    end: (error) => {
      throw error;
    },
  };
  const ask = async ({ fromUs }: FollowedPeriod): Promise<TailAnswer> => {
    asked[query] = (asked[query] ?? 0) + 1;
    const rows = stored.filter(({ timeUs }) => timeUs >= fromUs).reverse();
    return { rows, isFull: false, maxRows: 5_000, isOfEvents: false, cursorScope: "", tables: ["edge"] };
  };
  const { joined, leave } = hub.follow(`query ${query}`, ask, follower, undefined);
  void joined;
  return { keys, lagsMs, leave };
}

it("the tail hub queries once per query and interval for all followers, less than a second behind", async () => {
  const followers = Array.from({ length: followerCount }, (_, index) => follow(index % queryCount));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hub.followerCount).toBe(followerCount);
  const before = [...asked];
  const seconds = 5;
  // 200 rows of each query in a second, in ten parts.
  for (let part = 0; part < seconds * 10; part++) {
    store(20);
    await vi.advanceTimersByTimeAsync(100);
  }
  const during = asked.map((count, query) => count - (before[query] ?? 0));
  await vi.advanceTimersByTimeAsync(1_000);
  for (const count of during) {
    expect(count).toBeGreaterThan(seconds);
    expect(count).toBeLessThanOrEqual(seconds * 3);
  }
  const expected = stored.map(({ key }) => key).join();
  for (const { keys, lagsMs } of followers) {
    expect(keys.join()).toBe(expected);
    expect(Math.max(...lagsMs)).toBeLessThan(1_000);
  }
});

it("the tail hub stops querying when the last follower leaves", async () => {
  const followers = [follow(0), follow(0)];
  await vi.advanceTimersByTimeAsync(1_000);
  for (const { leave } of followers) leave();
  await vi.advanceTimersByTimeAsync(1_000);
  const [before] = asked;
  store(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked[0]).toBe(before);
});

it("the tail hub knows what arrives for ten minutes after the last follower left", async () => {
  expect(hub.isWatched("edge")).toBe(false);
  const { leave } = follow(0);
  await vi.advanceTimersByTimeAsync(1_000);
  leave();
  const watched = [hub.isWatched("edge"), hub.isWatched("auth")];
  await vi.advanceTimersByTimeAsync(599_000);
  watched.push(hub.isWatched("edge"));
  await vi.advanceTimersByTimeAsync(2_000);
  watched.push(hub.isWatched("edge"));
  expect([watched, vi.getTimerCount()]).toEqual([[true, false, true, false], 0]);
});
