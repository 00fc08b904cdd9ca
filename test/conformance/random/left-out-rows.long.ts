import { expect, it } from "vitest";
import { openScratchEngine } from "../../../src/engines/index.ts";
import { openSharedServer } from "../../clickhouse/shared-server.ts";
import { compareLeftOut } from "./left-out-rows.ts";

it("computes nothing that may fail for rows that a query leaves out, on either engine", async () => {
  const shared = await openSharedServer();
  for (const engine of [await openScratchEngine(), await openScratchEngine(shared.server)]) {
    expect(await compareLeftOut(engine, 2, 300)).toEqual([]);
    await engine.close();
  }
  await shared.release();
}, 600_000);
