/** Nodes whose database is slow, unreachable in odd ways, full or read-only, and whose clocks differ. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";
import { changeInTurn, limitMs, valueAt } from "./endpoint-changes.ts";
import { type FaultyProxy, startProxy } from "./faulty-proxy.ts";
import { tell } from "./measured-times.ts";
import { buildNode, type NodeProcess, startNode, type TestNode } from "./start-node.ts";

let program: string;
let cluster: PostgresCluster;
let databases = 0;
let proxy: FaultyProxy;
let nodes: NodeProcess[];
let url: string;

const databaseName = () => `logweir_${databases}`;

async function start(through: string, environment: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
  const node = await startNode(program, through, environment);
  nodes.push(node);
  return node;
}

function throughProxy(): string {
  const changed = new URL(url);
  changed.port = String(proxy.port);
  return changed.href;
}

async function healthOf(node: TestNode): Promise<unknown> {
  return (await node.call("GET", "/health")).body.metadata;
}

async function save(node: TestNode, value: number): Promise<number> {
  return (await node.call("PATCH", "/api/endpoints/e", { query: `SELECT ${value} AS v` })).status;
}

const endAll = () => {
  const where = `datname = '${databaseName()}' AND pid <> pg_backend_pid()`;
  cluster.sql("postgres", `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${where}`);
};

describe.runIf(hasPostgres())("nodes on a faulty database", () => {
  beforeAll(async () => {
    program = await buildNode();
    cluster = await startPostgres();
  });

  beforeEach(async () => {
    nodes = [];
    url = cluster.createDatabase();
    databases++;
    proxy = await startProxy(cluster.port);
  });

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await proxy.close();
  });

  afterAll(async () => {
    await cluster.stop();
    rmSync(program);
  });

  it("answer with each other's changes within a second when every packet takes 50 ms", async () => {
    const [slow, quick] = [await start(throughProxy()), await start(url)];
    await quick.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    await waitUntil(async () => (await valueAt(slow, "e")) === 0, limitMs);
    proxy.delayMs = 50;
    const times = await changeInTurn([slow, quick], "e", 20);
    tell("over a slow database, a changed endpoint is answered by the other node", times);
  });

  it("abandon dead connections, and save once a new connection works", async () => {
    const [cut, whole] = [await start(throughProxy()), await start(url)];
    await whole.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    await waitUntil(async () => (await valueAt(cut, "e")) === 0, limitMs);
    // Makes the pool open all of its connections, which are then idle.
    await Promise.all(Array.from({ length: 8 }, () => cut.call("GET", "/api/views")));
    const back: number[] = [];
    const longest: number[] = [];
    for (let round = 1; round <= 3; round++) {
      proxy.swallow();
      const started = performance.now();
      // The session notices it with its next poll, which has a timeout of two seconds.
      await sleep(1_000);
      await waitUntil(async () => (await healthOf(cut)) === "ok" && performance.now() - started > 2_600, 6_000);
      const saved = performance.now();
      await waitUntil(async () => (await save(cut, round)) === 204, 2_000);
      longest.push(performance.now() - saved);
      back.push(performance.now() - started);
      await waitUntil(async () => (await valueAt(whole, "e")) === round, limitMs);
    }
    tell("after connections died without a word, a save is answered", back);
    tell("once the node is well again, a save takes", longest);
  });

  it("report a read-only database, continue reading, and save once it is writable again", async () => {
    const node = await start(url);
    await node.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    cluster.sql("postgres", `ALTER DATABASE ${databaseName()} SET default_transaction_read_only = on`);
    endAll();
    await waitUntil(async () => (await healthOf(node)) === "ok" && (await save(node, 1)) === 503, 5_000);
    const refused = await node.call("PATCH", "/api/endpoints/e", { query: "SELECT 1 AS v" });
    expect(JSON.stringify(refused.body)).toContain("is read-only");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect([await valueAt(node, "e"), (await node.call("GET", "/api/views")).status]).toEqual([0, 200]);
    cluster.sql("postgres", `ALTER DATABASE ${databaseName()} RESET default_transaction_read_only`);
    endAll();
    await waitUntil(async () => (await save(node, 2)) === 204, 5_000);
  });

  it("answer calls while the database refuses connections, and save once it accepts them", async () => {
    const node = await start(url);
    await node.call("POST", "/api/endpoints", { name: "e", query: "SELECT 7 AS v" });
    cluster.sql("postgres", `ALTER DATABASE ${databaseName()} ALLOW_CONNECTIONS false`);
    endAll();
    await waitUntil(async () => (await healthOf(node)) === "behind", 4_000);
    for (let call = 0; call < 20; call++) {
      expect(await valueAt(node, "e")).toBe(7);
      const started = performance.now();
      expect(await save(node, 8)).toBe(503);
      expect(performance.now() - started).toBeLessThan(limitMs);
    }
    cluster.sql("postgres", `ALTER DATABASE ${databaseName()} ALLOW_CONNECTIONS true`);
    await waitUntil(async () => (await save(node, 8)) === 204, 5_000);
  });

  it("answer 503 for a token they do not know while the database hangs, and 401 once it tells", async () => {
    const [cut, whole] = [await start(throughProxy()), await start(url)];
    const create = async () =>
      String((await whole.call("POST", "/api/access-tokens", { scopes: ["query"] })).body.token);
    const status = async (token: string) => (await cut.call("GET", "/api/session", undefined, { token })).status;
    const known = await create();
    expect([await status(known), await status("lw_unknown")]).toEqual([200, 401]);
    proxy.swallow();
    const fresh = await create();
    const seen: number[] = [];
    await waitUntil(async () => seen.push(await status(fresh)) > 0 && seen.at(-1) === 200, 10_000);
    expect([seen.length > 1, seen.slice(0, -1).every((each) => each === 503)]).toEqual([true, true]);
    expect([await status(known), await status("lw_unknown")]).toEqual([200, 401]);
  });

  it("agree on tokens, endpoints and warmed answers when their clocks are two minutes apart", async () => {
    const shifted = (ms: number) => ({
      NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+(${ms})`,
    });
    const [fast, slow] = [await start(url, shifted(60_000)), await start(url, shifted(-60_000))];
    const times: number[] = [];
    for (let round = 0; round < 10; round++) {
      const [from, to] = round % 2 === 0 ? [fast, slow] : [slow, fast];
      const { body } = await from.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] });
      const status = async () =>
        (await to.call("GET", "/api/session", undefined, { token: String(body.token) })).status;
      await waitUntil(async () => (await status()) === 200, limitMs);
      await from.call("DELETE", `/api/access-tokens/${body.id}`);
      times.push(await waitUntil(async () => (await status()) === 401, limitMs));
      const name = `e${round}`;
      await from.call("POST", "/api/endpoints", {
        name,
        query: "SELECT 1 AS v",
        cache_seconds: 600,
        warm_every_seconds: 1,
      });
      await waitUntil(async () => (await valueAt(to, name)) === 1, limitMs);
      await to.call("PATCH", `/api/endpoints/${name}`, { query: "SELECT 2 AS v" });
      await waitUntil(async () => (await valueAt(from, name)) === 2, limitMs);
    }
    tell("with clocks two minutes apart, a revoked token is refused by the other node", times);
  });
});
