/** Stores bodies read by the encoder thread on a server on a real port. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { eventOf } from "../../../../test/engine-conformance/bench.ts";
import { STRING } from "../../../googlesql/types.ts";
import { EngineError, type StoredBody } from "../../contract/query-engine.ts";
import { EncoderThread } from "../../encoder/encoder-thread.ts";
import type { EncodedRows } from "../blocks/encoded-rows.ts";
import { openServerClient, type ServerClient } from "../driver/client.ts";
import { migrate } from "../migrate.ts";
import { SchemaKeeper } from "./schema-keeper.ts";
import { ClickHouseStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
const place = { database: "logs", cluster: undefined };
const encoder = new EncoderThread<EncodedRows>({ engine: "clickhouse", log: () => undefined });
const signal = new AbortController().signal;
let server: ServerProcess;
let client: ServerClient;
let store: ClickHouseStore;

beforeAll(async () => {
  server = await startServer({ folder });
  const access = { urls: [server.url], user: "default", password: "", database: "logs" };
  await migrate(access);
  const own = openServerClient(access);
  // The answer to each block is lost once, after the server has inserted it.
  client = {
    stream: (query) => own.stream(query),
    rows: (...call) => own.rows(...call),
    command: (...call) => own.command(...call),
    kill: (id) => own.kill(id),
    ping: (call) => own.ping(call),
    isSilent: () => own.isSilent(),
    close: () => own.close(),
    async insert(insert) {
      await own.insert(insert);
      const token = insert.settings.insert_deduplication_token ?? "";
      if (insert.format !== "Native" || lost.has(token)) return;
      lost.add(token);
      throw new EngineError("unavailable", "lost", { isLost: true });
    },
  };
  const keeper = new SchemaKeeper(client, place);
  await keeper.open();
  store = new ClickHouseStore({ client, place, keeper, encoder, watchMs: 60_000, log: () => undefined });
  await store.open();
}, 300_000);
afterAll(async () => {
  await store.close();
  await encoder.close();
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const lost = new Set<string>();

function send(source: string, events: readonly unknown[]) {
  const body: StoredBody = {
    bytes: new TextEncoder().encode(JSON.stringify(events)),
    id: randomUUID(),
    contentType: "application/json",
    contentEncoding: undefined,
    nowUs: 5_000_000n,
    maxBytes: 1_000_000,
    wantsKeys: false,
  };
  return store.appendBody?.(source, body, signal) ?? expect.unreachable();
}

it("concurrent bodies are stored once on the server, whatever ids and fields they share", async () => {
  const tenants = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] };
  await store.ensureSource({ name: "edge", ...tenants });
  const made = (body: number, fields: object = {}) =>
    Array.from({ length: 60 }, (_, n) => ({
      id: `${body * 30 + n}`,
      project: `p${n % 2}`,
      metadata: { [`f${(body + n) % 24}`]: n % 3 === 0 ? "text" : n, list: [n, "é"], deep: [{ n }] },
      ...fields,
    }));
  const here = Array.from({ length: 20 }, (_, n) => eventOf(`${n}`, { project: `p${n % 2}`, early: n }));
  const sending = [store.append("edge", here, signal), ...[0, 1, 2, 3, 4].map((body) => send("edge", made(body)))];
  const results = await Promise.all(sending);
  const repeated = await send("edge", made(0));
  expect(repeated).toMatchObject({ stored: 0, repeated: 60, rejected: [] });
  const all = results.reduce(
    (sum, { stored, repeated: known }) => ({ stored: sum.stored + stored, known: sum.known + known }),
    {
      ...{ stored: 0, known: 0 },
    },
  );
  // The second half of a body is the first of the next.
  expect(all).toEqual({ stored: 180, known: 140 });
  const partly = await send("edge", [...made(5), { id: "0", project: "p9" }, { project: "p0" }, 7]);
  expect(partly).toMatchObject({ stored: 32, repeated: 30, rejected: [{ index: 62 }] });
  const { table } = store.stateOf("edge");
  const [[rows, ids] = []] = await client.rows(`SELECT count(), uniqExact(id) FROM logs.${table}`);
  expect([rows, ids]).toEqual(["212", "211"]);
});

it("bodies that arrive together form one part, each with its own columns", async () => {
  await store.ensureSource({ name: "parts", knownFields: [] });
  await Promise.all([0, 1, 2].map((n) => send("parts", [{ id: `first ${n}`, [`f${n}`]: n, rec: { s: "x" } }])));
  const sending = [send("parts", [{ id: "a", f0: 7 }]), send("parts", [{ id: "b", f1: 8, rec: { s: "\u{1f600}" } }])];
  await Promise.all(sending);
  const definition = store.describe("parts");
  const layout = definition === undefined ? undefined : store.layoutOf(definition);
  const columns = ["f0", "f1", "f2", "rec.s"].map((path) => layout?.leaves.get(path)?.variants[0]?.column);
  const { table } = store.stateOf("parts");
  const rows = await client.rows(
    `SELECT id, ${columns.join(", ")} FROM logs.${table} WHERE id IN ('a', 'b') ORDER BY id`,
  );
  expect(rows).toEqual([
    ["a", "7", null, null, null],
    ["b", null, "8", null, "\u{1f600}"],
  ]);
  const batches = `SELECT lw_batch, uniqExact(_block_number) FROM logs.${table} GROUP BY lw_batch HAVING count() > 1`;
  const several = await client.rows(batches, {}, { optimize_use_projections: "0" });
  expect(several.map(([, blocks]) => blocks)).toEqual(several.map(() => "1"));
});
