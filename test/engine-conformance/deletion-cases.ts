/** Which events a store deletes by a filter: what is left is what a plain filter leaves of what was stored. */
import { strict as assert } from "node:assert";
import { tenantOf } from "../../src/engines/contract/event-tenant.ts";
import type { EventFilter, EventValue, LogEvent } from "../../src/engines/contract/query-engine.ts";
import { INT64 } from "../../src/googlesql/types.ts";
import { sampleSize } from "../support/sample-size.ts";
import { type Bench, eventOf } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { createRandom } from "./random.ts";
import { assertStored, byProject, idsOf } from "./store-checks.ts";

const dayUs = 86_400_000_000n;

/** Whether the filter's words hold for an event, clause by clause. */
function isMeant({ id, tenants, fromUs, toUs }: EventFilter, event: LogEvent): boolean {
  const tenant = tenantOf(["project"], event.fields);
  if (id !== undefined && event.id !== id) return false;
  if (fromUs !== undefined && event.timestampUs < fromUs) return false;
  if (toUs !== undefined && event.timestampUs >= toUs) return false;
  if (tenants === undefined) return true;
  if ("of" in tenants) return tenants.of.some((each) => each === tenant);
  return !tenants.exceptOf.some((each) => each === tenant);
}

/** Texts that are easily taken for something else. */
const oddTexts = [
  "it's",
  'say "no"',
  "back\\slash",
  "%_*",
  "line\nbreak\ttab",
  "🦊 ключ",
  "NULL",
  "7",
  "true",
  "' OR 1=1 --",
  "`",
  "{id:String}",
  "$1",
  "x".repeat(3000),
];

const oddTenants: readonly EventValue[] = [...oddTexts, 7.5, 12345678901234567890n, false, { nested: "x" }, ["a", "b"]];

function rowKeys(events: Iterable<LogEvent>): readonly string[] {
  return [...events].map(({ id, fields }) => JSON.stringify([tenantOf(["project"], fields), id])).sort();
}

async function storedKeys(bench: Bench, source: string): Promise<readonly string[]> {
  const rows = (await bench.ask(`SELECT project, id FROM ${source}`)) as { project: string | null; id: string }[];
  return rows.map(({ project, id }) => JSON.stringify([project, id])).sort();
}

async function deletesWhatIsMeant(bench: Bench): Promise<void> {
  const random = createRandom(11);
  const { store } = bench.engine;
  const [source, other] = [await bench.makeSource(byProject), await bench.makeSource(byProject)];
  const left = new Map<string, LogEvent>();
  const tenants = ["a", "b", "c"];
  const events = Array.from({ length: 120 }, (_, n) => {
    const tenant = random(5);
    const project = tenants[tenant];
    // Around the ends of days, where stores divide.
    const timestampUs = BigInt(random(4)) * dayUs + BigInt(random(5) - 2);
    return eventOf(`${n % 40}`, project === undefined ? {} : { project }, timestampUs);
  });
  for (const event of events) {
    const key = JSON.stringify([tenantOf(["project"], event.fields), event.id]);
    if (!left.has(key)) left.set(key, event);
  }
  for (const each of [source, other]) await bench.append(each, events);
  const everything = rowKeys(left.values());
  for (let round = 0; round < sampleSize(12, 25); round++) {
    const some = () => tenants.filter(() => random(2) === 0);
    const time = () => BigInt(random(4)) * dayUs + BigInt(random(5) - 2);
    const filter: EventFilter = {
      ...(random(3) === 0 ? { id: `${random(45)}` } : {}),
      ...[{}, {}, { tenants: { of: some() } }, { tenants: { exceptOf: some() } }][random(4)],
      ...(random(2) === 0 ? { fromUs: time() } : {}),
      ...(random(2) === 0 ? { toUs: time() } : {}),
    };
    // One without any would end the case at once.
    if (Object.keys(filter).length === 0) continue;
    const gone = [...left].filter(([, event]) => isMeant(filter, event));
    const what = `round ${round}`;
    assert.equal(await store.countEvents(source, filter), gone.length, what);
    assert.deepEqual(await store.deleteEvents(source, filter), { matched: gone.length, deleted: gone.length }, what);
    for (const [key] of gone) left.delete(key);
    assert.deepEqual(await storedKeys(bench, source), rowKeys(left.values()), what);
    if (random(3) > 0) continue;
    // Deleted events may come again.
    const again = gone.map(([, event]) => event);
    if (again.length > 0) assertStored(await bench.append(source, again), again.length, 0);
    for (const [key, event] of gone) left.set(key, event);
  }
  assert.deepEqual(await storedKeys(bench, other), everything);
}

