/** The store over a real port: what appends leave on the server, with several nodes and after restarts. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { eventOf } from "../../../../test/engine-conformance/bench.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { INT64, STRING } from "../../../googlesql/types.ts";
import type { EventStore, LogEvent } from "../../contract/query-engine.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { tenantColumnOf } from "../../schema/source/source-schema.ts";
import { toNewSource } from "../../schema/source/source-state.ts";
import { checkServer } from "../check-server.ts";
import { openServerClient, type ServerClient } from "../driver/client.ts";
import { migrate, planMigration } from "../migrate.ts";
import { fillDeclared } from "./declared-columns.ts";
import { SchemaKeeper } from "./schema-keeper.ts";
import {
  addColumns,
  createDatabase,
  createOwnTables,
  createSourceTable,
  deleteRows,
  dropPartition,
  dropSourceTable,
  fillColumn,
  rewrite,
} from "./statements.ts";
import { ClickHouseStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
const place = { database: "logs", cluster: undefined };
let server: ServerProcess;
let client: ServerClient;
const opened: ClickHouseStore[] = [];

const access = () => ({ urls: [server.url], user: "default", password: "", database: "logs" });

beforeAll(async () => {
  server = await startServer({ folder });
  client = openServerClient(access());
}, 300_000);
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The store of one node; several run concurrently. It asks for what others decide by itself where that is tested. */
async function openStore(watchMs = 60_000): Promise<ClickHouseStore> {
  const keeper = new SchemaKeeper(client, place);
  await keeper.open();
  const store = new ClickHouseStore({ client, place, keeper, watchMs, log: () => undefined });
  await store.open();
  opened.push(store);
  return store;
}

/** A signal that is never aborted. */
const never = () => new AbortController().signal;
const byProject = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] };
const columnsOf = (store: EventStore, source: string, tenant?: string | null) =>
  store.describe(source, tenant)?.columns.map(({ name }) => name);

describe("the migration of a server", () => {
  it("lists its statements first, and has none left after it ran", async () => {
    expect(await planMigration(access())).toHaveLength(3);
    await migrate(access());
    expect(await planMigration(access())).toEqual([]);
    const { findings } = await checkServer(access());
    // The only user of this server has every grant, and queries should not run as such a user.
    expect(findings.map(({ code }) => code)).toEqual(["excessive_grant"]);
  });
});

it("prints cluster statements that the server can parse", async () => {
  const cluster = { database: "logs", cluster: "main" };
  const source = toNewSource({ name: "edge", ...byProject });
  const statements = [
    createDatabase(cluster),
    ...createOwnTables(cluster),
    ...createSourceTable(cluster, "events_edge_1", source.entries, tenantColumnOf(source)),
    ...addColumns(cluster, "events_edge_1", [{ name: "c9", type: "Nullable(Int64)", codec: "ZSTD(1)" }]),
    dropPartition(cluster, "events_edge_1", "19000"),
    deleteRows(cluster, "events_edge_1", "7", "timestamp < 1"),
    ...dropSourceTable(cluster, "events_edge_1"),
  ];
  const blocks = [...readFileSync("docs/clickhouse.md", "utf8").matchAll(/```sql\n([\s\S]*?)```/g)];
  const documented = blocks.flatMap(([, text = ""]) => text.split(";")).filter((each) => each.trim() !== "");
  expect(documented.length).toBeGreaterThan(10);
  for (const statement of [...statements, ...documented]) await client.command(`EXPLAIN AST ${statement}`);
  await expect(client.command(`EXPLAIN AST ${statements[0]} NONSENSE`)).rejects.toThrow();
});

