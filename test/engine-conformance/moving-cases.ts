/** Events leave a store as they came, so that another one can take them. */
import assert from "node:assert/strict";
import {
  type EventSearch,
  type EventValue,
  type LogEvent,
  type StoredEvents,
  WideNumber,
} from "../../src/engines/contract/query-engine.ts";
import { FLOAT64, INT64, STRING } from "../../src/googlesql/types.ts";
import { sampleOf } from "../support/sample-size.ts";
import { type Bench, eventOf } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";

const always = { fromUs: -(2n ** 62n), toUs: 2n ** 62n };
const dayUs = 86_400_000_000n;

function storedEvents({ engine }: Bench): StoredEvents {
  assert.ok(engine.storedEvents, "the engine has no storedEvents");
  return engine.storedEvents;
}

async function readAll(bench: Bench, source: string, range = always): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for await (const batch of storedEvents(bench).read(source, range, new AbortController().signal))
    events.push(...batch);
  return events.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** Values in all shapes, each at the top level and below a record. */
const oddValues: readonly EventValue[] = [
  ...[0, -1, 1.5, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, 2n ** 53n, -(2n ** 63n), 2n ** 63n, 10n ** 40n],
  ...[new WideNumber("1e400"), new WideNumber("-1.5e999"), true, false],
  ...["x", " ", "1", "true", "null", "[]", '"\\\n\u0001\u2028', "ä\u{1f600}", "9007199254740993"],
  ...[[1, 2], [1, 2.5], [2n ** 63n], ["a", "b"], [true], [1, "a", true], [[1], ["a"]], [[{ a: 1 }]], [[[]], 1]],
  ...[{ a: 1 }, { a: { b: { c: "deep" } } }, { a: [{ b: 1 }, { c: [2] }] }, [{ a: 1 }, { b: "x" }], [{ a: 1 }, 5, "y"]],
  { b: 1, a: 2, "10": 3, "2": 4 },
];

const oddEvents: readonly LogEvent[] = sampleOf(oddValues, 0.5).flatMap((value, index) => [
  eventOf(`top ${index}`, { x: value }, BigInt(index)),
  eventOf(`below ${index}`, { metadata: { x: value, [`y${index % 7}`]: value } }, -BigInt(index) * dayUs),
  { ...eventOf(`alone ${index}`, { [`f${index}`]: value, _timestamp: "never" }), eventMessage: null },
]);

async function appendTogetherAndAlone(bench: Bench, source: string, events: readonly LogEvent[]): Promise<void> {
  const half = Math.floor(events.length / 2);
  await bench.append(source, events.slice(0, half));
  for (const event of events.slice(half, half + 10)) await bench.append(source, [event]);
  await bench.append(source, events.slice(half + 10));
}

