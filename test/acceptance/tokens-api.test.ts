import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf } from "../support/run-command.ts";
import { privateToken, readError, type Service, startService } from "./service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

async function api<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(`${service.url}/api/access-tokens${path}`, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
}

interface MadeToken {
  readonly id: string;
  readonly token: string;
  readonly status: string;
}

const make = async (document: object) => (await api<MadeToken>("POST", "", document)).body;

const query = (token: string, parameters: Record<string, string> = { project: "abc" }) =>
  service.get("/api/endpoints/query/usage.api-counts", { interval: "daily", ...parameters }, { "x-api-key": token });

/** Sequential calls on one connection. */
function onOneConnection(token: string): { ask(): Promise<number>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${service.url}/api/endpoints/query/usage.api-counts?interval=daily&project=abc`;
  return {
    ask: () =>
      new Promise((resolve, reject) => {
        request(url, { agent, headers: { "x-api-key": token } }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode ?? 0));
        })
          .on("error", reject)
          .end();
      }),
    close: () => agent.destroy(),
  };
}

describe("tokens over HTTP", () => {
  it("work immediately, and are refused from the next request after DELETE, even on an open connection", async () => {
    const { id, token } = await make({ scopes: ["query"] });
    const connection = onOneConnection(token);
    for (let call = 0; call < 5; call++) expect(await connection.ask()).toBe(200);
    expect((await api("DELETE", `/${id}`)).status).toBe(204);
    for (let call = 0; call < 5; call++) expect(await connection.ask()).toBe(401);
    connection.close();
  });

  it("are refused for every call that starts after the answer to DELETE, even under concurrent calls", async () => {
    const { id, token } = await make({ scopes: ["query"] });
    let isDeleted = false;
    let late = 0;
    let allowed = 0;
    const caller = async () => {
      for (let call = 0; call < 40; call++) {
        const beganLate = isDeleted;
        const { status } = await query(token, { project: `p${call % 7}` });
        if (status === 200 && beganLate) late++;
        if (status === 200) allowed++;
      }
    };
    const callers = Promise.all([caller(), caller(), caller(), caller()]);
    await query(token);
    await api("DELETE", `/${id}`);
    isDeleted = true;
    await callers;
    expect(late).toBe(0);
    expect(allowed).toBeLessThan(160);
  });

  it("can be rotated: the old value is refused and the new one has the same rights", async () => {
    const { id, token } = await make({ scopes: ["query"], pins: { project: "abc" } });
    expect((await query(token)).status).toBe(200);
    const { body } = await api<MadeToken>("POST", `/${id}/rotate`);
    expect((await query(token)).status).toBe(401);
    expect((await query(body.token)).status).toBe(200);
    expect((await query(body.token, { project: "xyz" })).status).toBe(403);
  });

  it("of owners with required redaction see redacted events only", async () => {
    const { token } = await make({ scopes: ["private"], redaction: "required" });
    await service.ingest("rest", [{ id: "r1", timestamp: "2026-08-20T09:00:00Z", message: "from 203.0.113.9" }]);
    const get = async (path: string, parameters: Record<string, string> = {}) =>
      (await service.get(path, parameters, { "x-api-key": token, "lf-endpoint-redact-pii": "false" })).text();
    expect(await get("/api/sources/rest/recent")).toContain("from REDACTED");
    const answer = await get("/api/query", { sql: "select reverse(event_message) as m from rest" });
    expect(answer).toContain("insufficient_scope");
    expect(await get("/api/store/backup")).toContain("insufficient_scope");
  });

  it("of owners with required redaction make nothing that shows what they may not see", async () => {
    const { token } = await make({ scopes: ["private"], redaction: "required" });
    const endless = await make({ scopes: ["private"] });
    const send = async (method: string, path: string, body: object, secret = token) => {
      const headers = { "x-api-key": secret, "content-type": "application/json" };
      const response = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json().catch(() => ({}))) as Record<string, unknown> };
    };
    const query = "WITH r AS (SELECT * FROM rest) SELECT REVERSE(event_message) AS m FROM r";
    const saved = { name: "reversed", query };
    expect((await send("POST", "/api/endpoints", saved)).status).toBe(401);
    expect((await send("POST", "/api/endpoints", saved, endless.token)).status).toBe(201);
    expect((await send("PATCH", "/api/endpoints/reversed", { query })).status).toBe(401);
    expect((await send("PUT", "/api/endpoints/reversed", saved)).status).toBe(401);
    const backend = { name: "b", type: "webhook", config: { url: "https://example.org/" } };
    expect((await send("POST", "/api/backends", backend)).status).toBe(401);
    expect((await send("POST", "/api/backends/1/test", {})).status).toBe(401);
    expect((await send("POST", "/api/rules", { source: "rest", backend_id: "1" })).status).toBe(401);
    // A token of its own is bound in the same way, and it cannot take over one that is not.
    expect((await send("POST", "/api/access-tokens", { scopes: ["private"] })).body.redaction).toBe("required");
    const wider = { scopes: ["private"], redaction: "switchable" };
    expect((await send("POST", "/api/access-tokens", wider)).status).toBe(422);
    expect((await send("POST", `/api/access-tokens/${endless.id}/rotate`, {})).status).toBe(401);
    // What another owner saved computes on raw values; a query of the token's own does not.
    await service.ingest("rest", [{ id: "r2", timestamp: "2026-08-20T09:00:00Z", message: "from 203.0.113.9" }]);
    const own = await service.get(
      "/api/endpoints/query/source:rest",
      { sql: "SELECT REVERSE(event_message) AS m FROM rest" },
      { "x-api-key": token },
    );
    expect(await own.text()).not.toContain("9.311.0.302");
  });

  it("make tokens that end no later than they do, whichever way", async () => {
    const { token } = await make({ scopes: ["private"], expires: "2m" });
    const call = async (path: string, body: object, secret = token) => {
      const headers = { "x-api-key": secret, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${service.url}/api/access-tokens${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const end = Date.now() + 120_000;
    const inherited = await call("", { scopes: ["private"] });
    expect(Date.parse(inherited.body.expires_at ?? "")).toBeLessThanOrEqual(end);
    expect((await call("", { scopes: ["query"], expires: "1m" })).status).toBe(201);
    for (const more of [{ expires: "3m" }, { expires_at: "2999-01-01" }]) {
      expect((await call("", { scopes: ["query"], ...more })).status).toBe(422);
    }
    // A token that it made makes none that ends later either.
    expect((await call("", { scopes: ["query"], expires: "3m" }, inherited.body.token)).status).toBe(422);
    // It gets the value of none that ends later, and renews itself without a later end.
    const endless = await make({ scopes: ["query"] });
    expect((await call(`/${endless.id}/rotate`, {})).status).toBe(401);
    expect((await call(`/${endless.id}/rotate`, { grace: "1h" })).status).toBe(401);
    const renewed = await call(`/${token}/rotate`, { grace: "1m" });
    expect([renewed.status, Date.parse(renewed.body.expires_at ?? "") <= end]).toEqual([200, true]);
    // The replaced value ends with its grace, so that it gets nothing which ends with the token.
    expect((await call(`/${renewed.body.id}/rotate`, {}, token)).status).toBe(401);
    const short = await call("", { scopes: ["query"] }, token);
    expect(Date.parse(short.body.expires_at ?? "")).toBeLessThanOrEqual(end - 50_000);
  });

  it("are refused with every problem by field", async () => {
    const response = await fetch(`${service.url}/api/access-tokens`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/json" },
      body: JSON.stringify({ scopes: ["everything"], pins: 3, expires: "soon" }),
    });
    const error = await readError(response);
    expect(error).toMatchObject({ code: "validation_failed", status: 422 });
    expect(Object.keys(error.fields as object).sort()).toEqual(["expires", "pins", "scopes"]);
  });
});

describe("token commands beside a running service", () => {
  const logweir = (...args: string[]) => outputOf(["token", ...args], { LOGWEIR_DATA_DIR: service.dataDir });

  it("and the API see each other's tokens, and rotations and revocations take effect in the service", async () => {
    const { id } = await make({ scopes: ["query"] });
    const listed = JSON.parse(await logweir("list", "--json")) as MadeToken[];
    expect(listed.find((each) => each.id === id)?.status).toBe("active");
    const made = JSON.parse(await logweir("create", "--scope", "query", "--json")) as MadeToken;
    expect((await api<MadeToken>("GET", `/${made.id}`)).body.status).toBe("active");
    expect((await query(made.token)).status).toBe(200);
    const rotated = JSON.parse(await logweir("rotate", made.id, "--json")) as MadeToken;
    await expect.poll(async () => (await query(made.token)).status).toBe(401);
    expect((await query(rotated.token)).status).toBe(200);
    await logweir("revoke", made.id);
    await expect.poll(async () => (await query(rotated.token)).status).toBe(401);
  }, 60_000);
});
