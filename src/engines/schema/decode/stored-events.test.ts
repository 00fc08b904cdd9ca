import { describe, expect, it } from "vitest";
import { EngineError } from "../../contract/errors.ts";
import { createSourceState, growSourceState } from "../source/source-state.ts";
import { defaultStoreLimits } from "../source/store-limits.ts";
import { createStoredEvents, type StoredTables } from "./stored-events.ts";
import type { StoredCells } from "./stored-rows.ts";

const range = { fromUs: 0n, toUs: 10n };
const row: StoredCells = ["a", "1", null];

function prepare(more: Partial<StoredTables>) {
  const state = createSourceState({ name: "s", table: "t", entries: [], tenants: [] }, defaultStoreLimits.schema);
  const { storedEvents: events } = createStoredEvents({
    stateOf: () => state,
    refresh: async () => undefined,
    slices: async () => [],
    async *rows() {
      yield [row];
    },
    ...more,
  });
  return { state, events };
}

describe("the reader of stored events", () => {
  it("fails when aborted, even if the rows end normally", async () => {
    const ending = new AbortController();
    const { events } = prepare({
      async *rows() {
        yield [row];
        ending.abort();
      },
      async slices() {
        ending.abort();
        return [];
      },
    });
    const read = async () => {
      for await (const _ of events.read("s", range, ending.signal));
    };
    await expect(read()).rejects.toMatchObject({ code: "aborted" });
    await expect(events.slices("s", range, 1n, ending.signal)).rejects.toMatchObject({ code: "aborted" });
  });

  it("reads again before the first event if columns were added after planning", async () => {
    const seen: number[] = [];
    let refreshes = 0;
    const { state, events } = prepare({
      async refresh() {
        // The refresh after the first rows of the first try finds that another append has added a field.
        if (++refreshes === 2) growSourceState(state, [{ role: "value", path: "x", type: "STRING", column: "c1" }]);
      },
      async *rows(_table, columns) {
        seen.push(columns.length);
        yield [[...row, ...columns.map(() => "value")]];
      },
    });
    const read = [];
    for await (const batch of events.read("s", range, new AbortController().signal)) read.push(...batch);
    expect(seen).toEqual([0, 1]);
    expect(read.map(({ id, fields }) => [id, { ...fields }])).toEqual([["a", { x: "value" }]]);
  });

  it("fails for a source that was dropped while its rows were looked for", async () => {
    let isDropped = false;
    const { state, events } = prepare({
      stateOf() {
        if (isDropped) throw new EngineError("unknown_source", "The store has no source s");
        return state;
      },
      async *rows() {
        isDropped = true;
        yield* [];
      },
    });
    const read = async () => {
      for await (const _ of events.read("s", range, new AbortController().signal));
    };
    await expect(read()).rejects.toMatchObject({ code: "unknown_source" });
  });
});
