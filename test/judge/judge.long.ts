import { describe, expect, it } from "vitest";
import { runJudge } from "./run.ts";

/** SEED and JUDGE_QUERIES set the seed and the count. */
const seed = Number(process.env.SEED ?? 20_261_122);
const count = Number(process.env.JUDGE_QUERIES ?? 100_000);

describe("random queries that combine every clause", () => {
  it(`return what the judge returns: ${count} queries, seed ${seed}`, async () => {
    const { differences, counts } = await runJudge(seed, count, 2);
    expect(differences).toEqual([]);
    expect(counts.equal).toBeGreaterThan(count * 0.9);
  }, 7_200_000);
});
