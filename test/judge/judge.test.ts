import { describe, expect, it } from "vitest";
import { runJudge } from "./run.ts";

/** SEED sets another seed. */
const seed = Number(process.env.SEED ?? 20_260_820);

describe("random queries that combine every clause", () => {
  it(`return what the judge returns, for seed ${seed}`, async () => {
    const { differences, counts } = await runJudge(seed, 100, 1);
    expect(differences).toEqual([]);
    expect(counts.equal).toBeGreaterThan(90);
  });
});
