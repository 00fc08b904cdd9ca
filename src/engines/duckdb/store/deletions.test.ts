import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Faults, injectFaults } from "../../../../test/support/engines/duckdb/store/faults.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { openCore } from "../host/core.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
/** More than one piece of a deletion, in runs and in the tail. */
const total = 90_000;
const definition = { name: "edge", tenantField: "project", knownFields: [{ path: "project", type: STRING }] };

const eventOf = (n: number): LogEvent => ({
  ...{ id: `${n}`, hasGeneratedId: false, timestampUs: BigInt(n), eventMessage: null },
  fields: { project: n % 3 === 0 ? "kept" : "gone" },
});

let folder: string;
let faults: Faults;

async function openStore(directory: string) {
  const said: string[] = [];
  const { host, sources } = await openCore(
    {
      ...{ directory, threads: 2, memoryLimitBytes: 512 * 1024 ** 2, checkpointBytes: 256 * 1024 },
      compaction: { minRows: 20_000, maxRows: 30_000, everyMs: 1_000_000 },
    },
    { onFatal: (error) => said.push(String(error)), onProblem: (message) => said.push(message) },
  );
  const store = new DuckDbStore(() => host);
  store.load({ sources });
  await store.ensureSource(definition);
  const count = (tenant: string) => store.countEvents("edge", { tenants: { of: [tenant] } });
  return { host, store, count, said };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-deletions-"));
  const { store, host } = await openStore(join(folder, "whole"));
  for (let from = 0; from < total; from += 10_000) {
    await store.append(
      "edge",
      Array.from({ length: 10_000 }, (_, n) => eventOf(from + n)),
      signal,
    );
    if (from === 60_000) while (await host.maintain());
  }
  await host.close();
  faults = await injectFaults();
}, 120_000);

afterAll(() => {
  faults.restore();
  rmSync(folder, { recursive: true, force: true });
});

const filter = { tenants: { of: ["gone"] } };
const newEvents = (from: number) => Array.from({ length: 1000 }, (_, n) => eventOf(from + n));

describe("a deletion of more than one piece", () => {
  it("goes on beside appends, checkpoints, a compaction and a backup, and counts each event once", async () => {
    const path = join(folder, "beside");
    cpSync(join(folder, "whole"), path, { recursive: true });
    const { store, host, count, said } = await openStore(path);
    const compacting = host.maintain();
    const deleting = store.deleteEvents("edge", filter);
    const other = store.deleteEvents("edge", { ...filter, toUs: 45_000n });
    const appends = [0, 1, 2].map((n) => store.append("edge", newEvents(total + n * 1000), signal));
    const snapshot = store.snapshot(signal).then((held) => held.release());
    const [one, two] = await Promise.all([deleting, other]);
    await Promise.all([...appends, snapshot]);
    await compacting;
    expect(one.matched).toBeGreaterThanOrEqual(60_000);
    // Events that came meanwhile are deleted, or stay.
    expect(one.deleted + two.deleted + (await count("gone"))).toBe(62_000);
    expect(await count("gone")).toBeLessThanOrEqual(2000);
    expect(await count("kept")).toBe(31_000);
    await store.deleteEvents("edge", filter);
    expect(await store.append("edge", newEvents(0), signal)).toMatchObject({ stored: 666, repeated: 334 });
    expect(said).toEqual([]);
    await host.close();
  }, 120_000);

  it.each(sampleOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13], 0.1))(
    "that ends at call %i of the database leaves what the same call deletes at the next start",
    async (distance) => {
      const [path, copy] = [join(folder, `ended-${distance}`), join(folder, `copy-${distance}`)];
      cpSync(join(folder, "whole"), path, { recursive: true });
      const { store, host } = await openStore(path);
      faults.arm([distance]);
      const outcome = await store.deleteEvents("edge", filter).catch(() => undefined);
      faults.disarm();
      // As a kill at this moment leaves it.
      cpSync(path, copy, { recursive: true });
      await host.close();
      const next = await openStore(copy);
      const left = await next.count("gone");
      if (outcome !== undefined) expect([outcome.deleted, left]).toEqual([60_000, 0]);
      expect(await next.count("kept")).toBe(30_000);
      expect(await next.store.deleteEvents("edge", filter)).toEqual({ matched: left, deleted: left });
      expect(await next.store.append("edge", newEvents(0), signal)).toMatchObject({ stored: 666, repeated: 334 });
      await next.host.close();
      for (const each of [path, copy]) rmSync(each, { recursive: true, force: true });
    },
    120_000,
  );
});
