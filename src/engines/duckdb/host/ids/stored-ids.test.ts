/** Ids of a store, most of which are in files: each event is stored once, whatever is stopped, lost or damaged. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { STRING } from "../../../../googlesql/types.ts";
import type { LogEvent } from "../../../contract/query-engine.ts";
import { DuckDbStore } from "../../store/store.ts";
import { openCore } from "../core.ts";
import type { CoreOptions, EngineHost } from "../protocol.ts";

const signal = new AbortController().signal;
const hourUs = 3_600_000_000n;

describe("the ids of a store", () => {
  let directory: string;
  let said: string[];
  const hosts = new Set<EngineHost>();
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "logweir-stored-ids-"));
    said = [];
  });
  afterEach(async () => {
    for (const host of hosts) await host.close();
    hosts.clear();
    rmSync(directory, { recursive: true });
  });

  async function open(more: Partial<CoreOptions> = {}) {
    const options: CoreOptions = {
      ...{ directory, threads: 1, memoryLimitBytes: 256 * 1024 ** 2, checkpointBytes: 64 * 1024, maxHeldIds: 300 },
      compaction: { minRows: 200, maxRows: 1_000, everyMs: 3_600_000 },
      ...more,
    };
    const hooks = { onFatal: () => expect.unreachable(), onProblem: (message: string) => void said.push(message) };
    const { host, sources } = await openCore(options, hooks);
    hosts.add(host);
    const store = new DuckDbStore(() => host);
    store.load({ sources });
    await store.ensureSource({
      name: "edge",
      tenantField: "project",
      knownFields: [{ path: "project", type: STRING }],
    });
    const close = async () => {
      hosts.delete(host);
      await host.close();
    };
    return { host, store, close };
  }

  const eventOf = (n: number, moved = 0n): LogEvent => ({
    ...{ id: `e${n}`, hasGeneratedId: false, eventMessage: `m${n}`, fields: { project: `p${n % 3}` } },
    timestampUs: BigInt(n % 50) * hourUs + BigInt(n) + moved,
  });
  const events = (from: number, to: number, moved = 0n) =>
    Array.from({ length: to - from }, (_, n) => eventOf(from + n, moved));
  const manifest = () => {
    const path = join(directory, "ids", "manifest.json");
    const text = existsSync(path) ? readFileSync(path, "utf8") : `{"tables":{}}`;
    return (JSON.parse(text) as { tables: Record<string, { coveredRun: number | null }> }).tables;
  };
  const idFiles = () => readdirSync(join(directory, "ids")).filter((name) => name.endsWith(".ids"));

  it("recognise each event after files, compactions and restarts, of its own tenant", async () => {
    let { host, store, close } = await open();
    for (let part = 0; part < 10; part++) {
      const added = events(part * 200, (part + 1) * 200);
      expect(await store.append("edge", [...added, ...added.slice(0, 50)], signal)).toMatchObject({
        stored: 200,
        repeated: 50,
      });
      if (part % 3 === 2) await host.maintain();
      if (part === 4) {
        await close();
        ({ host, store, close } = await open());
      }
    }
    await waitUntil(() => idFiles().length >= 1);
    await close();
    ({ host, store, close } = await open());
    expect(await store.append("edge", events(0, 2_000), signal)).toMatchObject({ stored: 0, repeated: 2_000 });
    // The same id with another time is the same event within the window, and never that of another tenant.
    expect(await store.append("edge", events(100, 110, 99n * hourUs), signal)).toMatchObject({
      stored: 0,
      repeated: 10,
    });
    const others = events(0, 20).map((event) => ({ ...event, fields: { project: "other" } }));
    expect(await store.append("edge", others, signal)).toMatchObject({ stored: 20, repeated: 0 });
    expect((await host.statistics()).map(({ rowCount }) => rowCount)).toEqual([2_020]);
    expect(said).toEqual([]);
  });

  it("recognise an event after the window by its time too", async () => {
    const first = await open({ repeatWindowMs: -1 });
    expect(await first.store.append("edge", events(0, 400), signal)).toMatchObject({ stored: 400, repeated: 0 });
    // Once they are in a file, an id is no longer enough.
    const isStored = async () => (await first.store.append("edge", [eventOf(399, 7n)], signal)).stored === 1;
    await waitUntil(isStored);
    expect(await first.store.append("edge", events(0, 400), signal)).toMatchObject({ stored: 0, repeated: 400 });
    const moved = events(10, 20, 7n);
    expect(await first.store.append("edge", moved, signal)).toMatchObject({ stored: 10, repeated: 0 });
    expect(await first.store.append("edge", [...moved, ...events(10, 20)], signal)).toMatchObject({
      stored: 0,
      repeated: 20,
    });
  });

  it("are read from the table again where a file is damaged or the folder is gone", async () => {
    let { store, close } = await open();
    for (let part = 0; part < 5; part++) await store.append("edge", events(part * 200, (part + 1) * 200), signal);
    await waitUntil(() => idFiles().length >= 1);
    await close();
    writeFileSync(join(directory, "ids", idFiles()[0] ?? ""), Buffer.alloc(5_000, 1));
    ({ store, close } = await open());
    expect(await store.append("edge", events(0, 1_005), signal)).toMatchObject({ stored: 5, repeated: 1_000 });
    expect(said).toEqual([expect.stringContaining("the ids of events_1 are read from the table again")]);
    await close();
    rmSync(join(directory, "ids"), { recursive: true });
    ({ store, close } = await open());
    expect(await store.append("edge", events(0, 1_010), signal)).toMatchObject({ stored: 5, repeated: 1_005 });
  });

  it("are read from the table again where a file is damaged while the store is in use, once more after a restart", async () => {
    let { store, host, close } = await open();
    for (let part = 0; part < 5; part++) await store.append("edge", events(part * 200, (part + 1) * 200), signal);
    await waitUntil(() => typeof manifest().events_1?.coveredRun === "number");
    await host.maintain();
    const path = join(directory, "ids", idFiles()[0] ?? "");
    const isDamaged = () => {
      try {
        return readFileSync(path)[0] === 1;
      } catch {
        return false;
      }
    };
    writeFileSync(path, Buffer.alloc(readFileSync(path).length, 1));
    expect(await store.append("edge", events(0, 1_005), signal)).toMatchObject({ stored: 5, repeated: 1_000 });
    expect(said).toEqual([expect.stringContaining("the ids of events_1 are read from the table again")]);
    await waitUntil(() => typeof manifest().events_1?.coveredRun === "number" && !isDamaged());
    expect(await store.append("edge", events(0, 1_005), signal)).toMatchObject({ stored: 0, repeated: 1_005 });
    await close();
    ({ store, host, close } = await open());
    expect(await store.append("edge", events(0, 1_005), signal)).toMatchObject({ stored: 0, repeated: 1_005 });
  });

  it("are read from the table once: after that, a start reads those of later rows", async () => {
    const { store, host, close } = await open({ maxHeldIds: 1_000_000 });
    await store.append("edge", events(0, 900), signal);
    await host.maintain();
    await close();
    expect(idFiles()).toEqual([]);
    const upgraded = await open({ maxHeldIds: 100 });
    await waitUntil(() => typeof manifest().events_1?.coveredRun === "number");
    await upgraded.close();
    expect(idFiles().length).toBeGreaterThan(0);
    const again = await open();
    expect(await again.store.append("edge", events(0, 905), signal)).toMatchObject({ stored: 5, repeated: 900 });
  });

  it("of a dropped source are no one else's", async () => {
    let { host, store, close } = await open();
    await store.append("edge", events(0, 400), signal);
    await waitUntil(() => idFiles().length === 1);
    await host.dropSource("edge");
    await close();
    expect(idFiles()).toEqual([]);
    ({ host, store, close } = await open());
    expect(await store.append("edge", events(0, 400), signal)).toMatchObject({ stored: 400, repeated: 0 });
  });
});
