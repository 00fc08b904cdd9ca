import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Faults, injectFaults } from "../../../../test/support/engines/duckdb/store/faults.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { EventValue, LogEvent, SourceDefinition } from "../../contract/query-engine.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const sourceOf = (name: string): SourceDefinition => ({ name, knownFields: [{ path: "level", type: STRING }] });

let directory: string;
let faults: Faults;
let made = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "logweir-faults-"));
  faults = await injectFaults();
});
afterAll(() => {
  faults.restore();
  rmSync(directory, { recursive: true, force: true });
});

type Fields = Readonly<Record<string, EventValue>>;
const eventOf = (id: string, fields: Fields = {}, hasGeneratedId = false): LogEvent => {
  return { id, hasGeneratedId, timestampUs: 1_000_000n + BigInt(id.length), eventMessage: id, fields };
};

/** A store with its own file in this process; the host's messages are recorded. */
async function openStore(path: string) {
  const said: string[] = [];
  const options = {
    threads: 1,
    memoryLimitBytes: 256 * 1024 ** 2,
    checkpointBytes: 4_096,
    compaction: { minRows: 2, maxRows: 1_000, everyMs: 1_000_000 },
    directory: path,
  };
  const { host, sources } = await openCore(options, {
    onFatal: (error) => said.push(`fatal: ${String(error)}`),
    onProblem: (message) => said.push(message),
  });
  const store = new DuckDbStore(() => host);
  store.load({ sources });
  const ids = async (name: string): Promise<readonly string[]> => {
    const text = `SELECT id FROM ${name} ORDER BY id`;
    const tables = { findTable: (table: string) => store.describe(table), tableNames: () => [] };
    const query = compileQuery(
      resolveQuery(parseQuery(text), text, { tables, parameters: new Map() }),
      store.layoutOf,
      { text },
    );
    const limits = { timeoutMs: 60_000, maxRows: 1_000, maxResultBytes: 1_000_000 };
    const running = await runQuery(host, { query, values: [], encoding: "objects", limits, signal });
    let rows = "";
    for await (const { json } of running.batches) rows += rows === "" || json === "" ? json : `,${json}`;
    return (JSON.parse(`[${rows}]`) as { readonly id: string }[]).map(({ id }) => id);
  };
  return { host, store, said, ids };
}

type Opened = Awaited<ReturnType<typeof openStore>>;

/** Batches sent concurrently; the second repeats an id, the third and fourth bring new fields. */
const batches: readonly (readonly LogEvent[])[] = [
  [eventOf("a1"), eventOf("a2")],
  [eventOf("b1"), eventOf("base"), eventOf("b2")],
  [eventOf("c1", { fresh: "x" })],
  [eventOf("d1", { fresh: 5, other: [1, 2] }), eventOf("d2", {}, true)],
];

const actions: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  snapshot: async ({ store }) => (await store.snapshot(signal)).release(),
  maintain: ({ host }) => host.maintain(),
  expire: ({ store }) => store.deleteEvents("edge", { toUs: 0n }),
  "another source": ({ store }) => store.ensureSource(sourceOf("late")),
  drop: ({ store }) => store.dropSource("other"),
  query: ({ ids }) => ids("edge"),
};

async function sendAll({ store }: Opened): Promise<readonly PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(batches.map((batch) => store.append("edge", batch, signal)));
}

function countOf(found: readonly string[], batch: readonly LogEvent[]): number {
  return batch.filter(({ id }) => found.includes(id)).length;
}

/** No event is lost or stored twice, and nothing is blocked: everything works as if nothing had failed. */
async function expectWhole(
  path: string,
  opened: Opened,
  sent: readonly PromiseSettledResult<unknown>[],
): Promise<void> {
  const { store, host, ids } = opened;
  const found = await ids("edge");
  expect(found).toEqual([...new Set(found)]);
  for (const [index, { status }] of sent.entries()) {
    const batch = (batches[index] ?? []).filter(({ id }) => id !== "base");
    const count = countOf(found, batch);
    expect(count === batch.length || (status === "rejected" && count === 0), `${status}: ${batch[0]?.id}`).toBe(true);
  }
  const again = await sendAll(opened);
  expect(again.filter(({ status }) => status === "rejected")).toEqual([]);
  for (let i = 0; i < 2; i++) await (await store.snapshot(signal)).release();
  await store.ensureSource(sourceOf("late"));
  await store.append("late", [eventOf("late")], signal);
  while (await host.maintain());
  await store.dropSource("other");
  // A generated id is looked up only if the answer to its first append was lost.
  const all = batches.flat().filter(({ hasGeneratedId }) => !hasGeneratedId);
  const isOwn = (id: string) => id !== "d2";
  const expected = [...new Set(["base", ...all.map(({ id }) => id)])].sort();
  expect((await ids("edge")).filter(isOwn)).toEqual(expected);
  await host.close();
  const reopened = await openStore(path);
  expect((await reopened.ids("edge")).filter(isOwn)).toEqual(expected);
  expect(reopened.store.describe("other")).toBeUndefined();
  await reopened.host.close();
}

async function runWith(distances: readonly number[], chosen: readonly string[]): Promise<readonly string[]> {
  const path = join(directory, String(++made));
  const opened = await openStore(path);
  for (const name of ["edge", "other"]) await opened.store.ensureSource(sourceOf(name));
  await opened.store.append("edge", [eventOf("base")], signal);
  faults.arm(distances);
  const [sent] = await Promise.all([
    sendAll(opened),
    Promise.allSettled(chosen.map((name) => actions[name]?.(opened))),
  ]);
  faults.disarm();
  const failed = [...faults.failed];
  expect(opened.said.filter((message) => message.startsWith("fatal"))).toEqual([]);
  await expectWhole(path, opened, sent);
  rmSync(path, { recursive: true, force: true });
  return failed;
}

describe("a store whose database fails a call", () => {
  it("loses no event, stores none twice and blocks nothing, whichever call fails", async () => {
    const failed = new Set<string>();
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: 45 }),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      fc.uniqueArray(fc.constantFrom(...Object.keys(actions)), { maxLength: 3 }),
      async (first, distance, chosen) => {
        const distances = distance === undefined ? [first] : [first, first + distance];
        for (const call of await runWith(distances, chosen)) failed.add(call);
      },
    );
    await fc.assert(property, {
      numRuns: sampleSize(3, 25),
      // A failed ROLLBACK leaves a transaction open.
      examples: [[2, 1, ["snapshot"]]],
      endOnFailure: true,
      // What is stuck for so long stays so.
      timeout: 120_000,
    });
    expect(failed.size).toBeGreaterThanOrEqual(sampleSize(2, 5));
  }, 1_200_000);
});
