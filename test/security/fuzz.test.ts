import { expect, it } from "vitest";
import { fuzz } from "./fuzzing.ts";

it("finds no text that crashes, stalls or leaves the sandbox among a few thousand", { timeout: 60_000 }, async () => {
  const { texts, compiled, findings } = await fuzz({ seed: 20260820, isOver: (count) => count >= 4_000 });
  expect(findings).toEqual([]);
  expect(compiled).toBeGreaterThan(texts / 50);
});
