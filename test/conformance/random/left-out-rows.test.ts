import { expect, it } from "vitest";
import { openScratchEngine } from "../../../src/engines/index.ts";
import { sampleSize } from "../../support/sample-size.ts";
import { compareLeftOut } from "./left-out-rows.ts";

it("computes nothing that may fail for rows that a query leaves out", async () => {
  const engine = await openScratchEngine();
  expect(await compareLeftOut(engine, 1, sampleSize(40, 1_200))).toEqual([]);
  await engine.close();
}, 600_000);
