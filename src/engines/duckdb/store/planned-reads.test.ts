import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import { openMemoryEngine } from "../index.ts";

const dayUs = 86_400_000_000n;
const signal = new AbortController().signal;
const eventAt = (id: string, timestampUs: bigint): LogEvent => {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: "m", fields: {} };
};

it("a read answers no event beyond its condition that is stored between its planning and its run", async () => {
  const engine = await openMemoryEngine({ threads: 1 });
  const plain = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await engine.store.ensureSource({ name: "edge", knownFields: [] });
    await engine.store.append("edge", [eventAt("in", dayUs)], signal);
    const prepared = await plain.prepare("SELECT 1");
    const { stream } = Object.getPrototypeOf(prepared) as typeof prepared;
    const run = vi.spyOn(Object.getPrototypeOf(prepared) as typeof prepared, "stream");
    run.mockImplementationOnce(async function (this: typeof prepared, ...args) {
      await engine.store.append("edge", [eventAt("before", 0n)], signal);
      return stream.apply(this, args);
    });
    const slices = await engine.storedEvents?.slices("edge", { fromUs: dayUs, toUs: 2n * dayUs }, dayUs, signal);
    expect(run).toHaveBeenCalled();
    expect(slices?.map(({ startUs, eventCount }) => [startUs, eventCount])).toEqual([[dayUs, 1]]);
    prepared.destroySync();
    run.mockRestore();
  } finally {
    plain.closeSync();
    await engine.close();
  }
});