function byId(events: readonly LogEvent[]): readonly LogEvent[] {
  return [...events].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** Records have no prototype when they are read back, and integers of 53 bits are numbers. */
function plain(events: readonly (LogEvent | undefined)[]): unknown {
  const replace = (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return `integer ${value}`;
    return value instanceof WideNumber ? `wide ${value}` : value;
  };
  const text = JSON.stringify(events, function (this: Record<string, unknown>, key, value: unknown) {
    // `toJSON` comes first otherwise.
    return replace(key, this[key] instanceof WideNumber ? this[key] : value);
  });
  return JSON.parse(text);
}

export const movingCases: readonly ConformanceCase[] = [
  {
    name: "exports the events of one tenant",
    async run(bench) {
      const knownFields = [{ path: "project", type: STRING }];
      const source = await bench.makeSource({ tenantField: "project", knownFields });
      const idsOf = async (of: string, tenant: string) => {
        const ids: string[] = [];
        for await (const batch of storedEvents(bench).read(of, always, new AbortController().signal, tenant)) {
          ids.push(...batch.map(({ id }) => id));
        }
        return ids.sort();
      };
      await bench.append(source, [eventOf("a", {}, 1n)]);
      assert.deepEqual(await idsOf(source, "it's"), []);
      await bench.append(source, [
        eventOf("b", { project: "it's" }, 2n),
        eventOf("c", { project: "IT'S" }, 3n),
        eventOf("d", { project: "it's", metadata: { x: 1 } }, 4n),
      ]);
      assert.deepEqual(await idsOf(source, "it's"), ["b", "d"]);
      const withoutTenants = await bench.makeSource();
      await bench.append(withoutTenants, [eventOf("a", { project: "it's" }, 1n)]);
      assert.deepEqual(await idsOf(withoutTenants, "it's"), []);
    },
  },
  {
    name: "exports events unchanged, whatever they contain",
    isLong: true,
    async run(bench) {
      const source = await bench.makeSource();
      await appendTogetherAndAlone(bench, source, oddEvents);
      const read = await readAll(bench, source);
      assert.equal(read.length, oddEvents.length);
      for (const [index, event] of byId(oddEvents).entries()) assert.deepEqual(plain([read[index]]), plain([event]));
    },
  },
  {
    name: "exports the events of a time range that includes its start and excludes its end",
    async run(bench) {
      const source = await bench.makeSource();
      const times = [-dayUs - 1n, -dayUs, -1n, 0n, 1n, dayUs - 1n, dayUs, dayUs + 1n];
      await bench.append(
        source,
        times.map((time, index) => eventOf(`e${index}`, {}, time)),
      );
      const read = await readAll(bench, source, { fromUs: 0n, toUs: dayUs });
      assert.deepEqual(
        read.map(({ timestampUs }) => timestampUs),
        [0n, 1n, dayUs - 1n],
      );
      const slices = await storedEvents(bench).slices(source, always, dayUs, new AbortController().signal);
      assert.deepEqual(
        slices.map(({ startUs, eventCount }) => [startUs, eventCount]),
        [
          [-2n * dayUs, 1],
          [-dayUs, 2],
          [0n, 3],
          [dayUs, 2],
        ],
      );
    },
  },
  {
    name: "finds events by their ids, of all tenants or of some, at all times or within some, as they came",
    async run(bench) {
      const source = await bench.makeSource({
        tenantField: "project",
        knownFields: [{ path: "project", type: STRING }],
      });
      const fieldsOf = (tenant: string | null) => ({ n: 2n ** 60n, ...(tenant === null ? {} : { project: tenant }) });
      for (const tenant of ["a", "b", null]) {
        const events = [1n, 2n, 3n].map((us) => eventOf(`e'\\${us}`, fieldsOf(tenant), us));
        await bench.append(source, [...events, eventOf(`long ${tenant}`, { text: "x".repeat(3_000) }, 9n)]);
      }
      const find = async (search: Omit<EventSearch, "maxBytes">, maxBytes = 10_000): Promise<readonly string[]> => {
        const found: string[] = [];
        const { signal } = new AbortController();
        for await (const events of bench.engine.findEvents(source, { ...search, maxBytes }, signal)) {
          for (const { id, timestampUs, fields } of events)
            found.push(`${id} ${timestampUs} ${String(fields.project)}`);
        }
        return found.sort();
      };
      const [one, two] = ["e'\\1", "e'\\2"];
      assert.deepEqual(await find({ ids: [one] }), [`${one} 1 a`, `${one} 1 b`, `${one} 1 undefined`]);
      assert.deepEqual(await find({ ids: [one, two], tenants: ["b"] }), [`${one} 1 b`, `${two} 2 b`]);
      assert.deepEqual(await find({ ids: [one], tenants: [null] }), [`${one} 1 undefined`]);
      assert.deepEqual(await find({ ids: [one], tenants: ["a", null] }), [`${one} 1 a`, `${one} 1 undefined`]);
      const range = { fromUs: 2n, toUs: 3n };
      assert.deepEqual(await find({ ids: [one, two, "e'\\3"], tenants: ["a"], range }), [`${two} 2 a`]);
      assert.deepEqual(await find({ ids: [] }), []);
      assert.deepEqual(await find({ ids: ["none"] }), []);
      assert.equal((await find({ ids: ["long a"] }, 4_000)).length, 1);
      await assert.rejects(find({ ids: ["long a", "long b"] }, 4_000), { code: "result_too_large" });
    },
  },
  {
    name: "tells of a tenant's slices what it would tell if there were no other tenants",
    async run(bench) {
      const slicesOf = async (tenants: readonly (string | null)[], tenant: string) => {
        const source = await bench.makeSource({ tenantField: "project" });
        for (const [index, project] of tenants.entries()) {
          const fields = project === null ? {} : { project };
          await bench.append(source, [eventOf("e", fields, 5n), eventOf(`e${index}`, fields, BigInt(index) * dayUs)]);
        }
        return storedEvents(bench).slices(source, always, dayUs, new AbortController().signal, tenant);
      };
      const alone = await slicesOf(["a"], "a");
      assert.deepEqual(
        alone.map(({ startUs, eventCount }) => [startUs, eventCount]),
        [[0n, 2]],
      );
      assert.deepEqual(await slicesOf(["a", "b", null], "a"), alone);
      assert.deepEqual(await slicesOf(["a", "b", null], "c"), []);
      assert.deepEqual(await slicesOf([null], "a"), []);
    },
  },
  {
    name: "changes a slice's fingerprint when an event is added or replaced",
    async run(bench) {
      const fingerprint = async (ids: readonly string[]) => {
        const source = await bench.makeSource();
        await bench.append(
          source,
          ids.map((id) => eventOf(id, {}, 5n)),
        );
        const [slice] = await storedEvents(bench).slices(source, always, dayUs, new AbortController().signal);
        return slice?.fingerprint;
      };
      const [one, same, another, more] = [
        ["a", "b"],
        ["b", "a"],
        ["a", "c"],
        ["a", "b", "c"],
      ];
      assert.equal(await fingerprint(one ?? []), await fingerprint(same ?? []));
      assert.notEqual(await fingerprint(one ?? []), await fingerprint(another ?? []));
      assert.notEqual(await fingerprint(one ?? []), await fingerprint(more ?? []));
    },
  },
  {
    name: "exports events that read the same once stored again, with declared fields, tenants and odd spellings",
    isLong: true,
    async run(bench) {
      const definition = {
        tenantField: "project",
        knownFields: [
          { path: "project", type: STRING },
          { path: "x", type: INT64 },
          { path: "metadata.x", type: FLOAT64 },
        ],
      };
      const [first, second] = [await bench.makeSource(definition), await bench.makeSource(definition)];
      const spelled = oddEvents.flatMap((event, index) => {
        const { x, ...fields } = event.fields;
        const odd = x === undefined ? fields : { [index % 3 === 0 ? "X" : "x"]: x, Extra: index };
        const tenant = [{ project: "a" }, { project: "b" }, { Project: 5 }, {}][index % 4];
        const own = { ...event, fields: { ...odd, ...tenant, [index % 2 === 0 ? "Field" : "field"]: index } };
        return [own, ...(index % 5 === 0 ? [{ ...own, fields: { ...own.fields, project: "other" } }] : [])];
      });
      await appendTogetherAndAlone(bench, first, spelled);
      const moved = await readAll(bench, first);
      assert.equal(moved.length, spelled.length);
      await appendTogetherAndAlone(bench, second, moved);
      const order = (events: readonly LogEvent[]) => JSON.stringify(plain(events)).split('{"id"').sort();
      assert.deepEqual(order(await readAll(bench, second)), order(moved));
      for (const tenant of ["a", "b", "5", undefined]) {
        const view = tenant === undefined ? {} : { tenant };
        const ask = (source: string) =>
          bench.askText(
            `SELECT id, timestamp, event_message, project, metadata FROM ${source} ORDER BY id, project`,
            view,
          );
        assert.equal(await ask(second), await ask(first));
      }
    },
  },
];
