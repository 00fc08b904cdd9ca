/** Events that the query cases read, and cases over them. */
import { strict as assert } from "node:assert";
import type { EventValue } from "../../src/engines/contract/query-engine.ts";
import { type AskOptions, type Bench, eventOf } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";

type Fields = { readonly [field: string]: EventValue };

/** Events whose fields take every form that a store has to know. */
const forms: readonly Fields[] = [
  {
    project: "p",
    metadata: { status: 200, request: { path: "/a", tags: ["x", "y"] }, mixed: 1, spans: [{ n: 1 }, { n: 2 }] },
  },
  { project: "p", metadata: { status: "200", request: { path: "/b" }, mixed: true, spans: [{ n: 3 }] } },
  { project: "q", metadata: { status: 404, mixed: 1.5, large: 9007199254740993n, shape: "text" } },
  { project: 7, level: { name: "info" }, metadata: { mixed: "text", shape: { deep: { er: "yes" } }, spans: { n: 4 } } },
  { level: "plain" },
];

export const wide = 123456789012345678901234567890n;
const widths: readonly Fields[] = [
  { n: wide, m: { n: wide, list: [wide, 1] }, u: 2n ** 64n - 1n },
  { n: 5, m: { n: 5, list: [2] }, u: 7 },
];

/** Plain rows for joins, groups and windows. */
const calls: readonly Fields[] = [
  { host: "a", ms: 10, ok: true },
  { host: "a", ms: 30, ok: false },
  { host: "b", ms: 20, ok: true },
  { host: "b", ms: 20 },
  { ms: 2.5 },
];

/** Stores them, once for a bench. */
export function loadEvents(bench: Bench): Promise<void> {
  return bench.prepare("stored events", () => load(bench));
}

async function load(bench: Bench): Promise<void> {
  for (const [name, list] of Object.entries({ forms, widths, calls })) {
    await bench.define(name);
    // One by one, so that each widens the table that holds those before it.
    for (const [index, fields] of list.entries()) {
      await bench.append(name, [eventOf(`${index}`, fields, BigInt(index) * 1_000_001n)]);
    }
  }
}

/** A query with its rows as objects, unless the options say otherwise. */
export function queryCase(
  name: string,
  text: string,
  rows: readonly unknown[],
  options: AskOptions = {},
): ConformanceCase {
  return {
    name: `answers ${name}`,
    async run(bench) {
      await loadEvents(bench);
      assert.deepEqual(await bench.ask(text, options), rows);
    },
  };
}

/** Ids of the events that a condition holds for, in order. */
export function idsCase(name: string, from: string, ids: string): ConformanceCase {
  const rows = ids === "" ? [] : ids.split(" ").map((id) => ({ id }));
  return queryCase(`events by ${name}`, `SELECT t.id ${from} ORDER BY t.id`, rows);
}
