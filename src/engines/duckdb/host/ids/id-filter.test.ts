import { describe, expect, it } from "vitest";
import { hashId, IdFilter, wordsOf } from "./id-filter.ts";

const HOUR_US = 3_600_000_000n;

describe("the id filter", () => {
  it("finds every added id within the hour of its event", () => {
    const filter = new IdFilter();
    const times = Array.from({ length: 20_000 }, (_, i) => BigInt(i) * 1_234_567_890n);
    for (const [i, time] of times.entries()) filter.add(hashId(`id-${i}`), time);
    const missed = times.filter((time, i) => {
      const range = filter.find(hashId(`id-${i}`));
      return range === null || range === undefined || range.fromUs > time || time >= range.toUs;
    });
    expect(missed).toEqual([]);
    expect(filter.count).toBe(20_000);
    expect(filter.byteCount).toBe(8 * 2 ** 15);
  });

  it("rules out ids that were not added", () => {
    const filter = new IdFilter();
    for (let i = 0; i < 50_000; i++) filter.add(hashId(`id-${i}`), 0n);
    const falseAlarms = Array.from({ length: 50_000 }, (_, i) => filter.find(hashId(`other-${i}`))).filter(
      (r) => r !== null,
    );
    expect(falseAlarms).toEqual([]);
  });

  it.each([-1n, 4_000_000_000_000_000_000n])(
    "returns no time range for an event at %d, which lies outside the hours it stores",
    (time) => {
      const filter = new IdFilter();
      filter.add(hashId("a"), time);
      expect(filter.find(hashId("a"))).toBeUndefined();
    },
  );

  it("returns a range that covers the hours of two events with the same hash", () => {
    const filter = new IdFilter();
    filter.add(hashId("a"), 5n);
    filter.add(hashId("a"), 10n * HOUR_US);
    expect(filter.find(hashId("a"))).toEqual({ fromUs: 0n, toUs: 11n * HOUR_US });
  });

  it("removes the ids of whole hours before a time, and frees their memory", () => {
    const filter = new IdFilter();
    for (let i = 0; i < 20_000; i++) filter.add(hashId(`id-${i}`), BigInt(i) * (HOUR_US / 1000n));
    const before = filter.byteCount;
    filter.forgetBefore(15n * HOUR_US + 5n);
    expect(filter.count).toBe(5_000);
    expect(filter.byteCount).toBeLessThan(before / 2);
    const found = Array.from({ length: 20_000 }, (_, i) => i).filter((i) => filter.find(hashId(`id-${i}`)) !== null);
    expect([found[0], found.length]).toEqual([15_000, 5_000]);
  });

  it("does not rebuild its table to remove fewer than a fifth of the ids", () => {
    for (const [late, count] of [
      [199, 1_000],
      [200, 800],
    ] as const) {
      const filter = new IdFilter();
      for (let i = 0; i < 1_000; i++) filter.add(hashId(`id-${i}`), i < late ? 0n : HOUR_US);
      filter.forgetBefore(0n);
      filter.forgetBefore(-HOUR_US);
      expect(filter.count).toBe(1_000);
      filter.forgetBefore(HOUR_US);
      expect(filter.count).toBe(count);
    }
  });

  it("keeps ids outside the hours it stores, before whichever time others are removed", () => {
    for (const time of [HOUR_US, 4_000_000_000_000_000_000n]) {
      const filter = new IdFilter();
      for (let i = 0; i < 10; i++) filter.add(hashId(`id-${i}`), 5n);
      for (const outside of [-1n, 2n ** 62n]) filter.add(hashId(`at ${outside}`), outside);
      filter.forgetBefore(time);
      expect(filter.count).toBe(2);
      for (const outside of [-1n, 2n ** 62n]) expect(filter.find(hashId(`at ${outside}`))).toBeUndefined();
    }
  });

  it.each([0, 1, 716, 717, 5_000])("gives the words of %i ids in order, each once", (count) => {
    const filter = new IdFilter();
    const expected: (readonly [number, number])[] = [];
    for (let i = 0; i < count; i++) {
      filter.add(hashId(`id-${i}`), BigInt(i) * HOUR_US);
      expected.push(wordsOf(hashId(`id-${i}`), i));
    }
    expected.sort(([a, b], [c, d]) => a - c || b - d);
    expect([...filter.sortedWords()]).toEqual(expected.flat());
  });

  it("spreads similar ids evenly over its hashes", () => {
    const seen = new Set(Array.from({ length: 100_000 }, (_, i) => hashId(i.toString(36)).high));
    expect(seen.size).toBeGreaterThan(99_950);
  });
});
