import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf } from "../support/run-command.ts";
import { readStoredTexts } from "../support/stored-texts.ts";
import {
  postEvents,
  privateToken,
  publicToken,
  readError,
  type ServiceProcess,
  startService,
  startServiceProcess,
} from "./service.ts";

let service: ServiceProcess;

interface Audited {
  readonly event_message: string;
  readonly metadata: readonly [Readonly<Record<string, string | number | boolean>>];
}

beforeAll(async () => {
  service = await startServiceProcess();
});

afterAll(async () => {
  await service.stop();
});

const api = (method: string, path: string, body?: unknown, token = privateToken) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function events(): Promise<readonly Audited["metadata"][0][]> {
  const response = await service.get("/api/sources/logweir.audit/recent", { limit: "1000" });
  expect(response.status).toBe(200);
  return ((await response.json()) as Audited[]).map(({ metadata: [fields] }) => fields);
}

/** The newest event with these fields, once it is there. */
async function audited(like: Record<string, unknown>): Promise<Audited["metadata"][0]> {
  let found: Audited["metadata"][0] | undefined;
  await expect
    .poll(async () => {
      found = (await events()).find((each) => Object.entries(like).every(([key, value]) => each[key] === value));
      return found !== undefined;
    })
    .toBe(true);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

async function makeToken(document: object): Promise<{ readonly id: string; readonly token: string }> {
  const response = await api("POST", "/api/access-tokens", document);
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; token: string };
}

const ask = (token: string, parameters: Record<string, string>, endpoint = "logs.all") =>
  service.get(`/api/endpoints/query/${endpoint}`, parameters, { "x-api-key": token });