export const deletionCases: readonly ConformanceCase[] = [
  {
    name: "deletes the events of any filter, counts them, and leaves all others and other sources",
    run: deletesWhatIsMeant,
  },
  {
    name: "deletes by ids and tenants of any text, and counts them before",
    isLong: true,
    async run(bench) {
      const { store } = bench.engine;
      const source = await bench.makeSource(byProject);
      const events = [
        ...oddTexts.map((text) => eventOf(text, { project: "p" })),
        ...oddTenants.map((project, index) => eventOf(`t${index}`, { project })),
        eventOf("none", {}),
      ];
      await bench.append(source, events);
      const left = new Set(events);
      for (const filter of [
        ...oddTexts.map((id): EventFilter => ({ id })),
        ...oddTenants.map((project): EventFilter => {
          const tenant = tenantOf(["project"], { project });
          return { tenants: { of: tenant === null ? [] : [tenant] } };
        }),
      ]) {
        const gone = [...left].filter((event) => isMeant(filter, event));
        assert.equal(await store.countEvents(source, filter), gone.length);
        assert.equal((await store.deleteEvents(source, filter)).deleted, gone.length);
        for (const event of gone) left.delete(event);
      }
      assert.deepEqual(await idsOf(bench, source), [...left].map(({ id }) => id).sort());
    },
  },
  {
    name: "deletes nothing for a tenant in a source without tenants, and everything of all others",
    async run(bench) {
      const source = await bench.makeSource();
      await bench.append(source, [eventOf("a", { project: "p" })]);
      const { store } = bench.engine;
      assert.equal((await store.deleteEvents(source, { tenants: { of: ["p"] } })).deleted, 0);
      assert.equal((await store.deleteEvents(source, { tenants: { exceptOf: ["p"] } })).deleted, 1);
    },
  },
  {
    name: "reports no value of deleted events as an example of those that did not fit",
    async run(bench) {
      const { store } = bench.engine;
      const source = await bench.makeSource({ knownFields: [{ path: "n", type: INT64 }] });
      const mistyped = async () => {
        const report = await store.inspect?.(new AbortController().signal);
        return report?.sources.find(({ name }) => name === source)?.mistyped;
      };
      const field = { path: "n", type: "INT64" };
      await bench.append(source, [eventOf("a", { n: "one" })]);
      await store.deleteEvents(source, { id: "b" });
      if (store.inspect !== undefined) assert.deepEqual(await mistyped(), [{ ...field, count: 1, example: "one" }]);
      await store.deleteEvents(source, { id: "a" });
      if (store.inspect !== undefined) assert.deepEqual(await mistyped(), [{ ...field, count: 1, example: null }]);
      await bench.append(source, [eventOf("c", { n: "two" })]);
      if (store.inspect !== undefined) assert.deepEqual(await mistyped(), [{ ...field, count: 2, example: "two" }]);
    },
  },
  {
    name: "counts each event in one of two deletions at once, and keeps events that came after them",
    async run(bench) {
      const { store } = bench.engine;
      const source = await bench.makeSource(byProject);
      const events = Array.from({ length: 300 }, (_, n) => {
        return eventOf(`${n}`, { project: n % 2 === 0 ? "p" : "q" }, BigInt(n) * 1_000_000_000n);
      });
      await bench.append(source, events);
      const deletions = await Promise.all([
        store.deleteEvents(source, { tenants: { of: ["p"] } }),
        store.deleteEvents(source, { tenants: { of: ["p"] }, toUs: 100_000_000_000n }),
      ]);
      assert.equal(deletions[0].deleted + deletions[1].deleted, 150);
      assertStored(await bench.append(source, events), 150, 150);
      await bench.reopen();
      await bench.define(source, byProject);
      assert.equal((await idsOf(bench, source)).length, 300);
    },
  },
  {
    name: "stores events that come during a deletion, or counts them as deleted",
    async run(bench) {
      const { store } = bench.engine;
      const source = await bench.makeSource(byProject);
      const batch = (from: number) =>
        Array.from({ length: 50 }, (_, n) => eventOf(`${from + n}`, { project: "p" }, BigInt(from + n)));
      for (let from = 0; from < 500; from += 50) await bench.append(source, batch(from));
      const deleting = store.deleteEvents(source, { toUs: 300n });
      // The same events again, some of which are deleted by then, and new ones.
      const appends = Array.from({ length: 12 }, (_, n) => bench.append(source, batch(n * 50)));
      const [{ deleted }, ...results] = await Promise.all([deleting, ...appends]);
      const stored = results.reduce((sum, result) => sum + result.stored, 0);
      assert.equal((await idsOf(bench, source)).length, 500 + stored - deleted);
    },
  },
];
