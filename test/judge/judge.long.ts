import { describe, expect, it } from "vitest";
import { runJudge } from "./run.ts";

/** JUDGE_SEED and JUDGE_QUERIES set the seed and the count. */
const seed = Number(process.env.JUDGE_SEED ?? 20_261_122);
const count = Number(process.env.JUDGE_QUERIES ?? 100_000);

describe("random queries of every clause beside every other", () => {
  it(`answer what the judge answers: ${count} of them, of seed ${seed}`, async () => {
    const { differences, counts } = await runJudge(seed, count, 2);
    expect(differences).toEqual([]);
    expect(counts.equal).toBeGreaterThan(count * 0.9);
  }, 7_200_000);
});
