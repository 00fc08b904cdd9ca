import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfiguration } from "../../src/config/config.ts";
import { openMemoryEngine } from "../../src/engines/index.ts";
import { type RunningService, startService } from "../../src/service/service.ts";
import { createCookieBrowser } from "../support/cookie-browser.ts";
import { type OidcIssuer, startOidcIssuer } from "../support/oidc-issuer.ts";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";
import { changeInTurn, valueAt } from "./endpoint-changes.ts";
import { nodeAt, nodeEnvironment, type TestNode } from "./start-node.ts";

/** The long suite checks that it takes less than a second, on a machine without other load. */
const patienceMs = 15_000;

let cluster: PostgresCluster;
let issuer: OidcIssuer;
let environment: Record<string, string>;
let services: readonly RunningService[];
let one: TestNode;
let other: TestNode;

function startInProcess(isEngineShared = true): Promise<RunningService> {
  const configuration = readConfiguration({ workingDir: process.cwd(), packageDir: process.cwd() }, environment);
  return startService(
    configuration,
    isEngineShared ? { openEngine: () => openMemoryEngine({ threads: 1 }), isEngineShared } : {},
  );
}

describe.runIf(hasPostgres())("two nodes on one database", () => {
  beforeAll(async () => {
    [cluster, issuer] = await Promise.all([startPostgres(), startOidcIssuer()]);
    environment = {
      ...nodeEnvironment(cluster.createDatabase()),
      LOGWEIR_LOG_LEVEL: "silent",
      LOGWEIR_OIDC_ISSUER: issuer.url,
      LOGWEIR_OIDC_CLIENT_ID: issuer.clientId,
      LOGWEIR_OIDC_CLIENT_SECRET: issuer.clientSecret,
      LOGWEIR_OIDC_ROLES: '{"*": "query"}',
    };
    // Both start at once on an empty database: tables, key and the files' versions are created once.
    services = await Promise.all([startInProcess(), startInProcess()]);
    [one, other] = services.map(({ url }) => nodeAt(url)) as [TestNode, TestNode];
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all([cluster.stop(), issuer.close()]);
  });

  it("record the versions of endpoint files once", async () => {
    const versions = cluster.sql("logweir_1", "SELECT max(number) FROM endpoint_versions").trim();
    expect(versions).toBe("1");
  });

  it("answer with each other's endpoints, changes and removals, and invalidate cached answers", async () => {
    const made = { name: "shared", query: "SELECT 0 AS v", cache_seconds: 600 };
    expect((await one.call("POST", "/api/endpoints", made)).status).toBe(201);
    await waitUntil(async () => (await valueAt(other, "shared")) === 0, patienceMs);
    await changeInTurn([one, other], "shared", 5, patienceMs);
    await one.call("DELETE", "/api/endpoints/shared");
    await waitUntil(async () => (await valueAt(other, "shared")) === 404, patienceMs);
  });

  it("refuse each other's revoked tokens", async () => {
    const { body } = await one.call("POST", "/api/access-tokens", { description: "t", scopes: ["query"] });
    const call = () => other.call("GET", "/api/session", undefined, { token: String(body.token) });
    await waitUntil(async () => (await call()).status === 200, patienceMs);
    await one.call("DELETE", `/api/access-tokens/${body.id}`);
    await waitUntil(async () => (await call()).status === 401, patienceMs);
  });

  it("finish each other's sign-ins, and end each other's sessions", async () => {
    const [first = "", second = ""] = services.map(({ url }) => url);
    issuer.serve(first);
    const browser = createCookieBrowser();
    const { url } = await browser.open(`${first}/api/sign-in/start`, (place) => place.includes("/callback?"));
    // Cookies belong to a host, whichever node answers for it.
    const cookie = [...browser.cookies(first)].map(([name, value]) => `${name}=${value}`).join("; ");
    const finished = await fetch(url.replace(first, second), { headers: { cookie }, redirect: "manual" });
    const session = /logweir_session=\w+/.exec(finished.headers.getSetCookie().join())?.[0] ?? "";
    const headers = { cookie: session, "x-logweir-session": "1" };
    for (const node of [first, second]) {
      await waitUntil(async () => (await fetch(`${node}/api/session`, { headers })).status === 200, patienceMs);
    }
    expect((await fetch(`${first}/api/sign-out`, { method: "POST", headers })).status).toBe(200);
    await waitUntil(async () => (await fetch(`${second}/api/session`, { headers })).status === 401, patienceMs);
  });

  it("see each other's sources, views, backends and rules", async () => {
    await one.call("POST", "/api/sources", { name: "shared_logs" });
    const stores = () => other.call("POST", "/api/logs?source_name=shared_logs", [{ message: "x" }]);
    await waitUntil(async () => (await stores()).status === 200, patienceMs);
    await one.call("POST", "/api/views", { name: "v", endpoint: "logs.all", state: "s" });
    expect(JSON.stringify((await other.call("GET", "/api/views")).body)).toContain('"name":"v"');
    const config = { url: "http://127.0.0.1:9/" };
    const { body } = await one.call("POST", "/api/backends", { name: "b", type: "webhook", config });
    await waitUntil(async () => (await other.call("GET", `/api/backends/${body.id}`)).status === 200, patienceMs);
    const { body: rule } = await other.call("POST", "/api/rules", { source: "shared_logs", backend_id: body.id });
    await waitUntil(async () => (await one.call("GET", `/api/rules/${rule.id}`)).status === 200, patienceMs);
    await one.call("DELETE", `/api/backends/${body.id}`);
    await waitUntil(async () => (await other.call("GET", `/api/rules/${rule.id}`)).status === 404, patienceMs);
    await other.call("DELETE", "/api/sources/shared_logs");
    await waitUntil(async () => (await one.call("GET", "/api/sources/shared_logs")).status === 404, patienceMs);
  });

  it("drain events that either node stored from one of them", async () => {
    const taken: string[] = [];
    const receiver = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => taken.push(...(chunk.toString().match(/drained-\d+/g) ?? [])));
      request.on("end", () => response.end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const config = { gzip: false, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
    const leads = services[0]?.nodes.isLeader() === true;
    const [leader, follower] = leads ? [one, other] : [other, one];
    await one.call("POST", "/api/sources", { name: "drained_logs" });
    const timestamp = new Date().toISOString();
    const events = [1, 2, 3].map((n) => ({ id: `drained-${n}`, timestamp, event_message: "m" }));
    const send = (node: TestNode) => node.call("POST", "/api/logs?source_name=drained_logs", events);
    // The leader looks events up in its own engine here: it has them before they are drained.
    await waitUntil(async () => (await send(leader)).status === 200, patienceMs);
    const { body } = await follower.call("POST", "/api/backends", { name: "b", type: "webhook", config });
    const { body: rule } = await follower.call("POST", "/api/rules", { source: "drained_logs", backend_id: body.id });
    await waitUntil(async () => (await leader.call("GET", `/api/rules/${rule.id}`)).status === 200, patienceMs);
    expect((await send(follower)).status).toBe(200);
    await waitUntil(async () => taken.length > 0, 3_000);
    expect([...new Set(taken)].sort()).toEqual(["drained-1", "drained-2", "drained-3"]);
    await one.call("DELETE", `/api/backends/${body.id}`);
    receiver.closeAllConnections();
    receiver.close();
  });

  it("enforce rules about several endpoints, even under concurrent changes", async () => {
    for (let round = 0; round < 5; round++) {
      await one.call("POST", "/api/endpoints", { name: "base", query: "SELECT 1 AS v" });
      const [removed, made] = await Promise.all([
        one.call("DELETE", "/api/endpoints/base"),
        other.call("POST", "/api/endpoints", { name: "reader", query: "SELECT v FROM base" }),
      ]);
      expect([removed.status, made.status].sort(), JSON.stringify(made.body)).toEqual(
        removed.status === 204 ? [204, 422] : [201, 409],
      );
      await other.call("DELETE", "/api/endpoints/reader");
      await other.call("DELETE", "/api/endpoints/base");
    }
  });

  it("save only one of two changes based on the same version", async () => {
    const { body } = await one.call("POST", "/api/endpoints", { name: "raced", query: "SELECT 0 AS v" });
    for (let version = 1; version <= 5; version++) {
      const change = (node: TestNode, value: number) =>
        node.call(
          "PATCH",
          `/api/endpoints/${body.id}`,
          { query: `SELECT ${value} AS v` },
          {
            headers: { "if-match": `"${version}"` },
          },
        );
      const answers = await Promise.all([change(one, version * 2), change(other, version * 2 + 1)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 412]);
      const conflict = answers.find(({ status }) => status === 412);
      expect(conflict?.body).toMatchObject({ error: { current_version: version + 1 } });
    }
    const { body: versions } = await other.call("GET", `/api/endpoints/${body.id}/versions`);
    expect(versions).toHaveLength(6);
  });

  it("accept each other's cursors and entity tags", async () => {
    await one.call("POST", "/api/sources", { name: "paged_logs" });
    const events = Array.from({ length: 30 }, (_, n) => ({
      id: `id-${n}`,
      timestamp: new Date(Date.UTC(2026, 7, 20, 9, 0, n)).toISOString(),
      event_message: `message ${n}`,
    }));
    // Each node has an engine of its own here; both get the same events.
    for (const node of [one, other]) {
      const send = () => node.call("POST", "/api/logs?source_name=paged_logs", events);
      await waitUntil(async () => (await send()).status === 200, patienceMs);
    }
    const query = "SELECT timestamp, event_message AS v FROM paged_logs ORDER BY timestamp DESC LIMIT 10";
    await one.call("POST", "/api/endpoints", { name: "paged", query, max_rows: 10, cache_seconds: 60 });
    await waitUntil(async () => (await valueAt(other, "paged")) === "message 29", patienceMs);
    const first = await one.call("GET", "/api/endpoints/query/paged");
    const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect(next).toContain("cursor=");
    const second = await other.call("GET", next);
    expect(second.body).toMatchObject({ result: [{ v: "message 19" }, ...Array.from({ length: 9 }, () => ({}))] });
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await other.call("GET", "/api/endpoints/query/paged", undefined, { headers })).status).toBe(304);
  });

  it("clear each other's caches", async () => {
    await one.call("POST", "/api/endpoints", {
      name: "random",
      query: "SELECT GENERATE_UUID() AS v",
      cache_seconds: 600,
    });
    await waitUntil(async () => (await valueAt(other, "random")) !== 404, patienceMs);
    const before = await valueAt(other, "random");
    expect(await valueAt(other, "random")).toBe(before);
    expect((await one.call("POST", "/api/cache/clear")).status).toBe(200);
    await waitUntil(async () => (await valueAt(other, "random")) !== before, patienceMs);
  });

  it("have exactly one leader", () => {
    expect(services.filter(({ nodes }) => nodes.isLeader())).toHaveLength(1);
  });

  it("run where no folder can be made, and refuse a node whose engine stores its own events", async () => {
    await expect(startInProcess(false)).rejects.toThrow(/used by another node.*embedded engine/);
  });
});
