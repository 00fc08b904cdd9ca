/** Restores the server's own BACKUP, made as docs/clickhouse.md describes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { eventOf } from "../../../../test/engine-conformance/bench.ts";
import { STRING } from "../../../googlesql/types.ts";
import { openServerClient, type ServerClient } from "../driver/client.ts";
import { migrate } from "../migrate.ts";
import { SchemaKeeper } from "./schema-keeper.ts";
import { ClickHouseStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-backup-"));
const opened: ClickHouseStore[] = [];
const logged: string[] = [];
let server: ServerProcess;
let client: ServerClient;

beforeAll(async () => {
  server = await startServer({ folder });
  client = openServerClient({ urls: [server.url], user: "default", password: "" });
  await migrate({ urls: [server.url], user: "default", password: "", database: "logs" });
}, 300_000);
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function openStore(database: string): Promise<ClickHouseStore> {
  const place = { database, cluster: undefined };
  const keeper = new SchemaKeeper(client, place);
  await keeper.open();
  const log = (_: string, message: string) => void logged.push(message);
  const store = new ClickHouseStore({ client, place, keeper, watchMs: 1_000, log });
  await store.open();
  opened.push(store);
  await store.ensureSource({
    ...{ name: "saved", tenantField: "project", knownFields: [{ path: "project", type: STRING }] },
  });
  return store;
}

const never = () => new AbortController().signal;
const viewsOf = (store: ClickHouseStore) =>
  ["p0", "p1"].map((tenant) => store.describe("saved", tenant)?.columns.map(({ name }) => name));

async function restored(name: string): Promise<ClickHouseStore> {
  const backup = `File('${join(folder, "backups", `${name}/`)}')`;
  await client.command(`BACKUP DATABASE logs TO ${backup}`);
  await client.command(`RESTORE DATABASE logs AS ${name} FROM ${backup}`);
  return openStore(name);
}

it("a restored backup has all views, events and ids, and unmerged decisions are detected", async () => {
  const store = await openStore("logs");
  const grow = async (from: number) => {
    for (let n = from; n < from + 6; n++) {
      await store.append("saved", [eventOf(`${n}`, { project: `p${n % 2}`, [`f${n}`]: n })], never());
    }
  };
  // Some decisions are merged, and some are in separate parts: a restore renumbers only the latter.
  await grow(0);
  await client.command("OPTIMIZE TABLE logs.logweir_schema FINAL");
  await client.command("SYSTEM STOP MERGES logs.logweir_schema");
  await grow(6);
  await restored("unmerged");
  expect(logged.filter((message) => message.includes("that logweir_schema does not report"))).toHaveLength(1);
  await client.command("SYSTEM START MERGES logs.logweir_schema");
  await client.command("OPTIMIZE TABLE logs.logweir_schema FINAL");
  const again = await restored("merged");
  expect(logged).toHaveLength(1);
  expect(viewsOf(again)).toEqual(viewsOf(store));
  const sent = [eventOf("3", { project: "p1" }), eventOf("new", { project: "p1" })];
  expect(await again.append("saved", sent, never())).toMatchObject({ stored: 1, repeated: 1 });
});
