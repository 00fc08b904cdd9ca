/** Attempts that show the effect of each setting of the service, by its name in `src/config/settings.ts`. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import type { settingDefinitions } from "../../src/config/settings.ts";
import { create, manage } from "../acceptance/manage.ts";
import {
  postEvents,
  privateToken,
  publicToken,
  readError,
  type Service,
  startServiceProcess,
} from "../acceptance/service.ts";
import { startMailServer } from "../support/mail-server.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import type { Attempt, Elsewhere } from "./attempt.ts";
import { connectionAttempts } from "./connection-attempts.ts";
import { serverAttempts } from "./server-attempts.ts";

type SettingName = keyof typeof settingDefinitions;

const limits: Elsewhere = { file: "test/composition/call-limits.long.ts", title: "applies to every call" };
const nodes: Elsewhere = { file: "test/nodes/two-nodes.long.ts", title: "see each other's sources" };
const unstoppable: Elsewhere = {
  file: "test/security/unstoppable.test.ts",
  title: "ends an engine that does not stop",
};
const signed = (title: string): Elsewhere => ({ file: "test/acceptance/signed-tokens.test.ts", title });
const proxied = (title: string): Elsewhere => ({ file: "test/acceptance/trusted-proxy.test.ts", title });
const oidc = (title: string): Elsewhere => ({ file: "test/acceptance/sign-in.test.ts", title });
const columns: Elsewhere = {
  file: "src/engines/duckdb/store/tenants.test.ts",
  title: "at most the configured number of columns",
};

const sameIds: Elsewhere = {
  file: "src/engines/duckdb/host/ids/stored-ids.test.ts",
  title: "recognise an event after the window by its time too",
};

const busy = (arrays: number) =>
  `select sum(sqrt(${["a", "b", "c", "d"].slice(0, arrays).join(" * ")})) as n from ${["a", "b", "c", "d"]
    .slice(0, arrays)
    .map((name) => `unnest(generate_array(1, 2000)) ${name}`)
    .join(" cross join ")}`;

/** A call of `logs.all` with a query, which can be given up. */
function ask(service: Service, sql: string, token = privateToken) {
  const leaving = new AbortController();
  const url = `${service.url}/api/endpoints/query/logs.all?${new URLSearchParams({ project: "abc", sql })}`;
  const answer = fetch(url, { headers: { "x-api-key": token }, signal: leaving.signal });
  answer.catch(() => undefined);
  return { answer, leave: () => leaving.abort() };
}

async function tokenOf(service: Service): Promise<string> {
  const { body } = await manage(service, "POST", "/api/access-tokens", { scopes: ["query", "ingest"] });
  return String(body.token);
}

