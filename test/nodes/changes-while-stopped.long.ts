/** Changes that are made on one node while the other stands still: over ClickHouse and PostgreSQL, as in production. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openServer, type ServerProcess } from "../clickhouse/start.ts";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";
import { type NodeProcess, startNode, type TestNode } from "./start-node.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-changes-while-stopped-"));
const patienceMs = 90_000;

let server: ServerProcess;
let cluster: PostgresCluster;
let url: string;
let databases = 0;

function start(): Promise<NodeProcess> {
  return startNode(["bin/logweir.mjs", "serve"], url, {
    LOGWEIR_ENGINE: "clickhouse",
    LOGWEIR_CLICKHOUSE_URL: server.url,
    LOGWEIR_CLICKHOUSE_DATABASE: `stopped_${databases}`,
    LOGWEIR_CLICKHOUSE_MIGRATE: "on",
    LOGWEIR_MAX_REQUESTS_PER_MINUTE: "1000000",
    // No folder can be created there, not even by root.
    LOGWEIR_DATA_DIR: "/dev/null/no-folder",
  });
}

/** Receives events, and knows at which path it got each. */
async function startReceiver() {
  const taken: { readonly path: string; readonly id: string }[] = [];
  const server: Server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const path = request.url?.slice(1) ?? "";
      for (const { id } of JSON.parse(text) as { id: string }[]) taken.push({ path, id });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
    idsAt: (path: string) => taken.filter((each) => each.path === path).map(({ id }) => id),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Status {
  readonly rule_id: string;
  readonly waiting: number;
  readonly delivered: number;
  readonly excluded: number;
  readonly dropped: number;
  readonly refused: number;
  readonly removed: number;
}

async function ok(answer: Promise<{ readonly status: number; readonly body: Record<string, unknown> }>) {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body;
}

const made = async (node: TestNode, path: string, body: object) => String((await ok(node.call("POST", path, body))).id);

const idsOf = (from: string, count: number) => Array.from({ length: count }, (_, index) => `${from}-${index}`);

const send = (node: TestNode, source: string, ids: readonly string[]) =>
  ok(
    node.call(
      "POST",
      `/api/logs?source_name=${source}`,
      ids.map((id) => ({ id, metadata: { kind: id.split("-")[1] } })),
    ),
  );

async function statusOf(node: TestNode, backend: string): Promise<readonly Status[]> {
  return (await ok(node.call("GET", `/api/backends/${backend}`))).status as readonly Status[];
}

const sumOf = ({ delivered, excluded, dropped, refused, removed }: Status) =>
  delivered + excluded + dropped + refused + removed;

/** Waits until nothing waits for the backends, and each event has its end, which is not that of being lost. */
async function account(node: TestNode, wanted: ReadonlyMap<string, number>): Promise<void> {
  const read = async () => {
    const all = [...wanted.keys()].map(async (id) =>
      (await statusOf(node, id)).map((each) => [each.waiting, each.dropped, sumOf(each)]),
    );
    return JSON.stringify(await Promise.all(all));
  };
  const expected = JSON.stringify([...wanted.values()].map((sum) => [[0, 0, sum]]));
  await waitUntil(async () => (await read()) === expected, patienceMs).catch(() => undefined);
  expect(await read(), node.url).toBe(expected);
}

/** How a node stops, and comes back. */
const stops = {
  "ended by SIGTERM": async (node: NodeProcess) => {
    await node.stop();
    return start;
  },
  killed: async (node: NodeProcess) => {
    await node.kill();
    return start;
  },
  "suspended for a minute": async (node: NodeProcess) => {
    node.process.kill("SIGSTOP");
    return async () => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      node.process.kill("SIGCONT");
      return node;
    };
  },
} as const;

