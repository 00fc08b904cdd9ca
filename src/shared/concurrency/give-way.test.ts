import { expect, it } from "vitest";
import { createWay } from "./give-way.ts";

it("lets others have their turn after 20 ms of work, and not before", async () => {
  let nowMs = 0;
  const giveWay = createWay(() => nowMs);
  let turns = 0;
  for (let step = 1; step <= 40; step++) {
    nowMs += 5;
    setImmediate(() => turns++);
    const way = giveWay();
    expect(way === undefined).toBe(step % 4 !== 0);
    await way;
    // All who waited had theirs.
    expect(turns).toBe(Math.floor(step / 4) * 4);
  }
});