describe("an append", () => {
  it("stores every value of an event in its column and the whole event in the JSON", async () => {
    const store = await openStore();
    await store.ensureSource({ name: "values", knownFields: [{ path: "n", type: INT64 }] });
    const fields = {
      n: 7,
      big: 2n ** 62n,
      f: -1.5e-300,
      b: true,
      s: "a\0'\\ü\u{1f600}",
      list: [1, 2n ** 60n],
      texts: ["x", "'"],
      rec: { deep: [{ x: 1 }, { y: "z" }], flag: false },
    };
    await store.append("values", [eventOf("a", fields, -62_135_596_800_000_000n), eventOf("b")], never());
    const definition = store.describe("values");
    const layout = definition === undefined ? undefined : store.layoutOf(definition);
    const columnOf = (path: string) => layout?.leaves.get(path)?.variants[0]?.column ?? "";
    const columns = ["timestamp", ...["n", "big", "b", "s", "list", "texts", "rec.flag"].map(columnOf)];
    const table = `logs.${layout?.table}`;
    const rows = await client.rows(`SELECT ${columns.join(", ")} FROM ${table} ORDER BY id`);
    expect(rows).toEqual([
      ["-62135596800000000", "7", String(2n ** 62n), true, fields.s, ["1", String(2n ** 60n)], ["x", "'"], false],
      ["1000000", null, null, null, null, [], [], null],
    ]);
    const json = layout?.recordColumns.get("rec");
    const [[text] = []] = await client.rows(`SELECT ${json} FROM ${table} WHERE id = 'a'`);
    expect(text).toBe('[{"deep":[{"x":1},{"y":"z"}],"flag":false}]');
  });

  it("on several nodes at once stores each id of a tenant once, and never counts it twice", async () => {
    const nodes = [await openStore(), await openStore(), await openStore()];
    for (const node of nodes) await node.ensureSource({ name: "shared", ...byProject });
    const sent = new Set<string>();
    const send = async (node: number, from: number) => {
      const events = Array.from({ length: 30 }, (_, index) => {
        const id = `${from + index}`;
        const project = `p${index % 3}`;
        sent.add(`${project}/${id}`);
        // The same event may arrive with another time, which puts it into another partition.
        return eventOf(id, { project, [`f${node}`]: from }, BigInt(node) * 86_400_000_000n * 40n);
      });
      await nodes[node]?.append("shared", events, never());
    };
    for (let round = 0; round < sampleSize(2, 12); round++) {
      await Promise.all([0, 1, 2].flatMap((node) => [send(node, round * 20), send(node, round * 20 + 10)]));
    }
    const [statistics] = (await nodes[0]?.statistics(never()))?.filter(({ name }) => name === "shared") ?? [];
    expect(statistics?.rowCount).toBe(sent.size);
  });

  it("stores what a model predicts, for any batches, deletions and restarts", async () => {
    let number = 0;
    const event = fc.record({ id: fc.nat(20), time: fc.nat(5), hasField: fc.boolean(), isText: fc.boolean() });
    const step = fc.oneof(
      fc.record({ kind: fc.constant("append" as const), events: fc.array(event, { maxLength: 12 }) }),
      fc.record({ kind: fc.constant("delete" as const), before: fc.nat(5) }),
      fc.record({ kind: fc.constant("restart" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const source = `model${++number}`;
        let store = await openStore();
        await store.ensureSource({ name: source, knownFields: [] });
        const model = new Map<string, number>();
        for (const each of steps) {
          if (each.kind === "append") {
            const events: LogEvent[] = each.events.map(({ id, time, hasField, isText }) =>
              eventOf(`${id}`, hasField ? { [`f${id}`]: isText ? "x" : 1 } : {}, BigInt(time) * 43_200_000_000n),
            );
            const fresh = events.filter(({ id }) => !model.has(id));
            const { stored } = await store.append(source, events, never());
            expect(stored).toBe(new Set(fresh.map(({ id }) => id)).size);
            for (const [index, { id, time }] of each.events.entries()) {
              if (!model.has(events[index]?.id ?? "")) model.set(`${id}`, time);
            }
          } else if (each.kind === "delete") {
            const gone = [...model].filter(([, time]) => time < each.before).map(([id]) => id);
            const deletion = await store.deleteEvents(source, { toUs: BigInt(each.before) * 43_200_000_000n });
            expect(deletion).toEqual({ matched: gone.length, deleted: gone.length });
            for (const id of gone) model.delete(id);
          } else {
            store = await openStore();
            await store.ensureSource({ name: source, knownFields: [] });
          }
        }
        const found = (await store.statistics(never())).find(({ name }) => name === source);
        expect(found?.rowCount).toBe(model.size);
      }),
      { numRuns: sampleSize(3, 60) },
    );
  });
});

describe("the store's fields", () => {
  it("get separate columns on both nodes when two nodes add them at once", async () => {
    const [one, two] = [await openStore(), await openStore()];
    for (const node of [one, two]) await node.ensureSource({ name: "fields", ...byProject });
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => [
        one.append("fields", [eventOf(`one ${n}`, { project: "p", [`a${n}`]: n, both: n })], never()),
        two.append("fields", [eventOf(`two ${n}`, { project: "q", [`b${n}`]: "x", both: "y" })], never()),
      ]).flat(),
    );
    await Promise.all([one.refresh(), two.refresh()]);
    expect(columnsOf(one, "fields")).toEqual(columnsOf(two, "fields"));
    expect(columnsOf(one, "fields", "q")).toEqual(columnsOf(two, "fields", "q"));
    expect(columnsOf(one, "fields", "q")).not.toContain("a1");
    const reopened = await openStore();
    await reopened.ensureSource({ name: "fields", ...byProject });
    expect(columnsOf(reopened, "fields", "p")).toEqual(columnsOf(one, "fields", "p"));
    const definition = reopened.describe("fields");
    const layout = definition === undefined ? undefined : reopened.layoutOf(definition);
    for (const n of [0, 5, 9]) {
      const column = layout?.leaves.get(`a${n}`)?.variants[0]?.column;
      const rows = await client.rows(`SELECT id FROM logs.${layout?.table} WHERE ${column} = ${n}`);
      expect(rows).toEqual([[`one ${n}`]]);
    }
  });

  it("take over earlier values of the declared type when they are declared later", async () => {
    const store = await openStore();
    const knownFields = [
      { path: "top", type: INT64 },
      { path: "rec.text", type: STRING },
    ];
    const carried = [1, "2", "no number", 3.5, 4, true, [5], { x: 1 }];
    await store.ensureSource({ name: "later", knownFields: [] });
    const events = carried.map((value, n) => {
      return eventOf(`${n}`, { top: value, rec: { text: value } });
    });
    await store.append("later", events, never());
    await store.ensureSource({ name: "later", knownFields });
    const definition = store.describe("later");
    const layout = definition === undefined ? undefined : store.layoutOf(definition);
    const columns = knownFields.map(({ path }) => layout?.leaves.get(path)?.variants.map(({ column }) => column));
    expect(columns.map((list) => list?.length)).toEqual([1, 1]);
    const rows = await client.rows(`SELECT ${columns.flat().join(", ")} FROM logs.${layout?.table} ORDER BY id`);
    expect(rows).toEqual([
      ["1", "1"],
      ["2", "2"],
      [null, "no number"],
      [null, "3.5"],
      ["4", "4"],
      [null, "true"],
      [null, null],
      [null, null],
    ]);
    await expect(store.ensureSource({ name: "later", ...byProject })).rejects.toMatchObject({ code: "refused" });
    expect(await store.append("later", [eventOf("0"), eventOf("9")], never())).toEqual({ stored: 1, repeated: 1 });
  });

  it("that only the JSON has are filled in from it, if the event has a single record", async () => {
    const entries: readonly SchemaEntry[] = [
      { role: "json", path: "rec", column: "j1" },
      { role: "value", path: "rec.n", type: "STRING", column: null },
      { role: "value", path: "rec.n", type: "INT64", column: "c2" },
    ];
    for (const statement of createSourceTable(place, "filled", entries, undefined)) await client.command(statement);
    const records = ['{"n":"7"}', '{"n":8}', '{"n":"x"}', '{"n":{"y":1}}', '{"n":1},{"n":2}', '{"m":1}'];
    const body = records.map((text, n) => JSON.stringify([`${n}`, 0, `[${text}]`])).join("\n");
    const insert = { table: "logs.filled", columns: ["id", "timestamp", "j1"], format: "JSONCompactEachRow" };
    await client.insert({ ...insert, body: [Buffer.from(body)], settings: {}, signal: never() });
    const filled = fillDeclared(entries, "rec.n", "INT64");
    if (filled !== undefined) await rewrite(client, fillColumn(place, "filled", filled));
    const rows = await client.rows("SELECT c2 FROM logs.filled ORDER BY id");
    expect(rows.flat()).toEqual(["7", "8", null, null, null, null]);
  });

  it("and sources that one node adds or drops become visible to the other", async () => {
    const [one, two] = [await openStore(), await openStore(20)];
    await one.ensureSource({ name: "passing", knownFields: [] });
    await expect.poll(() => columnsOf(two, "passing")).toBeDefined();
    await one.append("passing", [eventOf("a", { seen: 1 })], never());
    await expect.poll(() => columnsOf(two, "passing")).toContain("seen");
    await one.dropSource("passing");
    await expect(one.append("passing", [eventOf("b")], never())).rejects.toMatchObject({ code: "unknown_source" });
    await expect(two.append("passing", [eventOf("b")], never())).rejects.toMatchObject({ code: "unknown_source" });
    await expect.poll(() => columnsOf(two, "passing")).toBeUndefined();
    await two.ensureSource({ name: "passing", knownFields: [] });
    expect(await two.append("passing", [eventOf("a")], never())).toEqual({ stored: 1, repeated: 0 });
  });
});

it("the store rejects events while the server is away, and stores them when resent after its return", async () => {
  const store = await openStore();
  await store.ensureSource({ name: "away", knownFields: [] });
  const port = Number(new URL(server.url).port);
  await server.kill();
  await expect(store.append("away", [eventOf("a")], never())).rejects.toMatchObject({
    code: "unavailable",
    retryAfterSeconds: 2,
  });
  server = await startServer({ folder, port });
  expect(await store.append("away", [eventOf("a"), eventOf("b")], never())).toEqual({ stored: 2, repeated: 0 });
});
