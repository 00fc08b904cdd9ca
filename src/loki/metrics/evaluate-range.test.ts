import { describe, expect, it } from "vitest";
import { createWay } from "../../shared/concurrency/give-way.ts";
import { parseLogql } from "../logql/parse-logql.ts";
import { evaluateRange } from "./evaluate-range.ts";

const second = 1_000_000;
const steps = (count: number) => ({ startUs: 100 * second, stepUs: 10 * second, count });
const inTime = { checkTime: () => undefined };

function parseRange(query: string) {
  const parsed = parseLogql(query);
  if (parsed.kind !== "range") throw new Error("It is no range aggregation");
  return parsed;
}

const samplesAt = (times: readonly number[]) => [
  { labels: new Map([["app", "web"]]), times: times.map((each) => each * second), values: times.map(() => 1) },
];

describe("evaluateRange", () => {
  it("holds what is behind the beginning of a range, up to its end", async () => {
    const range = parseRange('count_over_time({app="web"}[20s])');
    const [series] = await evaluateRange(inTime, range, samplesAt([80, 81, 100, 101, 110, 140]), steps(5));
    expect(series?.values).toEqual([2, 3, 2, undefined, 1]);
  });

  it("is as far back as its offset says", async () => {
    const range = parseRange('count_over_time({app="web"}[20s] offset 10s)');
    const [series] = await evaluateRange(inTime, range, samplesAt([80, 81, 100, 101, 110, 140]), steps(5));
    expect(series?.values).toEqual([2, 2, 3, 2, undefined]);
  });

  it("computes the same as a sum over every sample, for any times", async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 50; round++) {
      const times = Array.from({ length: random(40) }, () => 50 + random(150)).sort((a, b) => a - b);
      const length = 1 + random(60);
      const range = parseRange(`count_over_time({app="web"}[${length}s])`);
      const [series] = await evaluateRange(inTime, range, samplesAt(times), steps(8));
      const expected = Array.from({ length: 8 }, (_, step) => {
        const end = 100 + step * 10;
        return times.filter((time) => time > end - length && time <= end).length || undefined;
      });
      expect(series?.values).toEqual(expected);
    }
  });

  it("refuses ranges that hold too many samples, and ends when the time is over", async () => {
    const range = parseRange('sum_over_time({app="web"} | unwrap x [10h])');
    const many = samplesAt(Array.from({ length: 20_000 }, () => 90));
    await expect(evaluateRange(inTime, range, many, steps(1_001))).rejects.toMatchObject({ code: "limit_exceeded" });
    expect((await evaluateRange(inTime, range, many, steps(100)))[0]?.values[0]).toBe(20_000);
    const over = {
      checkTime() {
        throw new Error("over");
      },
    };
    let nowMs = 0;
    const slow = createWay(() => (nowMs += 1));
    await expect(evaluateRange(over, range, many, steps(100), slow)).rejects.toThrow("over");
  });
});
