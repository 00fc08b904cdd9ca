import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INT64 } from "../../../googlesql/types.ts";
import type { Engine, LogEvent } from "../../contract/query-engine.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";
import { createStoredTables } from "./stored-tables.ts";

const signal = new AbortController().signal;

function eventOf(id: string, timestampUs: bigint, n: number | null = null): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: `m ${id}`, fields: n === null ? {} : { n } };
}

describe("the stored tables", () => {
  let host: EngineHost;
  const sizes: number[] = [];
  /** As the engine runs its queries, with the rows of each batch and an empty batch behind them. */
  const run = async (request: Parameters<Engine["run"]>[0]) => {
    const running = await runQuery(host, request as Parameters<typeof runQuery>[1]);
    async function* batches() {
      for await (const batch of running.batches) {
        sizes.push(batch.rowCount);
        yield batch;
      }
      yield { json: "", rowCount: 0 };
    }
    return { ...running, batches: batches() };
  };
  const tables = createStoredTables(run as unknown as Engine["run"]);
  let table = "";
  let column = "";

  beforeAll(async () => {
    const compaction = { minRows: 1000, maxRows: 5000 };
    const options = { threads: 1, memoryLimitBytes: 256 * 1024 ** 2, checkpointBytes: 1024 ** 2, compaction };
    const onProblem = () => expect.unreachable();
    ({ host } = await openCore(options, { onFatal: onProblem, onProblem }));
    const store = new DuckDbStore(() => host);
    await store.ensureSource({ name: "edge", knownFields: [{ path: "n", type: INT64 }] });
    const events = [
      eventOf("a", -1n),
      eventOf("b", 0n, 5),
      eventOf("c", 9n, 6),
      eventOf("d", 10n),
      eventOf("e", 25n, 7),
    ];
    await store.append("edge", events, signal);
    const state = store.stateOf("edge");
    table = state.table;
    column = state.entries.flatMap((entry) => ("column" in entry && entry.path === "n" ? entry.column : []))[0] ?? "";
  });
  afterAll(() => host.close());

  async function rowsOf(fromUs: bigint, toUs: bigint, columns: readonly { name: string; type: typeof INT64 }[] = []) {
    const all: unknown[] = [];
    for await (const rows of tables.rows(table, columns, { range: { fromUs, toUs } }, signal)) all.push(...rows);
    return all.sort();
  }

  it("are read from the first time up to the second and without it, with the columns asked for", async () => {
    expect(await rowsOf(0n, 10n)).toEqual([
      ["b", 0, "m b"],
      ["c", 9, "m c"],
    ]);
    expect(await rowsOf(10n, 11n)).toEqual([["d", 10, "m d"]]);
    expect(await rowsOf(9n, 26n, [{ name: column, type: INT64 }])).toEqual([
      ["c", 9, "m c", 6],
      ["d", 10, "m d", null],
      ["e", 25, "m e", 7],
    ]);
  });

  it("are counted in slices that begin at multiples of their width, also before 1970, in their order", async () => {
    const slices = await tables.slices(table, { range: { fromUs: -100n, toUs: 100n } }, 10n, signal);
    expect(slices.map(([start, count]) => [start, count])).toEqual([
      [-10, 1],
      [0, 2],
      [10, 1],
      [20, 1],
    ]);
    expect(await tables.slices(table, { range: { fromUs: 500n, toUs: 600n } }, 10n, signal)).toEqual([]);
  });

  it("have a sum for a slice that its ids and times alone decide", async () => {
    const sumsOf = async (fromUs: bigint, widthUs: bigint) => {
      const found = await tables.slices(table, { range: { fromUs, toUs: 100n } }, widthUs, signal);
      return found.map(([, , sum]) => sum);
    };
    const [before, first, second, third] = (await sumsOf(-100n, 10n)).map((sum) => BigInt(String(sum)));
    expect(new Set([before, first, second, third]).size).toBe(4);
    expect(await sumsOf(0n, 100n)).toEqual([String((first ?? 0n) + (second ?? 0n) + (third ?? 0n))]);
  });

  it("pass on batches as they come, and no empty one", async () => {
    sizes.length = 0;
    const taken: number[] = [];
    for await (const rows of tables.rows(table, [], { range: { fromUs: -100n, toUs: 100n } }, signal))
      taken.push(rows.length);
    expect(taken).toEqual(sizes);
  });
});
