import { expect, it } from "vitest";
import { fuzz } from "./fuzzing.ts";

it("no text among thousands of random ones crashes, stalls or leaves the sandbox", { timeout: 60_000 }, async () => {
  const { texts, compiled, findings } = await fuzz({ seed: 20260820, isOver: (count) => count >= 2_000 });
  expect(findings).toEqual([]);
  expect(compiled).toBeGreaterThan(texts / 50);
});
