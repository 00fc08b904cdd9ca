import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import { type DuckDBConnection, DuckDBInstance } from "../driver/driver.ts";
import { DuckDbStore } from "../store/store.ts";
import { openCore } from "./core.ts";
import type { CoreOptions, EngineHost } from "./protocol.ts";

const signal = new AbortController().signal;
const memory: CoreOptions = {
  threads: 1,
  memoryLimitBytes: 256 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 2, maxRows: 1000, everyMs: 1_000_000 },
};
const eventOf = (id: string): LogEvent => {
  return { id, hasGeneratedId: false, timestampUs: BigInt(id.length), eventMessage: null, fields: {} };
};

describe("the engine's core", () => {
  let directory: string;
  let said: string[];
  const hosts = new Set<EngineHost>();
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "logweir-core-"));
    said = [];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const host of hosts) await host.close();
    hosts.clear();
    rmSync(directory, { recursive: true });
  });

  async function open(options: CoreOptions = memory, schema: Partial<StoreLimits["schema"]> = {}) {
    const hooks = { onFatal: () => expect.unreachable(), onProblem: (message: string) => void said.push(message) };
    const { host, sources } = await openCore(options, hooks);
    hosts.add(host);
    const limits = { ...defaultStoreLimits, schema: { ...defaultStoreLimits.schema, ...schema } };
    const store = new DuckDbStore(() => host, { limits });
    store.load({ sources });
    return { host, store };
  }

  async function close(host: EngineHost): Promise<void> {
    hosts.delete(host);
    await host.close();
  }

  /** Lets statements fail that begin so, until it is told to stop. */
  async function failOn(beginning: string, message = "IO Error: injected"): Promise<() => void> {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const prototype = Object.getPrototypeOf(connection) as DuckDBConnection;
    connection.closeSync();
    instance.closeSync();
    const original = prototype.prepare;
    const spy = vi.spyOn(prototype, "prepare").mockImplementation(function (this: DuckDBConnection, sql) {
      if (sql.startsWith(beginning)) return Promise.reject(new Error(message));
      return original.call(this, sql);
    });
    return () => spy.mockRestore();
  }

  it("keeps a source that could not be dropped, and drops it the next time", async () => {
    const { host, store } = await open();
    for (const name of ["edge", "other"]) await store.ensureSource({ name, knownFields: [] });
    await store.append("edge", [eventOf("a")], signal);
    const stop = await failOn('DELETE FROM "events_1"');
    await expect(host.dropSource("edge")).rejects.toMatchObject({ code: "internal" });
    stop();
    expect((await host.statistics()).map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ["other", 0],
      ["edge", 1],
    ]);
    expect(await store.append("edge", [eventOf("a"), eventOf("b")], signal)).toEqual({ stored: 1, repeated: 1 });
    await host.dropSource("edge");
    expect((await host.statistics()).map(({ name }) => name)).toEqual(["other"]);
  });

  it("says what a full disk left undone", async () => {
    const { host, store } = await open();
    await store.ensureSource({ name: "edge", knownFields: [] });
    await store.append("edge", [eventOf("a"), eventOf("bb")], signal);
    const stop = await failOn('DELETE FROM "events_1"', "IO Error: Could not write: No space left on device");
    const error = (effect: string) => ({
      code: "disk_full",
      message: `${effect}: the disk that holds the store is full`,
    });
    await expect(store.deleteEvents("edge", {})).rejects.toMatchObject(error("0 of 2 events were deleted"));
    await expect(host.dropSource("edge")).rejects.toMatchObject(error("The source edge was not dropped"));
    stop();
    expect(await store.deleteEvents("edge", {})).toEqual({ matched: 2, deleted: 2 });
  });

  it("goes on by the rules before where new ones could not be kept", async () => {
    const { host, store } = await open();
    await store.ensureSource({ name: "edge", knownFields: [] });
    const [before, after] = [
      { tenantField: null, fields: [] },
      { tenantField: "project", fields: [] },
    ];
    const known = async () => (await host.createSources([{ name: "edge", entries: [], rules: after }]))[0]?.rules;
    const stop = await failOn("UPDATE lw_sources");
    await expect(host.defineSource("edge", after)).rejects.toMatchObject({ code: "internal" });
    stop();
    expect(await known()).toEqual(before);
    expect(await host.defineSource("edge", after)).toMatchObject({ name: "edge", table: "events_1", rules: after });
    expect(await known()).toEqual(after);
  });

  it("finds out whose fields are whose, also those beyond the columns, once it is told what tells tenants apart", async () => {
    const { store } = await open(memory, { maxColumns: 1 });
    const edge = { name: "edge", knownFields: [{ path: "project", type: STRING }] };
    await store.ensureSource(edge);
    const events = ["a", "b"].map((project) => ({ ...eventOf(project), fields: { project, [`of_${project}`]: 1 } }));
    await store.append("edge", events, signal);
    await store.ensureSource({ ...edge, tenantField: "project" });
    const fields = (tenant: string) =>
      store
        .describe("edge", tenant)
        ?.columns.map(({ name }) => name)
        .slice(3);
    expect([fields("a"), fields("b")]).toEqual([
      ["project", "of_a"],
      ["project", "of_b"],
    ]);
  });

  it("says where the ids of a source cannot be read, and finds repeats all the same", async () => {
    const options = { ...memory, directory };
    const { host, store } = await open(options);
    await store.ensureSource({ name: "edge", knownFields: [] });
    await store.append("edge", [eventOf("a")], signal);
    await close(host);
    for (const [failing, problems] of [
      [
        "SELECT id, timestamp",
        ["cannot read the ids of edge: The engine failed to run the query (IO Error: injected)"],
      ],
      ["no statement", []],
    ] as const) {
      said = [];
      const stop = await failOn(failing);
      const again = await open(options);
      await expect.poll(() => said).toEqual(problems);
      stop();
      expect(await again.store.append("edge", [eventOf("a")], signal)).toEqual({ stored: 0, repeated: 1 });
      await close(again.host);
      expect(said).toEqual(problems);
    }
  });

  it("compacts by itself, says where that fails, and tries again", async () => {
    const stop = await failOn('INSERT INTO "events_1"');
    const compaction = { ...memory.compaction, quietMs: 0, everyMs: 2 };
    const { host, store } = await open({ ...memory, directory, checkpointBytes: 1, compaction });
    await store.ensureSource({ name: "edge", knownFields: [] });
    await store.append("edge", [eventOf("a"), eventOf("bb"), eventOf("ccc")], signal);
    const tail = async () => (await host.statistics())[0]?.tailRowCount;
    await expect.poll(() => said[0]).toBe("maintenance failed and will be tried again: IO Error: injected");
    expect(await tail()).toBe(3);
    stop();
    await expect.poll(tail).toBe(0);
  });

  it("answers a source that it has as it has it, and reads nothing of one that it has not", async () => {
    const { host, store } = await open();
    await store.ensureSource({ name: "edge", knownFields: [] });
    const [edge, fresh] = await host.createSources([
      { name: "edge", entries: [], rules: { tenantField: "x", fields: [] } },
      { name: "fresh", entries: [], rules: { tenantField: null, fields: [] } },
    ]);
    expect(edge).toMatchObject({ name: "edge", table: "events_1", rules: { tenantField: null } });
    expect(fresh).toMatchObject({ name: "fresh", table: "events_2", tenants: [] });
    await expect(host.deleteEvents("none", { toUs: "1" })).rejects.toMatchObject({ code: "unknown_source" });
    expect(await host.maintain()).toBe(false);
    await host.ping();
  });
});