describe("the audit", () => {
  it("records a run with its actor, version, parameters, redaction and outcome", async () => {
    const { id, token } = await makeToken({ scopes: ["query"] });
    const headers = { "x-api-key": token, "lf-endpoint-redact-pii": "true" };
    const parameters = { project: "audited-run", sql: "select count(*) as n from edge_logs" };
    expect((await service.get("/api/endpoints/query/logs.all", parameters, headers)).status).toBe(200);
    expect(await audited({ actor: id, action: "endpoint.run" })).toMatchObject({
      outcome: "ok",
      status: 200,
      endpoint: "logs.all",
      endpoint_id: "1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690",
      version: 1,
      parameters: '{"project":"audited-run"}',
      query_language: "sql",
      query_digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      redacted: true,
      cache: "none",
      rows: 1,
      count: 1,
    });
    await ask(token, { project: "audited-run", sql: "select nope from edge_logs" });
    expect(await audited({ actor: id, outcome: "unknown_column" })).toMatchObject({ status: 400 });
  });

  it("counts cache hits together in a few events", async () => {
    const { id, token } = await makeToken({ scopes: ["query"] });
    const parameters = { project: "counted", interval: "daily" };
    for (let call = 0; call < 20; call++) {
      expect((await ask(token, parameters, "usage.api-counts")).status).toBe(200);
    }
    await audited({ actor: id, cache: "miss" });
    await expect
      .poll(async () => {
        const hits = (await events()).filter(({ actor, cache }) => actor === id && cache === "hit");
        return [hits.length < 5, hits.reduce((sum, { count }) => sum + Number(count), 0)];
      })
      .toEqual([true, 19]);
  });

  it("records changes to tokens, sources and the cache, and refused calls", async () => {
    const { id, token } = await makeToken({ scopes: ["ingest"], pins: { project: "pinned-value" } });
    await api("POST", `/api/access-tokens/${id}/rotate`);
    await api("DELETE", `/api/access-tokens/${id}`);
    await api("POST", "/api/sources", { name: "audited_source" });
    await api("DELETE", "/api/sources/audited_source");
    await api("POST", "/api/cache/clear");
    await api("GET", "/api/access-tokens", undefined, token);
    const made = await audited({ action: "token.create", target: id });
    expect(made.actor).toBe("private_token");
    expect(made.details).toContain('"scopes":"ingest"');
    for (const action of ["token.rotate", "token.revoke"]) await audited({ action, target: id });
    for (const action of ["source.create", "source.delete"]) await audited({ action, target: "audited_source" });
    await audited({ action: "cache.clear", actor: "private_token" });
    expect(await audited({ action: "access.refused", outcome: "unauthorized" })).toMatchObject({
      route: "/api/access-tokens",
      status: 401,
    });
    expect(JSON.stringify(await events())).not.toContain("pinned-value");
  });

  it("records what a command does on the data folder", async () => {
    const args = ["token", "create", "--scope", "query", "--json"];
    const output = await outputOf(args, { LOGWEIR_DATA_DIR: service.dataDir });
    const { id } = JSON.parse(output) as { id: string };
    expect(await audited({ action: "token.create", target: id })).toMatchObject({ actor: "command" });
  });

  it("is a read-only source that only owners can query", async () => {
    const schema = (await (
      await service.get("/api/sources/logweir.audit/schema", { variant: "dot" })
    ).json()) as object;
    expect(schema).toMatchObject({ "metadata.actor": "STRING", "metadata.rows": "INT64" });
    for (const token of [privateToken, publicToken]) {
      const refused = await postEvents(service.url, "logweir.audit", "[]", { "x-api-key": token });
      expect(await readError(refused)).toMatchObject({ code: "source_read_only", status: 409 });
    }
    const { token } = await makeToken({ scopes: ["query"] });
    const denied = await ask(token, { project: "x", sql: "select * from `logweir.audit`" });
    expect(await readError(denied)).toMatchObject({ code: "sandbox_table_denied" });
    for (const path of ["", "/schema", "/events", "/recent"]) {
      const response = await service.get(`/api/sources/logweir.audit${path}`, {}, { "x-api-key": token });
      expect(response.status).toBe(401);
    }
  });

  it("contains no token, address, e-mail or query text, and neither does the log", async () => {
    const { id, token } = await makeToken({ scopes: ["query"] });
    const secrets = [
      token,
      privateToken,
      publicToken,
      "alice.audit@example.com",
      "bob.audit@example.org",
      "203.0.113.77",
      "198.51.100.23",
      "2001:db8:77::9",
      "4111 1111 1111 1111",
      "word-in-a-query",
    ];
    for (const [index, secret] of secrets.entries()) {
      const headers = {
        "x-api-key": token,
        "x-forwarded-for": secret,
        "user-agent": secret,
        referer: `http://x/${encodeURIComponent(secret)}`,
        cookie: secret,
      };
      const parameters = {
        project: index === secrets.length - 1 ? "p" : `before ${secret} after`,
        sql: `select '${secret}' as s from edge_logs where event_message = '${secret}'`,
        unknown: secret,
      };
      expect((await service.get("/api/endpoints/query/logs.all", parameters, headers)).status).toBe(200);
      const url = `${service.url}/api/endpoints/query/logs.all?api_key=${encodeURIComponent(secret)}`;
      await fetch(url, { method: "POST", headers: { "user-agent": secret, "content-type": "text/x" }, body: secret });
      await api("GET", `/api/access-tokens/${encodeURIComponent(secret)}`);
      await api("GET", `/api/sources/${encodeURIComponent(secret)}`, undefined, secret.replaceAll(/[^\x21-\x7e]/g, ""));
    }
    expect((await service.get("/api/endpoints/query/logs.all", { api_key: token, project: token }, {})).status).toBe(
      200,
    );
    await audited({ actor: id, parameters: '{"project":"REDACTED"}' });
    const everything = JSON.stringify(await events()) + service.output();
    expect(everything).toContain("before REDACTED after");
    const stored = await readStoredTexts(service.dataDir);
    for (const secret of secrets) {
      expect(everything, secret).not.toContain(secret);
      expect(everything, secret).not.toContain(encodeURIComponent(secret));
      expect(
        stored.some((text) => text.includes(secret)),
        secret,
      ).toBe(false);
    }
  });

  it("is written to the log as structured lines", async () => {
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { level: string; audit?: Record<string, unknown> });
    const actions = new Set(lines.map(({ audit }) => audit?.action));
    for (const action of ["endpoint.run", "token.create", "source.create", "access.refused"]) {
      expect(actions).toContain(action);
    }
  });
});

describe("the audit setting", () => {
  it('omits endpoint runs when it is "changes"', async () => {
    const quiet = await startService({ env: { LOGWEIR_AUDIT: "changes" } });
    try {
      await quiet.rows("logs.all", { project: "x" });
      await fetch(`${quiet.url}/api/cache/clear`, { method: "POST", headers: { "x-api-key": privateToken } });
      const read = async () => {
        const response = await quiet.get("/api/sources/logweir.audit/recent");
        return ((await response.json()) as Audited[]).map(({ metadata: [{ action }] }) => action);
      };
      await expect.poll(read).toEqual(["cache.clear"]);
    } finally {
      await quiet.stop();
    }
  }, 60_000);
});

it("the last event that the audit recorded before a stop is there after a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-audit-"));
  const first = await startService({ dataDir });
  await first.rows("logs.all", { project: "the-last-call" });
  await first.stop();
  const second = await startService({ dataDir });
  try {
    const response = await second.get("/api/sources/logweir.audit/recent");
    expect(JSON.stringify(await response.json())).toContain("the-last-call");
  } finally {
    await second.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);