const statusOf = async (service: Service, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${service.url}${path}`, { headers })).status;

const namesOf = async (service: Service, path: string) =>
  ((await (await service.get(path)).json()) as readonly { name: string }[]).map(({ name }) => name);

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "logweir-composition-"));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const ownEndpoint = "/*---\nid: 00000000-0000-4000-8000-0000000000aa\n---*/\nselect 1 as n\n";

const events = (count: number, fields: object = {}) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ event_message: `e${index}`, ...fields })));

/** 250 events of half a megabyte together, which no compression makes less. */
const largeEvents = (field: "id" | "event_message") =>
  JSON.stringify(Array.from({ length: 250 }, () => ({ [field]: randomBytes(1500).toString("base64") })));

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** A fixed token opens what its scopes allow, and only where the setting has it. */
function fixedToken(variable: string, allowed: string, refused?: string): Attempt {
  return async (start) => {
    const token = "a-token-of-the-composition-suite-0123456789";
    const [service, without] = [await start({ [variable]: token }), await start({})];
    const headers = { "x-api-key": token };
    expect(await statusOf(service, allowed, headers)).toBe(200);
    expect(await statusOf(without, allowed, headers)).toBe(401);
    if (refused !== undefined) expect([401, 403]).toContain(await statusOf(service, refused, headers));
  };
}

/** Some megabytes of events are deleted by one value of the bound, and stay by another. */
function keepsWithin(variable: string, deleting: string, keeping: string): Attempt {
  return async (start) => {
    const services = [await start({ [variable]: deleting }), await start({ [variable]: keeping })] as const;
    const isGone = async (service: Service) => {
      const { sources } = (await (await service.get("/api/store")).json()) as {
        readonly sources: readonly { readonly name: string; readonly rows: number }[];
      };
      return (sources.find(({ name }) => name === "edge")?.rows ?? 0) < 1000;
    };
    for (const service of services) {
      for (let batch = 0; batch < 4; batch++) {
        expect((await postEvents(service.url, "edge", largeEvents("event_message"))).status).toBe(200);
      }
    }
    await waitUntil(() => isGone(services[0]), 120_000, "the deletion");
    expect(await isGone(services[1])).toBe(false);
  };
}

const query = "/api/endpoints/query/logs.all?project=abc";

/** A query runs until its caller leaves, however slow the machine is. */
const patient = { LOGWEIR_QUERY_TIMEOUT_MS: "3600000", LOGWEIR_UNSTOPPABLE_AFTER_MS: "60000" };

/** No minute passes, however long the calls take. */
const stopped = { isStopped: true } as const;

/** Every setting: a new one without a row does not compile. */
export const settingAttempts: Readonly<Record<SettingName, Attempt | Elsewhere>> = {
  host: async (start) => {
    const service = await start({ LOGWEIR_HOST: "0.0.0.0" });
    expect(await statusOf(service, "/health")).toBe(200);
    expect((await fetch(service.url.replace("127.0.0.1", "127.0.0.2").concat("/health"))).status).toBe(200);
    const only = await start({ LOGWEIR_HOST: "127.0.0.1" });
    await expect(fetch(only.url.replace("127.0.0.1", "127.0.0.2").concat("/health"))).rejects.toThrow();
  },
  port: async (start) => {
    const port = await freePort();
    expect((await start({ LOGWEIR_PORT: port })).url).toBe(`http://127.0.0.1:${port}`);
  },
  dataDir: async (start) => {
    const folder = join(await folderWith({}), "made");
    await start({ LOGWEIR_DATA_DIR: folder });
    expect(existsSync(join(folder, "metadata.db"))).toBe(true);
  },
  metadataUrl: nodes,
  ...serverAttempts,
  config: async (start) => {
    const folder = await folderWith({ "settings.yaml": "max_array_elements: 5\nmax_string_bytes: 1024\n" });
    const file = { LOGWEIR_CONFIG: join(folder, "settings.yaml") };
    const sql = "select array_length(generate_array(1, 6)) as n";
    expect((await ask(await start(file), sql).answer).status).toBe(422);
    expect((await ask(await start({ ...file, LOGWEIR_MAX_ARRAY_ELEMENTS: "6" }), sql).answer).status).toBe(200);
  },
  endpointsDir: async (start) => {
    const folder = await folderWith({ "own.sql": ownEndpoint });
    expect(await namesOf(await start({ LOGWEIR_ENDPOINTS_DIR: folder }), "/api/endpoints")).toEqual(["own"]);
  },
  sourcesDir: async (start) => {
    const folder = await folderWith({ "own.yaml": "name: own\nkind: own_logs\n" });
    const endpoints = await folderWith({ "own.sql": ownEndpoint });
    const service = await start({ LOGWEIR_SOURCES_DIR: folder, LOGWEIR_ENDPOINTS_DIR: endpoints });
    expect(await namesOf(service, "/api/sources")).toEqual(expect.arrayContaining(["own"]));
    expect(await namesOf(service, "/api/sources")).not.toContain("edge");
  },
  alertsDir: async (start) => {
    const folder = await folderWith({ "own.yaml": "lql: 'f:edge'\nevery: 1h\n" });
    const named = await start({ LOGWEIR_ALERTS_DIR: folder });
    const alerts = (await manage(named, "GET", "/api/alerts")).body;
    expect(alerts).toMatchObject([{ name: "own", origin: "file", file: join(folder, "own.yaml") }]);
    expect((await manage(await start({}), "GET", "/api/alerts")).body).toEqual([]);
  },
  smtpUrl: async (start) => {
    const mail = await startMailServer();
    const env = { LOGWEIR_SMTP_URL: mail.url, LOGWEIR_SMTP_FROM: "alerts@here.example" };
    const alert = { name: "a", sql: "select 1", every: "1h", notify: [{ type: "email", to: ["ops@there.example"] }] };
    expect((await manage(await start(env), "POST", "/api/alerts", alert)).status).toBe(201);
    await waitUntil(() => mail.mails.length > 0, patienceMs, "a mail");
    expect(mail.mails).toMatchObject([{ from: "alerts@here.example", to: ["ops@there.example"] }]);
    await mail.close();
    expect((await manage(await start({}), "POST", "/api/alerts", alert)).status).toBe(422);
  },
  smtpFrom: async (start) => {
    const mail = await startMailServer();
    await expect(start({ LOGWEIR_SMTP_URL: mail.url })).rejects.toThrow("LOGWEIR_SMTP_FROM belong together");
    await mail.close();
  },
  shipped: async (start) => {
    const empty = await folderWith({});
    const names = async (env: Record<string, string>) =>
      namesOf(await start(env, { workingDir: empty }), "/api/endpoints");
    expect(await names({})).toContain("logs.all");
    expect(await names({ LOGWEIR_SHIPPED: "off" })).toEqual([]);
  },
  privateToken: fixedToken("LOGWEIR_PRIVATE_TOKEN", "/api/endpoints"),
  publicToken: async (start) => {
    const service = await start({});
    expect((await postEvents(service.url, "edge", events(1), { "x-api-key": publicToken })).status).toBe(200);
    expect([401, 403]).toContain(await statusOf(service, query, { "x-api-key": publicToken }));
  },
  apiKey: fixedToken("LOGWEIR_API_KEY", query, "/api/endpoints"),
  jwtKeys: signed("reads its tenant's rows"),
  jwtIssuer: signed("for others, or of others"),
  jwtAudience: signed("for others, or of others"),
  jwtRevoked: signed("ends by its id"),
  oidcIssuer: oidc("begins a session with the roles"),
  oidcClientId: oidc("begins a session with the roles"),
  oidcClientSecret: oidc("with a wrong secret"),
  oidcRolesClaim: oidc("takes the roles from the claim of the settings"),
  publicUrl: oidc("is sent back to the address of the settings"),
  oidcRoles: proxied("is who the proxy's header says"),
  trustedProxy: proxied("from any other address"),
  proxyUserHeader: proxied("is who the proxy's header says"),
  proxyGroupsHeader: proxied("has the roles of the groups"),
  allowWeakTokens: async (start) => {
    const weak = { LOGFLARE_API_KEY: "short", LOGWEIR_HOST: "0.0.0.0" };
    await expect(start(weak)).rejects.toThrow(/LOGWEIR_ALLOW_WEAK_TOKENS/);
    const service = await start({ ...weak, LOGWEIR_ALLOW_WEAK_TOKENS: "1" });
    expect(await statusOf(service, query, { "x-api-key": "short" })).toBe(200);
  },
  queryTimeoutMs: limits,
  maxConcurrentQueries: async (start) => {
    const one = { LOGWEIR_MAX_CONCURRENT_QUERIES: "1", LOGWEIR_MAX_QUEUED_QUERIES: "0" };
    const service = await start({ ...patient, ...one });
    const running = ask(service, busy(4));
    await waitUntil(async () => (await runningQueries(service)) === 1);
    const refused = await ask(service, "select 1 as n").answer;
    expect(await readError(refused)).toMatchObject({ status: 429, code: "too_many_queries" });
    running.leave();
    await waitUntil(async () => (await ask(service, "select 1 as n").answer).status === 200);
  },
  maxConcurrentQueriesPerToken: async (start) => {
    const two = { LOGWEIR_MAX_CONCURRENT_QUERIES: "2", LOGWEIR_MAX_CONCURRENT_QUERIES_PER_TOKEN: "1" };
    const service = await start({ ...patient, ...two, LOGWEIR_MAX_QUEUED_QUERIES: "1" });
    const [own, other] = [await tokenOf(service), await tokenOf(service)];
    const running = ask(service, busy(4), own);
    await waitUntil(async () => (await runningQueries(service)) === 1);
    const waiting = ask(service, "select 1 as n", own);
    let isAnswered = false;
    void waiting.answer.then(() => {
      isAnswered = true;
    });
    for (let i = 0; i < 5; i++) expect((await ask(service, "select 2 as n", other).answer).status).toBe(200);
    expect(isAnswered).toBe(false);
    running.leave();
    expect((await waiting.answer).status).toBe(200);
  },
  maxQueuedQueries: async (start) => {
    const two = { LOGWEIR_MAX_CONCURRENT_QUERIES: "1", LOGWEIR_MAX_QUEUED_QUERIES: "2" };
    const service = await start({ ...patient, ...two });
    const running = ask(service, busy(4));
    await waitUntil(async () => (await runningQueries(service)) === 1);
    const waiting = [ask(service, "select 1 as n"), ask(service, "select 2 as n")];
    await waitUntil(async () => (await metric(service, "queries_waiting")) === 2);
    expect((await ask(service, "select 3 as n").answer).status).toBe(429);
    running.leave();
    expect(await Promise.all(waiting.map(async ({ answer }) => (await answer).status))).toEqual([200, 200]);
  },
  maxRequestsPerMinute: async (start) => {
    const service = await start({ LOGWEIR_MAX_REQUESTS_PER_MINUTE: "12" }, stopped);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(service, `select ${i} as n`).answer).status);
    expect(statuses).toEqual([200, 200, 429]);
  },
  maxResultBytes: limits,
  maxRows: limits,
  maxQueryMemoryMb: limits,
  maxArrayElements: limits,
  maxStringBytes: limits,
  maxQueryCharacters: limits,
  maxQueryDepth: limits,
  unstoppableAfterMs: unstoppable,
  cacheMaxBytes: async (start) => {
    const service = await start({ LOGWEIR_CACHE_MAX_BYTES: "1000000" });
    const sql = "with t as (select @n as n, repeat('x', 400000) as text) select * from t";
    await create(service, { name: "large", query: sql, cache_seconds: 600, parameters: { n: { type: "int64" } } });
    const status = async (n: string) =>
      (await service.get("/api/endpoints/query/large", { n })).headers.get("cache-status")?.split(";")[1]?.trim();
    expect([await status("1"), await status("1")]).toEqual(["fwd=miss", "hit"]);
    for (const n of ["2", "3", "4"]) await status(n);
    expect([await status("4"), await status("1")]).toEqual(["hit", "fwd=miss"]);
  },
  maxBodyBytes: async (start) => {
    const service = await start({ LOGWEIR_MAX_BODY_BYTES: "1000" });
    const body = (length: number) => JSON.stringify({ event_message: "x".repeat(length - 20) }).padEnd(length);
    const gzip = { "content-encoding": "gzip" };
    expect((await postEvents(service.url, "edge", body(1000))).status).toBe(200);
    expect((await postEvents(service.url, "edge", body(1001))).status).toBe(413);
    expect((await postEvents(service.url, "edge", gzipSync(body(1000)), gzip)).status).toBe(200);
    expect((await postEvents(service.url, "edge", gzipSync(body(1001)), gzip)).status).toBe(413);
  },
  ...connectionAttempts,
  maxBodyEvents: async (start) => {
    const service = await start({ LOGWEIR_MAX_BODY_EVENTS: "2000" });
    // Read on the request loop, and off it.
    for (const length of [10, 1000]) {
      const fields = { text: "x".repeat(length) };
      expect((await postEvents(service.url, "edge", events(2000, fields))).status).toBe(200);
      const refused = await postEvents(service.url, "edge", events(2001, fields));
      expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining("max_body_events, 2000")]);
    }
  },
  autoSources: async (start) => {
    const service = await start({ LOGWEIR_AUTO_SOURCES: "1" });
    expect((await postEvents(service.url, "fresh", events(1))).status).toBe(200);
    expect((await postEvents(service.url, "fresher", events(1))).status).not.toBe(200);
    expect((await postEvents((await start({})).url, "fresh", events(1))).status).not.toBe(200);
  },
  drainMaxMb: async (start) => {
    const service = await start({ LOGWEIR_DRAIN_MAX_MB: "1", LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" });
    const config = { url: `http://127.0.0.1:${await freePort()}/` };
    const made = await manage(service, "POST", "/api/backends", { name: "away", type: "webhook", config });
    await manage(service, "POST", "/api/rules", { backend_id: made.body.id, source_id: "edge" });
    // Ids are what it keeps of events that wait.
    for (let i = 0; i < 8; i++) expect((await postEvents(service.url, "edge", largeEvents("id"))).status).toBe(200);
    await expect
      .poll(async () => JSON.stringify((await manage(service, "GET", "/api/backends")).body))
      .toMatch(/"dropped":[1-9]/);
  },
  privateDestinations: async (start) => {
    const service = await start({ LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.0/30, ::1" });
    const make = async (host: string, at = service) => {
      const config = { url: `http://${host}:9/` };
      return (await manage(at, "POST", "/api/backends", { name: "near", type: "webhook", config })).status;
    };
    expect([await make("127.0.0.3"), await make("[::1]")]).toEqual([201, 201]);
    expect([await make("127.0.0.4"), await make("[::]"), await make("10.0.0.1")]).toEqual([422, 422, 422]);
    const other = await start({});
    expect([await make("127.0.0.3", other), await make("8.8.8.8", other)]).toEqual([422, 201]);
  },
  maxIngestEventsPerMinute: async (start) => {
    const service = await start({ LOGWEIR_MAX_INGEST_EVENTS_PER_MINUTE: "60" }, stopped);
    const first = await postEvents(service.url, "edge", events(60));
    const refused = await postEvents(service.url, "edge", events(60));
    expect(first.status).toBe(200);
    expect(await readError(refused)).toMatchObject({ status: 429, limit: "max_ingest_events_per_minute" });
  },
  maxIngestBytesPerMinute: async (start) => {
    const service = await start({ LOGWEIR_MAX_INGEST_BYTES_PER_MINUTE: "3000" }, stopped);
    const text = { text: "x".repeat(2500) };
    expect((await postEvents(service.url, "edge", events(1, text))).status).toBe(200);
    const refused = await postEvents(service.url, "edge", events(1, text));
    expect(await readError(refused)).toMatchObject({ status: 429, limit: "max_ingest_bytes_per_minute" });
  },
  maxTenantEventsPerMinute: async (start) => {
    const service = await start({ LOGWEIR_MAX_TENANT_EVENTS_PER_MINUTE: "60" }, stopped);
    expect((await postEvents(service.url, "edge", events(60, { project: "abc" }))).status).toBe(200);
    const refused = await postEvents(service.url, "edge", events(60, { project: "abc" }));
    expect(await readError(refused)).toMatchObject({ status: 429, limit: "max_tenant_events_per_minute" });
    expect((await postEvents(service.url, "edge", events(60, { project: "xyz" }))).status).toBe(200);
  },
  maxTenantBytesPerMinute: async (start) => {
    const service = await start({ LOGWEIR_MAX_TENANT_BYTES_PER_MINUTE: "3000" }, stopped);
    const one = (project: string) => events(1, { project, text: "x".repeat(2500) });
    expect((await postEvents(service.url, "edge", one("abc"))).status).toBe(200);
    const refused = await postEvents(service.url, "edge", one("abc"));
    expect(await readError(refused)).toMatchObject({ status: 429, limit: "max_tenant_bytes_per_minute" });
    expect((await postEvents(service.url, "edge", one("xyz"))).status).toBe(200);
  },
  repeatWindowHours: sameIds,
  maxTenantColumns: columns,
  maxTenantColumnPercent: columns,
  syslogPort: async (start) => {
    const port = await freePort();
    const service = await start({ LOGWEIR_SYSLOG_PORT: port });
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("<34>1 2026-08-20T09:00:00Z host app - - - hello from the suite\n");
    const sql = "select count(*) as n from syslog where event_message like '%hello from the suite%'";
    const count = async () => ((await (await service.get("/api/query", { sql })).json()) as Counted).result[0]?.n;
    await waitUntil(async () => (await count()) === 1);
  },
  engineMemoryMb: async (start) => {
    const sql =
      "select array_length(array_agg(repeat('x', 1000) || cast(a * 1000 + b as string))) as n from " +
      "unnest(generate_array(1, 600)) a cross join unnest(generate_array(1, 300)) b";
    const small = await ask(await start({ LOGWEIR_ENGINE_MEMORY_MB: "128" }), sql).answer;
    expect(await readError(small)).toMatchObject({ status: 422, code: "memory_exceeded" });
    expect((await ask(await start({ LOGWEIR_ENGINE_MEMORY_MB: "2000" }), sql).answer).status).toBe(200);
  },
  shutdownTimeoutMs: async (start) => {
    for (const [value, deadline, isAnswered] of [
      ["0", "600000", false],
      ["600000", "2000", true],
    ] as const) {
      const service = await start({ LOGWEIR_SHUTDOWN_TIMEOUT_MS: value, LOGWEIR_QUERY_TIMEOUT_MS: deadline });
      const { answer } = ask(service, busy(4));
      await waitUntil(async () => (await runningQueries(service)) === 1);
      const stopped = service.stop();
      expect(
        await answer.then(
          ({ status }) => status === 504,
          () => false,
        ),
      ).toBe(isAnswered);
      await stopped;
    }
  },
  audit: { file: "test/acceptance/audit.test.ts", title: "omits endpoint runs when it is" },
  auditRetentionDays: async (start) => {
    const service = await start({ LOGWEIR_AUDIT_RETENTION_DAYS: "3" });
    const source = (await (await service.get("/api/sources/logweir.audit")).json()) as { retention_days: number };
    expect(source.retention_days).toBe(3);
  },
  maxStoreMb: keepsWithin("LOGWEIR_MAX_STORE_MB", "1", "1000"),
  minFreeMb: keepsWithin("LOGWEIR_MIN_FREE_MB", "1000000000", "1"),
  metricsOpen: async (start) => {
    expect(await statusOf(await start({ LOGWEIR_METRICS_OPEN: "true" }), "/metrics")).toBe(200);
    expect(await statusOf(await start({}), "/metrics")).toBe(401);
  },
  console: async (start) => {
    const typeOf = async (service: Service) =>
      (await fetch(`${service.url}/`, { headers: { accept: "text/html" } })).headers.get("content-type")?.split(";")[0];
    expect(await typeOf(await start({ LOGWEIR_CONSOLE: "off" }))).toBe("application/json");
    expect(await typeOf(await start({}))).toBe("text/html");
  },
  logLevel: async () => {
    for (const [level, isTold] of [
      ["info", true],
      ["error", false],
    ] as const) {
      const service = await startServiceProcess({ env: { LOGWEIR_LOG_LEVEL: level } });
      await service.get(query);
      await service.stop();
      expect(/"level":(?:30|"info")/.test(service.output())).toBe(isTold);
    }
  },
};

interface Counted {
  readonly result: readonly { readonly n: number }[];
}

/** A gauge of the metrics. */
async function metric(service: Service, name: string): Promise<number> {
  const text = await (await service.get("/metrics")).text();
  return Number(new RegExp(`^logweir_${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}

function runningQueries(service: Service): Promise<number> {
  return metric(service, "queries_running");
}
