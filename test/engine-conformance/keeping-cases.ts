/** Cases of what a store counts, deletes, drops, preserves across restarts, and reports about itself. */
import { strict as assert } from "node:assert";
import type { LogEvent } from "../../src/engines/contract/query-engine.ts";
import { sampleSize } from "../support/sample-size.ts";
import { type Bench, eventOf } from "./bench.ts";
import { type ConformanceCase, failsWith } from "./conformance-case.ts";
import { createRandom } from "./random.ts";
import { assertStored, byProject, columnsOf, idsOf } from "./store-checks.ts";

const signal = new AbortController().signal;

export const keepingCases: readonly ConformanceCase[] = [
  {
    name: "reports the number of rows and the oldest and newest event of each source",
    async run(bench) {
      const [empty, two] = [await bench.makeSource(), await bench.makeSource()];
      await bench.append(two, [eventOf("a", {}, 5n), eventOf("b", {}, 7n)]);
      const statistics = await bench.engine.store.statistics(signal);
      const of = (name: string) => {
        const found = statistics.find((source) => source.name === name);
        return [found?.rowCount, found?.oldestTimestampUs, found?.newestTimestampUs];
      };
      assert.deepEqual(
        [of(empty), of(two)],
        [
          [0, null, null],
          [2, 5n, 7n],
        ],
      );
    },
  },
  {
    name: "deletes the events before a time",
    async run(bench) {
      const { store } = bench.engine;
      const source = await bench.makeSource();
      const events = [1n, 2n, 3n].map((time) => eventOf(`${time}`, {}, time));
      await bench.append(source, events);
      assert.deepEqual(await store.deleteEvents(source, { toUs: 3n }), { matched: 2, deleted: 2 });
      assert.deepEqual(await idsOf(bench, source), ["3"]);
      assert.deepEqual(await store.deleteEvents(source, { toUs: 3n }), { matched: 0, deleted: 0 });
      // Their ids may come again, that of the event that is left may not.
      assertStored(await bench.append(source, events), 2, 1);
    },
  },
  {
    name: "drops a source with its events, ids, fields and tenants, and no other source",
    async run(bench) {
      const { store } = bench.engine;
      const [gone, left] = [await bench.makeSource(byProject), await bench.makeSource()];
      const event = eventOf("a", { project: "p", brought: 1 });
      for (const source of [gone, left]) await bench.append(source, [event]);
      await store.dropSource(gone);
      await store.dropSource(gone);
      assert.equal(store.describe(gone), undefined);
      await failsWith("unknown_source", bench.append(gone, [event]));
      assert.ok(!(await store.statistics(signal)).some(({ name }) => name === gone));
      await bench.define(gone, byProject);
      assert.ok(!columnsOf(bench, gone).includes("brought"));
      assert.deepEqual(columnsOf(bench, gone, "p"), columnsOf(bench, gone, null));
      assert.deepEqual(await idsOf(bench, gone), []);
      assertStored(await bench.append(gone, [event]), 1, 0);
      assert.deepEqual(await idsOf(bench, left), ["a"]);
    },
  },
  {
    name: "preserves events, ids, fields, tenants and dropped sources across a restart",
    async run(bench) {
      const [kept, gone] = [await bench.makeSource(byProject), await bench.makeSource()];
      await bench.append(kept, [eventOf("a", { project: "p", seen: { list: [{ deep: true }] } })]);
      await bench.append(gone, [eventOf("a")]);
      await bench.engine.store.dropSource(gone);
      const before = [bench.engine.store.describe(kept), bench.engine.store.describe(kept, "p")];
      await bench.reopen();
      await bench.define(kept, byProject);
      const { store } = bench.engine;
      assert.deepEqual([store.describe(kept), store.describe(kept, "p")], before);
      assertStored(await bench.append(kept, [eventOf("a", { project: "p" }), eventOf("b", { project: "p" })]), 1, 1);
      assert.deepEqual(await bench.ask(`SELECT id, seen FROM ${kept} ORDER BY id`), [
        { id: "a", seen: [{ list: [{ deep: true }] }] },
        { id: "b", seen: [] },
      ]);
      assert.ok(!(await store.statistics(signal)).some(({ name }) => name === gone));
    },
  },
  {
    name: "reports its state in the figures that it defines, and has local files if it says so",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      await bench.append(source, [eventOf("a", { project: "p" }), eventOf("b")]);
      const { store, capabilities } = bench.engine;
      assert.equal(store.snapshot !== undefined, capabilities.hasLocalFiles, "snapshots are of local files");
      const report = await store.inspect?.(signal);
      if (report === undefined) return;
      assert.equal(report.directory !== undefined, capabilities.hasLocalFiles);
      const found = report.sources.find(({ name }) => name === source);
      assert.deepEqual([found?.rowCount, found?.tenantlessCount], [2, 1]);
      const namesOf = (of: string) => report.figureDefinitions.filter((each) => each.of === of).map(({ name }) => name);
      assert.deepEqual(Object.keys(report.figures), namesOf("store"));
      assert.deepEqual(Object.keys(found?.figures ?? {}), namesOf("source"));
      for (const value of Object.values({ ...report.figures, ...found?.figures })) assert.ok(Number.isFinite(value));
    },
  },
  {
    name: "stores each event once after appends, repeats, deletions and restarts in any order",
    isLong: true,
    run: keepsWhatAModelKeeps,
  },
];

async function keepsWhatAModelKeeps(bench: Bench): Promise<void> {
  // Two restarts, two deletions and a drop are among the first 24 steps.
  const random = createRandom(1375);
  const source = await bench.makeSource();
  const model = new Map<string, bigint>();
  for (let step = 0; step < sampleSize(24, 200); step++) {
    const what = random(20);
    if (what === 0) {
      await bench.reopen();
      await bench.define(source);
    } else if (what === 1) {
      const before = BigInt(random(1000));
      await bench.engine.store.deleteEvents(source, { toUs: before });
      for (const [id, time] of model) if (time < before) model.delete(id);
    } else if (what === 2 && random(4) === 0) {
      await bench.engine.store.dropSource(source);
      await bench.define(source);
      model.clear();
    } else {
      const events: LogEvent[] = Array.from({ length: 1 + random(20) }, () =>
        eventOf(`${random(400)}`, { [`f${random(30)}`]: random(2) === 0 ? 1 : "x" }, BigInt(random(1000))),
      );
      const fresh = new Map<string, bigint>();
      for (const { id, timestampUs } of events) {
        if (!model.has(id) && !fresh.has(id)) fresh.set(id, timestampUs);
      }
      assertStored(await bench.append(source, events), fresh.size, events.length - fresh.size);
      for (const [id, time] of fresh) model.set(id, time);
    }
    const rows = (await bench.ask(`SELECT id, timestamp FROM ${source}`)) as { id: string; timestamp: number }[];
    assert.equal(rows.length, model.size, `step ${step}`);
    for (const { id, timestamp } of rows) assert.equal(BigInt(timestamp), model.get(id), `step ${step}: ${id}`);
  }
}
