/** Cases of appends: what they store, and how tables show it. */
import { strict as assert } from "node:assert";
import type { EventValue } from "../../src/engines/contract/query-engine.ts";
import { INT64 } from "../../src/googlesql/types.ts";
import { eventOf } from "./bench.ts";
import { type ConformanceCase, failsWith } from "./conformance-case.ts";
import { createRandom } from "./random.ts";
import { assertStored, byProject, columnsOf, idsOf } from "./store-checks.ts";

const appends: readonly ConformanceCase[] = [
  {
    name: "stores events with their fields, and reads them once they are acknowledged",
    async run(bench) {
      const source = await bench.makeSource();
      const sent = { project: "p", metadata: { x: 1, list: [1, 2], deep: { y: "z" } } };
      assertStored(await bench.append(source, [eventOf("a", sent, 1_000_001n)]), 1, 0);
      const rows = await bench.ask(`SELECT id, timestamp, event_message, project, metadata FROM ${source}`);
      const metadata = [{ x: 1, list: [1, 2], deep: [{ y: "z" }] }];
      assert.deepEqual(rows, [{ id: "a", timestamp: 1_000_001, event_message: "message a", project: "p", metadata }]);
    },
  },
  {
    name: "stores an id once, within an append, across appends and in concurrent ones",
    async run(bench) {
      const source = await bench.makeSource();
      assertStored(
        await bench.append(
          source,
          ["b", "b", "c"].map((id) => eventOf(id)),
        ),
        2,
        1,
      );
      assertStored(await bench.append(source, [eventOf("c", {}, 99n), eventOf("d")]), 1, 1);
      const results = await Promise.all(Array.from({ length: 8 }, () => bench.append(source, [eventOf("e")])));
      assert.equal(
        results.reduce((sum, { stored }) => sum + stored, 0),
        1,
      );
      assert.deepEqual(await idsOf(bench, source), ["b", "c", "d", "e"]);
    },
  },
  {
    name: "stores a large append completely, and each of its ids once",
    async run(bench) {
      const source = await bench.makeSource();
      const events = Array.from({ length: 2600 }, (_, n) => eventOf(`${n % 2500}`, { [`field ${n % 3}`]: n }));
      assertStored(await bench.append(source, events), 2500, 100);
      assert.deepEqual(await bench.askValues(`SELECT COUNT(DISTINCT id) FROM ${source}`), [2500]);
    },
  },
  {
    name: "detects a repeated id whatever the time of its event",
    async run(bench) {
      const source = await bench.makeSource();
      const times = [0n, -1n, 4_000_000_000_000_000_000n, 253_402_300_799_999_999n, -62_135_596_800_000_000n];
      const events = times.map((time, n) => eventOf(`time ${n}`, {}, time));
      assertStored(await bench.append(source, events), 5, 0);
      for (const event of events) assertStored(await bench.append(source, [event]), 0, 1);
    },
  },
  {
    name: "recognises an event of the same tenant and id with any time, or without one, after a restart too",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      const random = createRandom(20_260_820);
      const day = 86_400_000_000n;
      const times = [0n, 20_000n * day - 1n, 20_000n * day, 47_482n * day, BigInt(Date.now()) * 1_000n];
      const ids = ["", "a", "b", "é", "x".repeat(3_000)];
      const known = new Set<string>();
      for (let body = 0; body < 12; body++) {
        if (body === 7) {
          await bench.reopen();
          await bench.define(source, byProject);
        }
        const before = known.size;
        const events = Array.from({ length: 1 + random(6) }, () => {
          const [id = "", tenant] = [ids[random(ids.length)], ["p", "q", undefined][random(3)]];
          known.add(`${tenant}/${id}`);
          // Without a time of its own an event has another whenever it comes.
          const time = times[random(2 * times.length)] ?? BigInt(Date.now()) * 1_000n + BigInt(body);
          return eventOf(id, tenant === undefined ? {} : { project: tenant }, time);
        });
        const fresh = known.size - before;
        assertStored(await bench.append(source, events), fresh, events.length - fresh);
      }
      assert.deepEqual(await bench.askValues(`SELECT COUNT(*) FROM ${source}`), [known.size]);
    },
  },
  {
    name: "stores an id once for each tenant",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      const ofProject = (project: string) => eventOf("same", { project });
      assertStored(await bench.append(source, [ofProject("p"), ofProject("q"), ofProject("p")]), 2, 1);
      assertStored(await bench.append(source, [ofProject("q"), ofProject("r")]), 1, 1);
    },
  },
  {
    name: "loses no value of a field with values of several types",
    async run(bench) {
      const source = await bench.makeSource();
      const values: EventValue[] = [1, "one", true, 1.5, [1, 2], { deep: "x" }];
      await Promise.all(values.map((v, n) => bench.append(source, [eventOf(`wide ${n}`, { top: v, rec: { v } })])));
      const rows = await bench.ask(`SELECT top, rec FROM ${source} ORDER BY id`);
      const seen = [1, "one", true, 1.5, [1, 2], [{ deep: "x" }]];
      assert.deepEqual(
        rows,
        seen.map((v) => ({ top: v, rec: [{ v }] })),
      );
    },
  },
  {
    name: "stores nothing of an append whose signal is already aborted",
    async run(bench) {
      const source = await bench.makeSource();
      await failsWith("aborted", bench.append(source, [eventOf("a")], AbortSignal.abort()));
      assert.deepEqual(await idsOf(bench, source), []);
    },
  },
  {
    name: "accepts an append without events",
    async run(bench) {
      assertStored(await bench.append(await bench.makeSource(), []), 0, 0);
    },
  },
  {
    name: "rejects appends to an unknown source",
    async run(bench) {
      await failsWith("unknown_source", bench.append("never_made", [eventOf("a")]));
      assert.equal(bench.engine.store.describe("never_made"), undefined);
    },
  },
];

