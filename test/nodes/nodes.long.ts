import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lockOf } from "../../src/metadata/postgres/locks.ts";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";
import { changeInTurn, limitMs, valueAt } from "./endpoint-changes.ts";
import { tell } from "./measured-times.ts";
import { buildNode, type NodeProcess, privateToken, startNode, type TestNode } from "./start-node.ts";

let program: string;
let cluster: PostgresCluster;
let databases = 0;
let url: string;
let nodes: NodeProcess[];

async function start(environment: Record<string, string> = {}): Promise<NodeProcess> {
  const node = await startNode(program, url, environment);
  nodes.push(node);
  return node;
}

async function twoNodes(): Promise<readonly [NodeProcess, NodeProcess]> {
  return Promise.all([start(), start()]);
}

async function healthOf(node: TestNode): Promise<unknown> {
  return (await node.call("GET", "/health")).body.metadata;
}

const databaseName = () => `logweir_${databases}`;

describe.runIf(hasPostgres())("nodes in separate processes", () => {
  beforeAll(async () => {
    program = await buildNode();
    cluster = await startPostgres();
  });

  beforeEach(() => {
    nodes = [];
    url = cluster.createDatabase();
    databases++;
  });

  afterEach(async () => {
    const dead = nodes.filter(({ process }) => process.exitCode !== null).map((node) => node.output());
    await Promise.all(nodes.map((node) => node.kill()));
    expect(dead, "nodes that ended by themselves").toEqual([]);
  });

  afterAll(async () => {
    await cluster.stop();
    rmSync(program);
  });

  it("answer with a change made on the other within a second, 100 of 100 times", async () => {
    const [one, other] = await twoNodes();
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v", cache_seconds: 600 });
    await waitUntil(async () => (await valueAt(other, "e")) === 0, limitMs);
    tell("a changed endpoint is answered by the other node", await changeInTurn([one, other], "e", 100));
  });

  it("refuse a token that the other revoked within a second, 100 of 100 times", async () => {
    const [one, other] = await twoNodes();
    const times: number[] = [];
    for (let round = 0; round < 100; round++) {
      const { body } = await one.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] });
      const status = async () =>
        (await other.call("GET", "/api/session", undefined, { token: String(body.token) })).status;
      await waitUntil(async () => (await status()) === 200, limitMs);
      await one.call("DELETE", `/api/access-tokens/${body.id}`);
      times.push(await waitUntil(async () => (await status()) === 401, limitMs));
    }
    tell("a revoked token is refused by the other node", times);
  });

  it("notice changes without notifications, and when their sessions are ended repeatedly", async () => {
    const [one, other] = await twoNodes();
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    await waitUntil(async () => (await valueAt(other, "e")) === 0, limitMs);
    // Changed by hand, without a notification.
    cluster.sql(databaseName(), "ALTER TABLE endpoints DISABLE TRIGGER note_change");
    await one.call("PATCH", "/api/endpoints/e", { query: "SELECT 1 AS v" });
    cluster.sql(databaseName(), "UPDATE metadata_changes SET number = number + 1 WHERE topic = 'endpoints'");
    const poll = await waitUntil(async () => (await valueAt(other, "e")) === 1, limitMs);
    cluster.sql(databaseName(), "ALTER TABLE endpoints ENABLE TRIGGER note_change");
    const times: number[] = [];
    const all = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseName()}' AND pid <> pg_backend_pid()`;
    for (let round = 2; round < 22; round++) {
      cluster.sql("postgres", all);
      const save = async () => {
        return (await one.call("PATCH", "/api/endpoints/e", { query: `SELECT ${round} AS v` })).status === 204;
      };
      await waitUntil(save, 2_000);
      times.push(await waitUntil(async () => (await valueAt(other, "e")) === round, 2_000));
    }
    process.stdout.write(`without a notice: ${poll.toFixed(0)} ms\n`);
    tell("a change after the end of every connection is answered by the other node", times);
  });

  it("continue for 30 s without the database, then answer 503, and recover automatically", async () => {
    const [one, other] = await twoNodes();
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 1 AS v" });
    const { body: token } = await one.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] });
    const call = () => other.call("GET", "/api/endpoints/query/e", undefined, { token: String(token.token) });
    await waitUntil(async () => (await call()).status === 200, limitMs);
    await cluster.kill();
    const killedAt = performance.now();
    try {
      await waitUntil(async () => (await healthOf(other)) === "behind", 4_000);
      const refused = await other.call("PATCH", "/api/endpoints/e", { query: "SELECT 2 AS v" });
      expect([refused.status, refused.body]).toMatchObject([503, { error: { code: "metadata_unavailable" } }]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await one.call("GET", "/api/views")).status).toBe(503);
      let answered = 0;
      for (; performance.now() - killedAt < 27_000; answered++) {
        expect((await call()).status).toBe(200);
        await sleep(200);
      }
      await waitUntil(async () => (await call()).status === 503, 6_000);
      process.stdout.write(
        `without the database: ${answered} calls answered, 503 after ${((performance.now() - killedAt) / 1000).toFixed(1)} s\n`,
      );
      const late = await call();
      expect(late.body).toMatchObject({ error: { code: "metadata_unavailable" } });
      expect(late.headers.get("retry-after")).not.toBeNull();
      const health = await other.call("GET", "/health");
      expect([health.status, health.body]).toMatchObject([503, { metadata: "unavailable" }]);
      expect((await fetch(`${other.url}/metrics`, { headers: { "x-api-key": privateToken } })).status).toBe(200);
    } finally {
      await cluster.restart();
    }
    const back = await waitUntil(async () => (await call()).status === 200, 5_000);
    process.stdout.write(`answers again ${back.toFixed(0)} ms after PostgreSQL does\n`);
    await one.call("PATCH", "/api/endpoints/e", { query: "SELECT 3 AS v" });
    await waitUntil(async () => (await valueAt(other, "e")) === 3, limitMs);
  });

  it("block no call while the database hangs, and recover", async () => {
    const [one, other] = await twoNodes();
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 1 AS v" });
    const { body: token } = await one.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] });
    const call = () => other.call("GET", "/api/endpoints/query/e", undefined, { token: String(token.token) });
    await waitUntil(async () => (await call()).status === 200, limitMs);
    cluster.freeze(true);
    let longest = 0;
    try {
      const save = one.call("PATCH", "/api/endpoints/e", { query: "SELECT 2 AS v" });
      save.catch(() => undefined);
      for (const end = performance.now() + 8_000; performance.now() < end; await sleep(50)) {
        const started = performance.now();
        expect((await call()).status).toBe(200);
        longest = Math.max(longest, performance.now() - started);
      }
      expect((await save).status).toBe(503);
      const started = performance.now();
      expect((await one.call("GET", "/api/views")).status).toBe(503);
      expect(performance.now() - started).toBeLessThan(1_000);
    } finally {
      cluster.freeze(false);
    }
    process.stdout.write(`while the database hangs: the longest call took ${longest.toFixed(0)} ms\n`);
    expect(longest).toBeLessThan(1_000);
    await waitUntil(async () => (await healthOf(other)) === "ok", 10_000);
    await waitUntil(
      async () => (await one.call("PATCH", "/api/endpoints/e", { query: "SELECT 3 AS v" })).status === 204,
      10_000,
    );
    await waitUntil(async () => (await valueAt(other, "e")) === 3, limitMs);
  });

  it("lose no acknowledged change and store none partially when PostgreSQL and nodes are killed during saves", async () => {
    const [one] = await twoNodes();
    const { body } = await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    let acknowledged = 0;
    let attempted = 0;
    let isDone = false;
    const save = async () => {
      while (!isDone) {
        attempted++;
        const query = `SELECT ${attempted} AS v`;
        const value = attempted;
        const node = nodes[attempted % nodes.length] as NodeProcess;
        const answer = await node.call("PATCH", `/api/endpoints/${body.id}`, { query }).catch(() => undefined);
        if (answer?.status === 204) acknowledged = value;
        else await sleep(20);
      }
    };
    const saving = save();
    for (let round = 0; round < 10; round++) {
      await sleep(150 + Math.random() * 200);
      if (round % 2 === 0) {
        await cluster.kill();
        await cluster.restart();
      } else {
        const [victim] = nodes.splice(round % 2, 1);
        await victim?.kill();
        await start();
      }
    }
    isDone = true;
    await saving;
    const [first, second] = nodes as [NodeProcess, NodeProcess];
    await waitUntil(async () => (await healthOf(first)) === "ok" && (await healthOf(second)) === "ok", 10_000);
    await sleep(limitMs);
    const values = await Promise.all([valueAt(first, "e"), valueAt(second, "e")]);
    expect(values[0]).toBe(values[1]);
    // A change that was not acknowledged may have been stored.
    expect(Number(values[0])).toBeGreaterThanOrEqual(acknowledged);
    const numbers = cluster
      .sql(databaseName(), "SELECT number FROM endpoint_versions WHERE name = 'e' ORDER BY number")
      .split("\n");
    expect(numbers.filter(Boolean).map(Number)).toEqual(numbers.filter(Boolean).map((_, index) => index + 1));
    const now = cluster.sql(databaseName(), "SELECT version FROM endpoints WHERE name = 'e'").trim();
    expect(now).toBe(String(numbers.filter(Boolean).length));
    process.stdout.write(`10 kills during ${attempted} saves: ${numbers.filter(Boolean).length} versions, none lost\n`);
  });

  it("refuse a change while another node hangs during one, and continue afterwards", async () => {
    const [one, other] = await twoNodes();
    await one.call("POST", "/api/endpoints", { name: "e", query: "SELECT 0 AS v" });
    await waitUntil(async () => (await valueAt(other, "e")) === 0, limitMs);
    const saving = Array.from({ length: 200 }, (_, n) => {
      return one.call("PATCH", "/api/endpoints/e", { query: `SELECT ${n} AS v` }).catch(() => undefined);
    });
    // After some attempts it is stopped while it holds the lock.
    const holds = () => cluster.sql(databaseName(), changesQuery).trim() !== "";
    for (let tries = 0; ; tries++) {
      one.process.kill("SIGSTOP");
      await sleep(50);
      if (holds()) break;
      expect(tries).toBeLessThan(100);
      one.process.kill("SIGCONT");
      await sleep(5);
    }
    const started = performance.now();
    const refused = await other.call("PATCH", "/api/endpoints/e", { query: "SELECT 1000 AS v" });
    expect([refused.status, refused.body]).toMatchObject([503, { error: { code: "metadata_unavailable" } }]);
    expect(performance.now() - started).toBeLessThan(7_000);
    const save = async () =>
      (await other.call("PATCH", "/api/endpoints/e", { query: "SELECT 1000 AS v" })).status === 204;
    const took = await waitUntil(save, 30_000);
    process.stdout.write(
      `a node that hangs in a change holds up others for ${(took / 1000 + 5).toFixed(0)} s at most\n`,
    );
    one.process.kill("SIGCONT");
    await Promise.all(saving);
    await waitUntil(async () => (await healthOf(one)) === "ok", 10_000);
    await waitUntil(async () => (await valueAt(one, "e")) === (await valueAt(other, "e")), 5_000);
  });

  it("drain every acknowledged event even if nodes and databases are killed meanwhile", async () => {
    const taken = new Map<string, number>();
    const receiver = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on("end", () => {
        for (const id of text.match(/drained-\d+/g) ?? []) taken.set(id, (taken.get(id) ?? 0) + 1);
        setTimeout(() => response.end(), 30);
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const config = { gzip: false, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
    const first = await start();
    const all = [first, await start(), await start()];
    await first.call("POST", "/api/sources", { name: "drained" });
    const timestamp = new Date().toISOString();
    const eventOf = (n: number) => ({ id: `drained-${n}`, timestamp });
    const store = (node: TestNode, events: readonly object[]) => {
      return node.call("POST", "/api/logs?source_name=drained", events).then(
        ({ status }) => status === 200,
        () => false,
      );
    };
    // The leader looks events up in its own engine here: all nodes have them before they are drained.
    const events = Array.from({ length: 1_000 }, (_, n) => eventOf(n));
    for (const node of all) await waitUntil(() => store(node, events), 5_000);
    const { body } = await first.call("POST", "/api/backends", { name: "b", type: "webhook", config });
    const { body: rule } = await first.call("POST", "/api/rules", { source: "drained", backend_id: body.id });
    for (const node of all) {
      await waitUntil(async () => (await node.call("GET", `/api/rules/${rule.id}`)).status === 200, limitMs);
    }
    const acknowledged: number[] = [];
    let round = 0;
    for (let n = 0; n < 1_000; n += 10, round++) {
      // The first node is the leader.
      if (round === 30) void first.kill();
      if (round === 50) await cluster.kill().then(() => cluster.restart());
      // Until then its keys wait in memory, and would end with it.
      if (round === 60) await waitUntil(async () => (await healthOf(all[1] as NodeProcess)) === "ok", 10_000);
      if (round === 70) void all[1]?.kill();
      const batch = Array.from({ length: 10 }, (_, each) => n + each);
      const node = all[round % 3] as NodeProcess;
      if (await store(node, batch.map(eventOf))) acknowledged.push(...batch);
      await sleep(20);
    }
    await waitUntil(async () => acknowledged.every((n) => taken.has(`drained-${n}`)), 20_000).catch(() => undefined);
    const missing = acknowledged.filter((n) => !taken.has(`drained-${n}`));
    const twice = [...taken.values()].filter((times) => times > 1).length;
    process.stdout.write(
      `${acknowledged.length} events acknowledged, ${missing.length} not drained, ${twice} drained more than once\n`,
    );
    receiver.closeAllConnections();
    receiver.close();
    expect(missing).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(500);
  });

  it("tell of an alert at least once, under the same ids, when the leader is killed while it sends", async () => {
    /** Ids of notices by their incident, of those that hung and of those that were taken. */
    const hung = new Map<string, Set<string>>();
    const taken = new Map<string, Set<string>>();
    let hangs = true;
    const receiver = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on("end", () => {
        const { id, status, labels } = JSON.parse(text) as { id: string; status: string; labels: { project: string } };
        expect(request.headers["idempotency-key"]).toBe(id);
        const ids = hangs ? hung : taken;
        ids.set(`${labels.project} ${status}`, (ids.get(`${labels.project} ${status}`) ?? new Set()).add(id));
        if (!hangs) response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const first = await start();
    const second = await start();
    const alert = {
      ...{ name: "tells", sql: "SELECT p AS project, 1 AS n FROM UNNEST(['one', 'two']) AS p", every: "10s" },
      ...{ when: { rows: "any" }, group_by: ["project"] },
      // A destination for each: notices of one are sent in order.
      notify: [0, 1, 2].map((number) => ({ type: "webhook", url: `${hook}${number}` })),
    };
    expect((await first.call("POST", "/api/alerts", alert)).status).toBe(201);
    await waitUntil(async () => hung.size > 0, 15_000);
    // Between the state and its delivery.
    await first.kill();
    hangs = false;
    await waitUntil(async () => taken.size === 2, 30_000);
    // One that leads alone, and loses its database meanwhile.
    await cluster.kill().then(() => cluster.restart());
    await waitUntil(async () => (await healthOf(second)) === "ok", 15_000);
    const { body } = await second.call("GET", "/api/alerts");
    expect(body).toMatchObject([{ name: "tells" }]);
    await waitUntil(async () => {
      const { body: state } = await second.call("GET", `/api/alerts/tells/state`);
      return state.waiting === 0;
    }, 30_000);
    for (const [of, ids] of hung) expect([...(taken.get(of) ?? [])], of).toEqual(expect.arrayContaining([...ids]));
    // Each group fires once for a destination, by whichever node, under ids that were stored before they were sent.
    expect([...taken].map(([of, ids]) => [of, ids.size]).sort()).toEqual([
      ["one firing", 1],
      ["two firing", 1],
    ]);
    receiver.closeAllConnections();
    receiver.close();
  });

  it("tail each acknowledged event once while the database is killed and comes back", async () => {
    const [node] = await twoNodes();
    await node.call("POST", "/api/sources", { name: "followed" });
    const ending = new AbortController();
    const lines: string[] = [];
    const headers = { "x-api-key": privateToken };
    const address = `${node.url}/api/endpoints/query/source:followed/tail`;
    const tail = await fetch(address, { headers, signal: ending.signal });
    if (tail.status !== 200) throw new Error(await tail.text());
    const reading = (async () => {
      for await (const chunk of tail.body as unknown as AsyncIterable<Uint8Array>) {
        lines.push(Buffer.from(chunk).toString());
      }
    })().catch(() => undefined);
    const acknowledged: string[] = [];
    const told = () => [...lines.join("").matchAll(/followed-\d+/g)].map(([id]) => id);
    for (let n = 0; n < 120; n++) {
      if (n === 30) await cluster.kill();
      if (n === 90) await cluster.restart();
      const event = { id: `followed-${n}`, timestamp: new Date().toISOString() };
      const { status } = await node.call("POST", "/api/logs?source_name=followed", [event]);
      if (status === 200) acknowledged.push(event.id);
      await sleep(50);
    }
    await waitUntil(async () => acknowledged.every((id) => told().includes(id)), 15_000).catch(() => undefined);
    expect(told()).toEqual(expect.arrayContaining(acknowledged));
    expect(told(), "no event twice").toHaveLength(new Set(told()).size);
    expect(lines.join("")).not.toMatch(/event: (?:skipped|end)/);
    expect(acknowledged.length).toBeGreaterThan(100);
    ending.abort();
    await reading;
  });

  it("run the query of a warmed answer once for both nodes", async () => {
    const [one, other] = await twoNodes();
    const warm = { name: "w", query: "SELECT GENERATE_UUID() AS v", cache_seconds: 60, warm_every_seconds: 2 };
    const { status, body } = await one.call("POST", "/api/endpoints", warm);
    expect(status, JSON.stringify(body)).toBe(201);
    await waitUntil(async () => (await valueAt(other, "w")) !== 404, limitMs);
    const seen = new Set<unknown>();
    let same = 0;
    for (let look = 0; look < 40; look++) {
      const [a, b] = await Promise.all([valueAt(one, "w"), valueAt(other, "w")]);
      if (a === b) same++;
      seen.add(a).add(b);
      await sleep(250);
    }
    process.stdout.write(
      `warmed every 2 s for 10 s on two nodes: ${seen.size} answers, ${same} of 40 looks the same\n`,
    );
    // Two at the start, then one for both nodes each time.
    expect(seen.size).toBeLessThanOrEqual(9);
    expect(seen.size).toBeGreaterThan(3);
    expect(same).toBeGreaterThan(15);
  });

  it("elect a new leader within seconds when the leading node is killed", async () => {
    const leader = () => cluster.sql(databaseName(), leaderQuery).trim();
    for (let round = 0; round < 3; round++) {
      const first = await start();
      const second = await start();
      const before = leader();
      await second.kill();
      expect(leader(), "the first to come leads").toBe(before);
      await start();
      await first.kill();
      const took = await waitUntil(async () => !["", before].includes(leader()), 5_000);
      process.stdout.write(`the lead is taken over ${took.toFixed(0)} ms after kill -9\n`);
      expect(took).toBeLessThan(3_000);
      await Promise.all(nodes.map((node) => node.kill()));
    }
  });
});

const [space, leaderLock] = lockOf("leader");
const [, changesLock] = lockOf("changes");

/** The process that holds the lock of changes; empty when none does. */
const changesQuery = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = ${space} AND objid = ${changesLock >>> 0}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The process of the leader's session; empty when there is none. */
const leaderQuery = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = ${space} AND objid = ${leaderLock >>> 0}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