describe.runIf(hasPostgres())("changes made while the other node is", { timeout: 400_000 }, () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  beforeAll(async () => {
    [server, cluster, receiver] = await Promise.all([openServer({ folder }), startPostgres(), startReceiver()]);
  });

  beforeEach(() => {
    url = cluster.createDatabase();
    databases++;
  });

  afterAll(async () => {
    receiver.close();
    await Promise.all([server.kill(), cluster.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [how, stop] of Object.entries(stops)) {
    for (const isLeader of [true, false]) {
      it(`${how}, ${isLeader ? "and led" : "and did not lead"}, hold for each event since`, async () => {
        // The first is the leader.
        const nodes = [await start(), await start()] as [NodeProcess, NodeProcess];
        let [stopped, on] = isLeader ? nodes : ([...nodes].reverse() as typeof nodes);
        const at = (path: string) => receiver.address(`${databases}-${path}`);
        const taken = (path: string) => receiver.idsAt(`${databases}-${path}`);
        const backendAt = (path: string, name = path) =>
          made(on, "/api/backends", { name, type: "webhook", config: { url: at(path), gzip: false } });
        const rule = (backend: string, source: string, lql = "") =>
          made(on, "/api/rules", { backend_id: backend, source, lql_string: lql });
        for (const name of ["kept", "moved", "recreated"]) await ok(on.call("POST", "/api/sources", { name }));

        const [readdressed, filtered, removed, sourced] = [
          await backendAt("old"),
          await backendAt("filtered"),
          await backendAt("removed"),
          await backendAt("sourced"),
        ] as const;
        await rule(readdressed, "kept");
        const filter = await rule(filtered, "kept");
        await rule(removed, "kept");
        const mover = await rule(sourced, "kept");
        const token = await ok(on.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] }));
        await waitUntil(async () => (await stopped.call("GET", `/api/rules/${mover}`)).status === 200, patienceMs);
        await send(on, "kept", idsOf("before-a", 50));
        await send(stopped, "kept", idsOf("before-b", 50));
        const before = [...idsOf("before-a", 50), ...idsOf("before-b", 50)];
        await account(on, new Map([readdressed, filtered, removed, sourced].map((id) => [id, 100])));

        const back = await stop(stopped);
        await waitUntil(async () => {
          const changed = await on.call("PATCH", `/api/backends/${readdressed}`, {
            config: { url: at("new"), gzip: false },
          });
          return changed.status === 200;
        }, patienceMs);
        await ok(on.call("PATCH", `/api/rules/${filter}`, { lql_string: "m.kind:yes" }));
        await ok(on.call("DELETE", `/api/backends/${removed}`));
        const anew = await backendAt("anew", "removed");
        await rule(anew, "kept");
        await ok(on.call("PATCH", `/api/rules/${mover}`, { source: "moved" }));
        await ok(on.call("DELETE", "/api/sources/recreated"));
        await ok(on.call("POST", "/api/sources", { name: "recreated" }));
        const later = await backendAt("later");
        await rule(later, "recreated");
        await ok(on.call("DELETE", `/api/access-tokens/${token.id}`));
        await send(on, "kept", [...idsOf("during-yes", 30), ...idsOf("during-no", 20)]);
        await send(on, "moved", idsOf("during-m", 10));
        await send(on, "recreated", idsOf("during-r", 10));

        stopped = await back();
        await waitUntil(async () => (await stopped.call("GET", "/health")).body.metadata === "ok", patienceMs);
        await waitUntil(async () => {
          const { body } = await stopped.call("GET", "/api/backends");
          return (body as unknown as readonly { readonly id: string }[]).some(({ id }) => id === later);
        }, patienceMs);
        await send(stopped, "kept", [...idsOf("after-yes", 30), ...idsOf("after-no", 20)]);
        await send(stopped, "moved", idsOf("after-m", 10));
        await send(stopped, "recreated", idsOf("after-r", 10));
        const session = await stopped.call("GET", "/api/session", undefined, { token: String(token.token) });
        expect(session.status, "the revoked token").toBe(401);

        const wanted = new Map([
          [readdressed, 200],
          [filtered, 200],
          [anew, 100],
          [sourced, 20],
          [later, 20],
        ]);
        for (const node of [on, stopped]) await account(node, wanted);
        const since = [
          ...idsOf("during-yes", 30),
          ...idsOf("during-no", 20),
          ...idsOf("after-yes", 30),
          ...idsOf("after-no", 20),
        ];
        const unique = (path: string) => [...new Set(taken(path))].sort();
        expect(unique("old"), "the old address").toEqual(before.toSorted());
        expect(unique("new"), "the new address").toEqual(since.toSorted());
        expect(unique("filtered")).toEqual([...before, ...idsOf("during-yes", 30), ...idsOf("after-yes", 30)].sort());
        expect(unique("removed"), "a removed backend").toEqual(before.toSorted());
        expect(unique("anew"), "one made anew under its name").toEqual(since.toSorted());
        expect(unique("sourced")).toEqual([...before, ...idsOf("during-m", 10), ...idsOf("after-m", 10)].sort());
        expect(unique("later")).toEqual([...idsOf("during-r", 10), ...idsOf("after-r", 10)].sort());
        // No destination failed, and no sender ended between a request and its answer.
        for (const path of ["new", "anew", "later"])
          expect(taken(path), `twice at ${path}`).toHaveLength(unique(path).length);
        const positions = cluster.sql(`logweir_${databases}`, "SELECT count(*) FROM drain_positions").trim();
        expect(positions, "positions are of rules that exist").toBe("5");
        await Promise.all([on, stopped].map((node) => node.stop()));
      });
    }
  }
});
