/** A case that never fails tests nothing: the suite runs on engines that do nothing, or the wrong thing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Engine, EngineError, type EventStore, type LogEvent } from "../../src/engines/contract/query-engine.ts";
import { openMemoryEngine } from "../../src/engines/index.ts";
import { createFakeEngine, runningQuery } from "../support/fake-engine.ts";
import { sampleOf } from "../support/sample-size.ts";
import { Bench, type ConformanceCase, conformanceCases } from "./index.ts";

const allCases = Object.values(conformanceCases).flat();

function outcomeOf(each: ConformanceCase, bench: Bench): Promise<"passes" | "fails"> {
  return each.run(bench).then(
    () => "passes",
    () => "fails",
  );
}

/** Answers every call without doing anything. */
function idleEngine(): Engine {
  const idle = createFakeEngine();
  return { ...idle, onRun: async () => runningQuery([]) } as Engine;
}

/** Refuses every call. */
function refusingEngine(): Engine {
  const refuse = () => Promise.reject(new EngineError("internal", "no"));
  const { store, ...rest } = createFakeEngine();
  const refusals = {
    ...{ append: refuse, countEvents: refuse, deleteEvents: refuse, dropSource: refuse },
    ...{ statistics: refuse, inspect: refuse },
  };
  const refusing: EventStore = { ...store, ...refusals };
  return { ...rest, run: refuse, ping: refuse, store: refusing };
}

describe("each conformance case", () => {
  it("fails for an engine that does nothing or for one that refuses everything", async () => {
    const passing: string[] = [];
    for (const each of allCases) {
      const outcomes = [];
      for (const open of [idleEngine, refusingEngine]) {
        outcomes.push(await outcomeOf(each, await Bench.open(async () => open())));
      }
      if (!outcomes.includes("fails")) passing.push(each.name);
    }
    expect(passing).toEqual([]);
  });
});

describe("the conformance suite", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openMemoryEngine({ threads: 1 });
  });
  afterAll(() => engine.close());

  const withStore = (change: (store: EventStore) => Partial<EventStore>): Engine => ({
    ...engine,
    store: Object.assign(Object.create(engine.store) as EventStore, change(engine.store)),
  });
  let made = 0;
  const renumbered = (events: readonly LogEvent[]) =>
    events.map((event) => ({ ...event, id: `${event.id} ${++made}` }));

  const brokenEngines: readonly (readonly [what: string, broken: () => Engine, cases: readonly string[]])[] = [
    [
      "a store that stores repeats",
      () =>
        withStore((store) => ({ append: (name, events, signal) => store.append(name, renumbered(events), signal) })),
      ["stores an id once, within", "detects a repeated id", "stores an id once for each tenant"],
    ],
    [
      "a store that loses the last event of many",
      () =>
        withStore((store) => ({
          async append(name, events, signal) {
            await store.append(name, events.slice(0, Math.max(1, events.length - 1)), signal);
            return { stored: events.length, repeated: 0 };
          },
        })),
      ["stores a large append completely", "reports the number of rows"],
    ],
    [
      "a retention that also deletes events at the bound",
      () =>
        withStore((store) => ({
          deleteEvents: (name, { toUs = 0n, ...filter }) => store.deleteEvents(name, { ...filter, toUs: toUs + 1n }),
        })),
      ["deletes the events before a time"],
    ],
    [
      "a drop that deletes only rows",
      () =>
        withStore((store) => ({
          dropSource: async (name) => void (await store.deleteEvents(name, {}).catch(() => undefined)),
        })),
      ["drops a source with its events"],
    ],
    [
      "a view that shows a tenant everything",
      () => withStore((store) => ({ describe: (name) => store.describe(name) })),
      ["shows a tenant the declared fields"],
    ],
    [
      "a view that is a new object each time",
      () => withStore((store) => ({ describe: (name, tenant) => structuredClone(store.describe(name, tenant)) })),
      ["describes a source at once"],
    ],
    [
      "a query that cannot be stopped",
      () => ({ ...engine, run: (request) => engine.run({ ...request, signal: new AbortController().signal }) }),
      ["ends an aborted query between its rows"],
    ],
    [
      "an answer without limits",
      () => ({
        ...engine,
        run: (request) => engine.run({ ...request, limits: { timeoutMs: 2000, maxRows: 1e6, maxResultBytes: 1e9 } }),
      }),
      [
        "truncates an answer beyond the row limit",
        "fails an answer beyond its byte limit",
        "fails a text longer than",
        "ends a query at its deadline",
      ],
    ],
    [
      "values bound in the wrong order",
      () => ({ ...engine, run: (request) => engine.run({ ...request, values: request.values.toReversed() }) }),
      ["answers with parameters of each form"],
    ],
  ];

  it.each(sampleOf(brokenEngines, 0.3))("detects %s", async (_, broken, cases) => {
    for (const begin of cases) {
      const each = allCases.find(({ name }) => name.startsWith(begin));
      if (each === undefined) throw new Error(`There is no case ${begin}`);
      // The case itself is valid: the unchanged engine passes it.
      expect([each.name, await outcomeOf(each, await Bench.open(async () => engine, `good_${++made}`))]).toEqual([
        each.name,
        "passes",
      ]);
      expect([each.name, await outcomeOf(each, await Bench.open(async () => broken(), `bad_${++made}`))]).toEqual([
        each.name,
        "fails",
      ]);
    }
  });
});
