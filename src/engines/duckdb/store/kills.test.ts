import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Faults, injectFaults } from "../../../../test/support/engines/duckdb/store/faults.ts";
import { isLong, sampleSize } from "../../../../test/support/sample-size.ts";
import { createRandom, type Random } from "../../../demo/random.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { openCore } from "../host/core.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const KB = 1024;
/** The share of calls to the database before which a kill is tried. */
const IMAGES_SHARE = isLong ? 0.03 : 0.02;

let folder: string;
let faults: Faults;
let made = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-kills-"));
  faults = await injectFaults();
});
afterAll(() => {
  faults.restore();
  rmSync(folder, { recursive: true, force: true });
});

/** Small enough that each step of the upkeep is due all the time. */
const sizes = {
  threads: 1,
  memoryLimitBytes: 256 * KB ** 2,
  checkpointBytes: 64 * KB,
  maxHeldIds: 50,
  compaction: { minRows: 30, maxRows: 90, everyMs: 1_000_000, spareBytes: 256 * KB },
};

async function openStore(directory: string) {
  const said: string[] = [];
  const opened = await openCore(
    { ...sizes, directory },
    { onFatal: (error) => said.push(`fatal: ${String(error)}`), onProblem: (message) => said.push(message) },
  );
  const { host } = opened;
  const store = new DuckDbStore(() => host);
  store.load(opened);
  for (const name of ["edge", "other"]) {
    await store.ensureSource({ name, tenantField: "project", knownFields: [{ path: "project", type: STRING }] });
  }
  const ids = async (name: string): Promise<readonly string[]> => {
    const columns = [{ name: "id", type: STRING }];
    const sql = `SELECT id FROM ${store.stateOf(name).table}`;
    const query = { sql, parameters: [], columns, tables: [] };
    const limits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
    const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
    const rows: string[] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as string[][]).map(([id = ""]) => id));
    return rows.sort();
  };
  return { host, store, said, ids };
}

type Opened = Awaited<ReturnType<typeof openStore>>;

/** Events that are stored for certain, and those that are being stored or deleted. */
interface Known {
  readonly stored: Map<string, LogEvent>;
  readonly open: Map<string, LogEvent>;
  readonly other: Map<string, LogEvent>;
  isOtherOpen: boolean;
}

/** Takes 4 KB that do not compress. */
function makeEvents(random: Random, first: number): LogEvent[] {
  return Array.from({ length: 15 }, (_, index) => ({
    id: `e${first + index}`,
    hasGeneratedId: false,
    timestampUs: BigInt(first + index) * 1_000_000n,
    eventMessage: randomBytes(3_000).toString("base64"),
    fields: { project: `p${random.integer(0, 3)}`, [`f${random.integer(0, 20)}`]: index },
  }));
}

/** One of the store's works; `known` says what may be there while it goes on. */
type Work = (opened: Opened, known: Known, random: Random) => Promise<unknown>;

async function remove({ store }: Opened, { stored, open }: Known, filter: Parameters<DuckDbStore["deleteEvents"]>[1]) {
  for (const [id, event] of stored) {
    const { fields, timestampUs } = event;
    const isOf = filter.tenants === undefined || String(fields.project) === (filter.tenants as { of: string[] }).of[0];
    if (isOf && (filter.toUs === undefined || timestampUs < filter.toUs)) {
      open.set(id, event);
      stored.delete(id);
    }
  }
  await store.deleteEvents("edge", filter);
  open.clear();
}

const works: Readonly<Record<string, Work>> = {
  async append({ store }, { stored, open }, random) {
    const events = makeEvents(random, stored.size === 0 ? 0 : Number([...stored.keys()].at(-1)?.slice(1)) + 1);
    for (const event of events) open.set(event.id, event);
    await store.append("edge", events, signal);
    for (const [id, event] of open) stored.set(id, event);
    open.clear();
  },
  async appendOther({ store }, { other }, random) {
    const events = makeEvents(random, made++ * 100);
    await store.append("other", events, signal);
    for (const event of events) other.set(event.id, event);
  },
  upkeep: async ({ host }) => {
    while (await host.maintain());
  },
  deletion: (opened, known, random) => remove(opened, known, { tenants: { of: [`p${random.integer(0, 3)}`] } }),
  retention: (opened, known, random) => {
    const newest = Number([...known.stored.keys()].at(-1)?.slice(1) ?? 0);
    return remove(opened, known, { toUs: BigInt(Math.max(0, newest - random.integer(20, 120))) * 1_000_000n });
  },
  backup: async ({ store }) => (await store.snapshot(signal)).release(),
  async drop({ store }, known) {
    known.isOtherOpen = true;
    await store.dropSource("other");
    known.other.clear();
    await store.ensureSource({
      name: "other",
      tenantField: "project",
      knownFields: [{ path: "project", type: STRING }],
    });
    known.isOtherOpen = false;
  },
  rules: ({ store }, _known, random) =>
    store.ensureSource({
      ...{ name: "edge", tenantField: "project" },
      knownFields: [
        { path: "project", type: STRING },
        { path: `f${random.integer(0, 20)}`, type: STRING },
      ],
    }),
};

/** Opens the store as a kill would have left it: all that was stored is there once, nothing that was deleted. */
async function expectWhole(directory: string, known: Known, work: string): Promise<void> {
  const opened = await openStore(directory);
  const found = await opened.ids("edge");
  expect(found, work).toEqual([...new Set(found)]);
  const missing = [...known.stored.keys()].filter((id) => !found.includes(id));
  const unknown = found.filter((id) => !known.stored.has(id) && !known.open.has(id));
  expect([work, missing, unknown]).toEqual([work, [], []]);
  // All work goes on: what was open is done again, and what is stored is not stored twice.
  const all = [...known.stored.values(), ...known.open.values()];
  await opened.store.append("edge", all, signal);
  while (await opened.host.maintain());
  expect(await opened.ids("edge"), work).toEqual(all.map(({ id }) => id).sort());
  if (!known.isOtherOpen) expect((await opened.ids("other")).length, work).toBeGreaterThanOrEqual(known.other.size);
  expect(opened.said, work).toEqual([]);
  await opened.host.close();
}

describe("a store that is killed", () => {
  it("has every stored event once and no deleted one, before whichever call to the database it was", async () => {
    const seeds = sampleSize(1, 3);
    let images = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = createRandom(seed);
      const directory = join(folder, `store-${seed}`);
      const known: Known = { stored: new Map(), open: new Map(), other: new Map(), isOtherOpen: false };
      const opened = await openStore(directory);
      let work = "";
      const before = async () => {
        if (random.next() > IMAGES_SHARE) return;
        const image = join(folder, `image-${++made}`);
        cpSync(directory, image, { recursive: true });
        faults.watch(undefined);
        await expectWhole(image, known, `${seed}: ${work}`);
        rmSync(image, { recursive: true });
        images++;
        faults.watch(before);
      };
      for (let step = 0; step < (isLong ? 40 : 15); step++) {
        work = random.weighted([
          ["append", 8],
          ["appendOther", 2],
          ["upkeep", 4],
          ["deletion", 2],
          ["retention", 1],
          ["backup", 1],
          ["drop", 1],
          ["rules", 1],
        ] as const);
        faults.watch(before);
        await works[work]?.(opened, known, random);
        faults.watch(undefined);
      }
      expect(opened.said).toEqual([]);
      await opened.host.close();
    }
    expect(images).toBeGreaterThan(seeds * 5);
  }, 1_200_000);
});
