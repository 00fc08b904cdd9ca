/** Nodes as in production: the built service over ClickHouse and PostgreSQL, without a data folder. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type ServerProcess } from "../clickhouse/start.ts";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";
import { changeInTurn, limitMs, valueAt } from "./endpoint-changes.ts";
import { tell } from "./measured-times.ts";
import { type NodeProcess, startNode } from "./start-node.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-nodes-"));

let server: ServerProcess;
let cluster: PostgresCluster;
let url: string;
let one: NodeProcess;
let other: NodeProcess;

function start(more: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
  return startNode(["bin/logweir.mjs", "serve"], url, {
    LOGWEIR_ENGINE: "clickhouse",
    LOGWEIR_CLICKHOUSE_URL: server.url,
    LOGWEIR_CLICKHOUSE_DATABASE: "nodes",
    LOGWEIR_CLICKHOUSE_MIGRATE: "on",
    // No folder can be created there, not even by root.
    LOGWEIR_DATA_DIR: "/dev/null/no-folder",
    ...more,
  });
}

describe.runIf(hasPostgres())("nodes over ClickHouse", { timeout: 180_000 }, () => {
  beforeAll(async () => {
    [server, cluster] = await Promise.all([openServer({ folder }), startPostgres()]);
    url = cluster.createDatabase();
    one = await start();
    other = await start();
  });

  afterAll(async () => {
    await Promise.all([one, other].map((node) => node.stop()));
    await Promise.all([server.kill(), cluster.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it("answer with a change made on the other within a second, 100 of 100 times", async () => {
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v", cache_seconds: 600 });
    await waitUntil(async () => (await valueAt(other, "e")) === 0, 5_000);
    const times = await changeInTurn([one, other], "e", 100);
    tell("over ClickHouse, a changed endpoint is answered by the other node", times);
  });

  it("answer with an endpoint recreated under the same name, never with a cached answer of the old one", async () => {
    const times: number[] = [];
    for (let round = 1; round <= 30; round++) {
      const [from, to] = round % 2 === 0 ? [one, other] : [other, one];
      await from.call("DELETE", "/api/endpoints/again");
      const made = await from.call("POST", "/api/endpoints", {
        ...{ name: "again", query: `SELECT ${round} AS v`, cache_seconds: 600 },
      });
      expect(made.status).toBe(201);
      times.push(await waitUntil(async () => (await valueAt(to, "again")) === round, limitMs));
      expect(await valueAt(from, "again")).toBe(round);
    }
    tell("an endpoint made anew under a name is answered by the other node", times);
  });

  it("accept each other's cursors and entity tags, and see each other's events", async () => {
    await one.call("POST", "/api/sources", { name: "paged_logs" });
    const events = Array.from({ length: 30 }, (_, n) => ({
      ...{ id: `id-${n}`, event_message: `message ${n}` },
      timestamp: new Date(Date.UTC(2026, 7, 20, 9, 0, n)).toISOString(),
    }));
    const send = (node: NodeProcess) => node.call("POST", "/api/logs?source_name=paged_logs", events);
    await waitUntil(async () => (await send(other)).status === 200, 5_000);
    expect((await send(one)).body).toMatchObject({ accepted: 30 });
    const query = "SELECT timestamp, event_message AS v FROM paged_logs ORDER BY timestamp DESC LIMIT 10";
    await one.call("POST", "/api/endpoints", { name: "paged", query, max_rows: 10, cache_seconds: 60 });
    await waitUntil(async () => (await valueAt(other, "paged")) === "message 29", 5_000);
    const first = await one.call("GET", "/api/endpoints/query/paged");
    const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await other.call("GET", next);
    expect(second.body).toMatchObject({ result: [{ v: "message 19" }, ...Array.from({ length: 9 }, () => ({}))] });
    const third = await one.call("GET", /<([^>]+)>/.exec(second.headers.get("link") ?? "")?.[1] ?? "");
    expect(third.body).toMatchObject({ result: [{ v: "message 9" }, ...Array.from({ length: 9 }, () => ({}))] });
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await other.call("GET", "/api/endpoints/query/paged", undefined, { headers })).status).toBe(304);
  });

  it("refuse a node with an embedded engine", async () => {
    const data = join(folder, "embedded");
    const refused = start({ LOGWEIR_ENGINE: "duckdb", LOGWEIR_DATA_DIR: data });
    await expect(refused).rejects.toThrow(/used by another node.*embedded engine/);
    expect(existsSync(data)).toBe(false);
  });

  it("record what commands did in the audit once, even if the recording node is killed", async () => {
    const commands = 20;
    const environment = { LOGWEIR_METADATA_URL: url, LOGWEIR_DATA_DIR: "/dev/null/no-folder", PATH: process.env.PATH };
    const { execFile } = await import("node:child_process");
    const run = (number: number) =>
      new Promise<void>((resolve, reject) => {
        const args = ["bin/logweir.mjs", "token", "create", "--scope", "query", "--description", `made ${number}`];
        execFile(process.execPath, args, { env: environment }, (error) => (error === null ? resolve() : reject(error)));
      });
    for (let number = 0; number < commands; number++) {
      await run(number);
      if (number % 4 !== 3) continue;
      await one.kill();
      [one, other] = [other, await start()];
    }
    const count = async () => {
      const sql =
        "SELECT COUNT(*) AS n, COUNT(DISTINCT metadata.target) AS d FROM `logweir.audit` WHERE metadata.action = 'token.create'";
      const { body } = await one.call("POST", "/api/query", { sql });
      return (body as { result: { n: number; d: number }[] }).result[0];
    };
    await waitUntil(async () => (await count())?.d === commands, 15_000);
    expect(await count()).toEqual({ n: commands, d: commands });
    process.stdout.write(`${commands} commands, 5 kills of the node that leads: ${commands} entries in the audit\n`);
  });
});
