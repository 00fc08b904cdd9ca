/** Ids on a server that takes little in one request, and from two nodes at once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { eventOf } from "../../../../test/engine-conformance/bench.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { STRING } from "../../../googlesql/types.ts";
import { openServerClient, type ServerClient } from "../driver/client.ts";
import { askLimits } from "../driver/limits.ts";
import { migrate } from "../migrate.ts";
import { SchemaKeeper } from "./schema-keeper.ts";
import { ClickHouseStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
const place = { database: "logs", cluster: undefined };
const limits = { http_max_field_value_size: 8_192, http_max_uri_size: 32_768, http_max_fields: 100 };
let server: ServerProcess;
let client: ServerClient;
const opened: ClickHouseStore[] = [];

beforeAll(async () => {
  server = await startServer({ folder, limits });
  const access = { urls: [server.url], user: "default", password: "", database: "logs" };
  client = openServerClient(access);
  await migrate(access);
  await askLimits(client);
}, 300_000);
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function openStore(): Promise<ClickHouseStore> {
  const keeper = new SchemaKeeper(client, place);
  await keeper.open();
  const store = new ClickHouseStore({ client, place, keeper, watchMs: 60_000, log: () => undefined });
  await store.open();
  opened.push(store);
  return store;
}

const never = () => new AbortController().signal;
const byProject = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] };

describe("an append", () => {
  it("has any number of ids, each of which is recognised when it is sent again", async () => {
    expect(client.limits?.values).toMatchObject(limits);
    const store = await openStore();
    await store.ensureSource({ name: "many", ...byProject });
    const count = sampleSize(4_000, 10_000);
    const events = Array.from({ length: count }, () => eventOf(crypto.randomUUID(), { project: "p" }));
    const first = await store.append("many", events.slice(0, 0.7 * count), never());
    expect(first).toMatchObject({ stored: 0.7 * count, repeated: 0 });
    const again = await store.append("many", events, never());
    expect(again).toMatchObject({ stored: 0.3 * count, repeated: 0.7 * count });
    const long = eventOf("x".repeat(8_192), { project: "p" });
    await expect(store.append("many", [long], never())).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("that two nodes are sent at once seldom costs a deletion, and never one of the whole table", async () => {
    const nodes = [await openStore(), await openStore()];
    for (const node of nodes) await node.ensureSource({ name: "twice", ...byProject });
    const rounds = sampleSize(24, 80);
    for (let round = 0; round < rounds; round++) {
      const events = Array.from({ length: 50 }, (_, n) => eventOf(`${round}/${n}`, { project: `p${n % 3}` }));
      await Promise.all(nodes.map((node) => node.append("twice", events, never())));
    }
    const [statistics] = (await nodes[0]?.statistics(never()))?.filter(({ name }) => name === "twice") ?? [];
    expect(statistics?.rowCount).toBe(rounds * 50);
    const table = nodes[0]?.stateOf("twice").table ?? "";
    const mutations = await client.rows("SELECT command FROM system.mutations WHERE table = {table:String}", { table });
    expect(mutations.length).toBeLessThan(rounds / 4);
    for (const [command] of mutations) expect(command).toMatch(/^\(?DELETE IN PARTITION ID .* WHERE .*timestamp >= /s);
  });
});
