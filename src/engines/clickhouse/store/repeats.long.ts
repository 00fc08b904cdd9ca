/** Repeats on a server, and the cost of finding them: the same promise as on the embedded engine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { eventOf } from "../../../../test/engine-conformance/bench.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { openServerClient, type ServerClient, type ServerQuery, type ServerSettings } from "../driver/client.ts";
import { migrate } from "../migrate.ts";
import { SchemaKeeper } from "./schema-keeper.ts";
import { createSourceTable, ID_TERM } from "./statements.ts";
import { ClickHouseStore } from "./store.ts";
import { newBatch } from "./stored-ids.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-repeats-"));
const place = { database: "logs", cluster: undefined };
let server: ServerProcess;
let client: ServerClient;
const opened: ClickHouseStore[] = [];

/** All that a store asked the server. */
interface Asked {
  readonly sql: string;
  readonly params: ServerQuery["params"];
  readonly settings: ServerSettings;
}

beforeAll(async () => {
  server = await startServer({ folder });
  const access = { urls: [server.url], user: "default", password: "", database: "logs" };
  client = openServerClient({ ...access, callTimeoutMs: 300_000 });
  await migrate(access);
}, 300_000);
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const hourMs = 3_600_000;
const hourUs = 3_600_000_000n;
const dayUs = 24n * hourUs;
/** No part is so new: all that is stored arrived before the window. */
const OVER = -3_600_000;
const byProject = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] };
const never = () => new AbortController().signal;