const views: readonly ConformanceCase[] = [
  {
    name: "describes a source at once, and returns the same object while its view is unchanged",
    async run(bench) {
      const source = await bench.makeSource({ knownFields: [{ path: "declared", type: INT64 }] });
      const { store } = bench.engine;
      const before = store.describe(source);
      assert.ok(before?.columns.some(({ name }) => name === "declared"));
      await bench.append(source, [eventOf("a")]);
      assert.equal(store.describe(source), before);
      await bench.append(source, [eventOf("b", { fresh: 1 })]);
      assert.ok(columnsOf(bench, source).includes("fresh"));
    },
  },
  {
    name: "accepts the same definition again without a change",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      await bench.append(source, [eventOf("a", { project: "p" })]);
      const before = bench.engine.store.describe(source, "p");
      await bench.define(source, byProject);
      assert.deepEqual(bench.engine.store.describe(source, "p"), before);
      assert.deepEqual(await idsOf(bench, source), ["a"]);
    },
  },
  {
    name: "shows a tenant the declared fields and those of its own events, and an unknown tenant the declared ones",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      await bench.append(source, [eventOf("a", { project: "p", mine: 1 }), eventOf("b", { project: "q", theirs: 2 })]);
      const own = (tenant: string | null) =>
        columnsOf(bench, source, tenant).filter((name) => ["project", "mine", "theirs"].includes(name));
      assert.deepEqual(own("p").toSorted(), ["mine", "project"]);
      assert.deepEqual(own("q").toSorted(), ["project", "theirs"]);
      assert.deepEqual(own(null), ["project"]);
      const everything = columnsOf(bench, source);
      assert.ok(everything.includes("mine") && everything.includes("theirs"));
    },
  },
  {
    name: "returns how many events of an append had no tenant, and the newest time of each tenant",
    async run(bench) {
      const source = await bench.makeSource(byProject);
      const events = [eventOf("a", { project: "p" }, 5n), eventOf("b", { project: "p" }, 9n), eventOf("c", {}, 20n)];
      const { tenantless, newestByTenant } = await bench.append(source, events);
      assert.deepEqual([tenantless, [...(newestByTenant ?? [])]], [1, [["p", 9n]]]);
    },
  },
  {
    name: "reads a declared field by its type, and counts mistyped values",
    async run(bench) {
      const source = await bench.makeSource({ knownFields: [{ path: "n", type: INT64 }] });
      const values: EventValue[] = [1, "2", "no number", { x: 1 }];
      const { mistyped } = await bench.append(
        source,
        values.map((n, index) => eventOf(`${index}`, { n })),
      );
      assert.equal(mistyped, 2);
      assert.deepEqual(await bench.askValues(`SELECT n FROM ${source} ORDER BY id`), [1, 2, null, null]);
    },
  },
];

export const appendCases: readonly ConformanceCase[] = [...appends, ...views];
