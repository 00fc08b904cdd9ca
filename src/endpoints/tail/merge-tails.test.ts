import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ServiceError } from "../../shared/errors.ts";
import type { TailRow } from "./ask-tail.ts";
import { mergeTails } from "./merge-tails.ts";
import type { Follower } from "./shared-tail.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = (...seconds: readonly number[]) =>
  seconds.map((second): TailRow => ({ key: "", timeUs: BigInt(second), json: String(second), place: [] }));

function open(delayMs = 0, limit = 3) {
  const told: string[] = [];
  const follower: Follower = {
    deliver: (list) => void told.push(list.map(({ json }) => json).join(" ")),
    skip: (count) => void told.push(`skipped ${count}`),
    end: ({ code }) => void told.push(code),
  };
  return { told, follower, merged: mergeTails({ limit, delayMs }) };
}

it("the newest rows of all before now come first, then those that arrived meanwhile, then the next", () => {
  const { told, follower, merged } = open();
  const [first, second] = [merged.add(), merged.add()];
  first.follower.skip(undefined);
  first.follower.deliver(rows(1, 4, 6));
  first.join();
  first.follower.deliver(rows(3));
  second.follower.deliver(rows(2, 5));
  second.join();
  expect(told).toEqual([]);
  merged.begin(follower);
  second.follower.deliver(rows(9, 7));
  first.follower.skip(2);
  first.follower.end(new ServiceError("timeout", ""));
  expect(told).toEqual(["4 5 6", "3", "9 7", "skipped 2", "timeout"]);
});

it("rows are held back, so that those of earlier times that come later are told before them", () => {
  const { told, follower, merged } = open(5_000);
  const { follower: live, join } = merged.add();
  join();
  merged.begin(follower);
  live.deliver(rows(10, 12));
  vi.advanceTimersByTime(4_000);
  live.deliver(rows(11));
  live.deliver(rows(13));
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(["10 11 12"]);
  vi.advanceTimersByTime(4_000);
  expect(told).toEqual(["10 11 12", "13"]);
  live.deliver(rows(14));
  live.end(new ServiceError("timeout", ""));
  vi.advanceTimersByTime(9_000);
  expect(told.slice(2)).toEqual(["14", "timeout"]);
});

it("what is held is bounded: old rows are left out, and others are told early", () => {
  const large = (second: number): TailRow => ({
    key: "",
    timeUs: BigInt(second),
    json: "x".repeat(9_000_000),
    place: [],
  });
  const { told, follower, merged } = open(5_000);
  const { follower: live, join } = merged.add();
  live.deliver([large(1), large(2)]);
  join();
  merged.begin(follower);
  expect(told.map(({ length }) => length)).toEqual([9_000_000]);
  live.deliver([large(3)]);
  live.deliver([large(4)]);
  expect(told.map(({ length }) => length)).toEqual([9_000_000, 18_000_001]);
});
