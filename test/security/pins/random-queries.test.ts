import { expect, it } from "vitest";
import { sampleSize } from "../../support/sample-size.ts";
import { askRandomQueries } from "./random-queries.ts";
import { openSetups } from "./setups.ts";

it("random queries with a pinned token answer as if there were no other tenants", { timeout: 1_800_000 }, async () => {
  const seed = Number(process.env.LOGWEIR_TEST_SEED ?? 20260820);
  const count = sampleSize(24, 3_000);
  const setups = await openSetups();
  try {
    const { differences, answered, telling } = await askRandomQueries(setups, seed, count);
    expect(differences.slice(0, 3), `${differences.length} of ${count} differ, seed ${seed}`).toEqual([]);
    expect(answered).toBeGreaterThan(count / 3);
    expect(telling).toBeGreaterThan(count / 8);
  } finally {
    await setups.close();
  }
});