async function openStore(
  repeatWindowMs = 48 * hourMs,
  asked: Asked[] = [],
  meanwhile: { before?(sql: string): Promise<void>; after?(sql: string): Promise<void> } = {},
): Promise<ClickHouseStore> {
  const rows: ServerClient["rows"] = async (sql, params = {}, settings = {}) => {
    asked.push({ sql, params, settings });
    await meanwhile.before?.(sql);
    const answer = await client.rows(sql, params, settings);
    await meanwhile.after?.(sql);
    return answer;
  };
  const recording = new Proxy(client, {
    get(target, name) {
      const value: unknown = name === "rows" ? rows : Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const keeper = new SchemaKeeper(recording, place);
  await keeper.open();
  const store = new ClickHouseStore({
    ...{ client: recording, place, keeper, watchMs: 60_000, repeatWindowMs },
    log: () => undefined,
  });
  await store.open();
  opened.push(store);
  return store;
}

const ofProject = (id: string, project: string, timestampUs: bigint) => eventOf(id, { project }, timestampUs);

async function countOf(store: ClickHouseStore, source: string): Promise<number | undefined> {
  return (await store.statistics(never())).find(({ name }) => name === source)?.rowCount;
}

describe("looking up a block of 1,000 random ids", () => {
  const parts = 28;
  const from = 20_000n * dayUs;
  // From a million rows on, ids are looked up by their index.
  const sizes = [sampleSize(110_000, 200_000), sampleSize(1_100_000, 2_000_000)] as const;

  async function fill(table: string, rows: number): Promise<void> {
    await client.command(`SYSTEM STOP MERGES ${table}`);
    for (let part = 0n; part < parts; part++) {
      const start = from + (part * dayUs) / 4n;
      await client.command(
        `INSERT INTO ${table} (id, timestamp, lw_batch, c1) SELECT toString(generateUUIDv4(number)), ` +
          `${start} + rand64(1) % ${dayUs / 4n}, ${newBatch()}, 'p' || toString(rand(2) % 50) ` +
          `FROM numbers(${Math.ceil(rows / parts)})`,
        { max_insert_block_size: "10000000", min_insert_block_size_rows: "10000000", max_threads: "1" },
      );
    }
  }

  async function rowsRead(asked: Asked | undefined, more: ServerSettings = {}): Promise<number> {
    const { sql, params, settings } = asked ?? expect.unreachable();
    const plans = await client.rows(`EXPLAIN ESTIMATE ${sql}`, params, { ...settings, ...more });
    return plans.reduce((sum, [database, , , rows]) => sum + (database === "logs" ? Number(rows) : 0), 0);
  }

  it("reads at most 4% of all in 28 parts and 7 days, and no more rows than a table of a tenth has", async () => {
    const read: number[][] = [];
    for (const size of sizes) {
      const source = `large${size}`;
      const store = await openStore();
      await store.ensureSource({ name: source, ...byProject });
      const table = `logs.${store.stateOf(source).table}`;
      await fill(table, size);
      const hour = from + 3n * dayUs + 7n * hourUs;
      const fresh = () =>
        Array.from({ length: 1_000 }, (_, n) =>
          ofProject(crypto.randomUUID(), `p${n % 50}`, hour + BigInt(n) * 3_000_000n),
        );
      const stored = await client.rows(
        `SELECT id, c1, toString(timestamp) FROM ${table} WHERE timestamp >= ${hour} AND timestamp < ${hour + hourUs} ` +
          "ORDER BY cityHash64(id) LIMIT 1000",
      );
      const again = stored.map(([id, project, time]) => ofProject(String(id), String(project), BigInt(String(time))));
      const ofSize: number[] = [];
      // All that is stored arrived within the window, or before it.
      for (const windowMs of [48 * hourMs, OVER]) {
        const asked: Asked[] = [];
        const other = await openStore(windowMs, asked);
        const looks = () => asked.splice(0).filter(({ sql }) => sql.includes("lw_batch"));
        expect(await other.append(source, fresh(), never())).toMatchObject({ stored: 1_000, repeated: 0 });
        // One before the block, and one behind it, which now find the block itself.
        const [before, behind, ...more] = looks();
        expect(more).toEqual([]);
        ofSize.push(await rowsRead(before), await rowsRead(behind));
        // Times and tenants alone would bound the look-up of what arrived before the window.
        if (windowMs === OVER) ofSize.push(await rowsRead(before, { use_skip_indexes: "0" }));
        expect(await other.append(source, again, never())).toMatchObject({ stored: 0, repeated: again.length });
        ofSize.push(await rowsRead(looks()[0]));
      }
      read.push(ofSize);
    }
    const [small = [], large = []] = read;
    for (const rows of large) expect(rows).toBeLessThanOrEqual(0.04 * sizes[1]);
    // Nothing but the blocks themselves is read to find that ids are new.
    for (const look of [0, 1, 3, 4]) expect(large[look]).toBeLessThanOrEqual(2_000);
    // Few rows are read instead of their index.
    for (const rows of small) expect(rows).toBeLessThanOrEqual(sizes[0] + 3_000);
  });
});

describe("an event that comes again", () => {
  it("is stored once for each tenant within the window, whatever its time, after restarts and on two nodes", async () => {
    let number = 0;
    const now = BigInt(Date.now()) * 1000n;
    const midnight = 20_000n * dayUs;
    const times = [0n, 1n, -1n, midnight - 1n, midnight, 47_482n * dayUs, -62_135_596_800_000_000n, now];
    const event = fc.record({
      id: fc.constantFrom("", "a", "b", "c", "é", "x".repeat(2_000)),
      project: fc.constantFrom("p", "q", null),
      // Without a time of its own an event gets another whenever it comes.
      time: fc.option(fc.constantFrom(...times)),
    });
    const step = fc.record({
      bodies: fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 3 }),
      restarts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 3 }), async (steps) => {
        const source = `model${++number}`;
        const known = new Set<string>();
        let nodes = [await openStore(), await openStore()];
        for (const node of nodes) await node.ensureSource({ name: source, ...byProject });
        let arrival = now;
        for (const { bodies, restarts } of steps) {
          if (restarts) nodes = [await openStore(), await openStore()];
          const sent = bodies.map((body) =>
            body.map(({ id, project, time }): LogEvent => {
              known.add(`${project}/${id}`);
              return eventOf(id, project === null ? {} : { project }, time ?? ++arrival);
            }),
          );
          const before = (await countOf(nodes[0] as ClickHouseStore, source)) ?? 0;
          const results = await Promise.all(sent.map((body, index) => nodes[index % 2]?.append(source, body, never())));
          expect(before + results.reduce((sum, result) => sum + (result?.stored ?? 0), 0)).toBe(known.size);
        }
        expect(await countOf(nodes[0] as ClickHouseStore, source)).toBe(known.size);
      }),
      { numRuns: sampleSize(3, 40), endOnFailure: true },
    );
  }, 300_000);

  it("beyond the window is stored again with another time, never with the same, and both of them stay", async () => {
    const start = Date.now();
    const times = [0n, 20_000n * dayUs, 47_482n * dayUs, BigInt(start) * 1000n];
    const at = (moved: bigint) => times.map((time, n) => ofProject(`e${n}`, "p", time + moved));
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const stores = [await openStore(OVER), await openStore(OVER)];
    for (const store of stores) await store.ensureSource({ name: "beyond", ...byProject });
    let hours = 0;
    const send = (store: ClickHouseStore, ...moved: readonly bigint[]) => {
      vi.setSystemTime(start + ++hours * 3 * hourMs);
      return store.append("beyond", moved.flatMap(at), never());
    };
    for (const [index, store] of [...stores, ...stores].entries()) {
      const isFirst = index === 0;
      expect(await send(store, 0n)).toMatchObject({ stored: isFirst ? 4 : 0, repeated: isFirst ? 0 : 4 });
      expect(await send(store, BigInt(index + 1))).toMatchObject({ stored: 4, repeated: 0 });
      // Of several times in one body one is stored.
      expect(await send(store, 0n, BigInt(index + 101), BigInt(index + 201))).toMatchObject({ stored: 4, repeated: 8 });
    }
    const within = await openStore();
    expect(await within.append("beyond", at(500n), never())).toMatchObject({ stored: 0, repeated: 4 });
    expect(await countOf(within, "beyond")).toBe(4 + 4 * 4 * 2);
  });

  it("that a node stored twice and then ended is put right with the next look-up, day by day", async () => {
    const store = await openStore();
    await store.ensureSource({ name: "left", ...byProject });
    const table = store.stateOf("left").table;
    const events = ["a", "b", "c"].map((id, n) => ofProject(id, "p", BigInt(n) * dayUs));
    await store.append("left", events, never());
    const add = (id: string, time: bigint, arrivedMs: number) =>
      client.command(
        `INSERT INTO logs.${table} (id, timestamp, lw_batch, c1) VALUES ('${id}', ${time}, ${newBatch(arrivedMs)}, 'p')`,
      );
    const now = Date.now();
    await add("a", 0n, now - hourMs);
    await add("b", 5n * dayUs, now);
    // Not of the same moment, and of another time.
    await add("c", 6n * dayUs, now - hourMs);
    expect(await store.append("left", events, never())).toMatchObject({ stored: 0, repeated: 3 });
    const rows = await client.rows(`SELECT id, toString(timestamp) FROM logs.${table} ORDER BY id, timestamp`);
    expect(rows.map(([id, time]) => `${id} ${BigInt(String(time)) / dayUs}`)).toEqual(["a 0", "b 1", "c 2", "c 6"]);
    const mutations = await client.rows(`SELECT command FROM system.mutations WHERE table = '${table}'`);
    expect(mutations.length).toBeGreaterThan(0);
    for (const [command] of mutations) {
      expect(command).toMatch(/^\(?DELETE IN PARTITION ID '\d+' WHERE .*c1.*'p'.*timestamp >= .*timestamp <= /s);
    }
  });

  it("is told to be a repeat where another node removes the row between two looks of this one", async () => {
    let table = "";
    let looks = 0;
    const others = newBatch();
    const isLook = (sql: string) => table !== "" && sql.includes(table);
    const store = await openStore(48 * hourMs, [], {
      async after(sql) {
        // Found by neither node, and stored by the other first.
        if (!isLook(sql) || ++looks > 1) return;
        await client.command(`INSERT INTO logs.${table} (id, timestamp, lw_batch, c1) VALUES ('a', 0, ${others}, 'p')`);
      },
      async before(sql) {
        if (!isLook(sql) || !sql.includes("_block_number")) return;
        await client.command(`ALTER TABLE logs.${table} DELETE WHERE lw_batch != ${others}`, { mutations_sync: "2" });
      },
    });
    await store.ensureSource({ name: "removed", ...byProject });
    table = store.stateOf("removed").table;
    expect(await store.append("removed", [ofProject("a", "p", 0n)], never())).toMatchObject({ stored: 0, repeated: 1 });
    expect(await countOf(store, "removed")).toBe(1);
  });

  it("is another event than one whose id has the same hash in the index", async () => {
    const [create = ""] = createSourceTable(place, "hashes", [], undefined);
    await client.command(create.replace(ID_TERM, ID_TERM.replace("cityHash64(id)", "cityHash64(id) % 10")));
    const ids = "SELECT if(number = 7, '', 'e' || toString(number)), number, 1 FROM numbers(20000)";
    await client.command(`INSERT INTO logs.hashes (id, timestamp, lw_batch) ${ids}`);
    const found = async (condition: string) => {
      const sql = `SELECT id FROM logs.hashes WHERE ${condition} ORDER BY timestamp`;
      return (await client.rows(sql)).map(([id]) => id);
    };
    expect(await found("id IN ('e5', 'e19000', 'no', '')")).toEqual(["e5", "", "e19000"]);
    expect(await found("id = 'e5'")).toEqual(["e5"]);
    expect(await found("id = 'no'")).toEqual([]);
    expect(await found("id LIKE '%e1900%' AND id < 'e19003'")).toEqual(["e1900", "e19000", "e19001", "e19002"]);
  });

  it("is recognised in a table of an earlier version, whose ids are found by its projection", async () => {
    const asked: Asked[] = [];
    const store = await openStore(48 * hourMs, asked);
    await store.ensureSource({ name: "earlier", ...byProject });
    const table = `logs.${store.stateOf("earlier").table}`;
    await client.command(`ALTER TABLE ${table} DROP INDEX lw_ids, DROP INDEX lw_no_id`);
    await client.command(`ALTER TABLE ${table} ADD PROJECTION lw_by_id (SELECT id, c1, lw_batch ORDER BY id)`);
    await client.command(
      `INSERT INTO ${table} (id, timestamp, lw_batch, c1) SELECT 'e' || toString(number), number * 1000000, ` +
        "bitXor(12345678901234567890, number % 7), 'p' FROM numbers(100000)",
    );
    const events = Array.from({ length: 100 }, (_, n) => ofProject(`e${n}`, "p", BigInt(n) * 1_000_000n));
    const moved = events.map((event) => ({ ...event, timestampUs: event.timestampUs + 9n * dayUs }));
    const others = events.map((event) => ({ ...event, fields: { project: "q" } }));
    expect(await store.append("earlier", events, never())).toMatchObject({ stored: 0, repeated: 100 });
    expect(await store.append("earlier", [...moved, ofProject("", "p", 1n)], never())).toMatchObject({
      stored: 1,
      repeated: 100,
    });
    const later = await openStore(OVER, asked);
    expect(await later.append("earlier", events, never())).toMatchObject({ stored: 0, repeated: 100 });
    expect(await later.append("earlier", others, never())).toMatchObject({ stored: 100, repeated: 0 });
    const [look] = asked.filter(({ sql }) => sql.includes("times:"));
    const plan = await client.rows(`EXPLAIN projections = 1 ${look?.sql}`, look?.params);
    expect(JSON.stringify(plan)).toContain("lw_by_id");
  });
});
