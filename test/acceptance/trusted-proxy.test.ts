import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, readError, type Service, startService } from "./service.ts";

let service: Service;
const roles = {
  owner: "private",
  careful: { scopes: "private", redaction: "required" },
  support: { scopes: "query", pins: { project: "abc" }, redaction: "required" },
  both: { scopes: "query", pins: { project: ["abc", "xyz"] } },
};
const env = {
  LOGWEIR_TRUSTED_PROXY: "127.0.0.1",
  LOGWEIR_PROXY_USER_HEADER: "X-Forwarded-User",
  LOGWEIR_OIDC_ROLES: JSON.stringify(roles),
};
const console = { "x-logweir-session": "1" };

beforeAll(async () => {
  service = await startService({ env });
  await service.ingest("edge", [
    { id: "a1", timestamp: "2026-08-20T09:00:00Z", project: "abc", event_message: "mail ann@example.com" },
    { id: "x1", timestamp: "2026-08-20T09:00:00Z", project: "xyz" },
  ]);
});
afterAll(() => service.stop());

const ask = (user: string, path: string, headers: Record<string, string> = {}, at = service) =>
  at.get(path, {}, { "x-forwarded-user": user, ...headers });
const query = (project: string) =>
  `/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql: "select id, event_message from edge_logs" })}`;
const send = (user: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/views`, {
    method: "POST",
    headers: { "x-forwarded-user": user, "content-type": "application/json", ...headers },
    body: "{}",
  });

describe("a person whom a trusted proxy names", () => {
  it("is who the proxy's header says, with the rights of their role", async () => {
    const session = (await (await ask("owner", "/api/session")).json()) as Record<string, unknown>;
    expect(session).toMatchObject({ person: { name: "owner", way: "proxy" }, may: { manage: true } });
    expect(await (await ask("owner", "/api/sign-in")).json()).toEqual({
      issuer: null,
      is_signed_in: true,
      problem: null,
    });
    expect(await (await ask("eve", "/api/sign-in")).json()).toMatchObject({
      ...{ is_signed_in: false, problem: { code: "insufficient_scope" } },
    });
    expect(await readError(await ask("eve", "/api/session"))).toMatchObject({
      ...{ code: "insufficient_scope", message: expect.stringContaining("eve is signed in, but has no role") },
    });
    expect((await ask("", "/api/session")).status).toBe(401);
  });

  it("has the roles of the groups where a header names them, instead of those of the name", async () => {
    const grouped = await startService({ env: { ...env, LOGWEIR_PROXY_GROUPS_HEADER: "X-Forwarded-Groups" } });
    try {
      expect((await ask("owner", "/api/session", {}, grouped)).status).toBe(401);
      expect((await ask("eve", "/api/session", { "x-forwarded-groups": "a, owner" }, grouped)).status).toBe(200);
    } finally {
      await grouped.stop();
    }
  });

  it("reads the rows of their tenants, redacted as the role says", async () => {
    expect(await (await ask("support", query("abc"))).json()).toMatchObject({
      result: [{ id: "a1", event_message: "mail REDACTED" }],
    });
    const clear = await ask("support", query("abc"), { "lf-endpoint-redact-pii": "false" });
    expect(await clear.json()).toMatchObject({ result: [{ event_message: "mail REDACTED" }] });
    expect(await readError(await ask("support", query("xyz")))).toMatchObject({ code: "pinned_parameter" });
    expect(await (await ask("both", query("xyz"))).json()).toMatchObject({ result: [{ id: "x1" }] });
    expect((await ask("support", "/api/sources")).status).toBe(401);
    expect((await ask("careful", "/api/sources/edge/recent")).status).toBe(200);
    expect(await readError(await ask("careful", "/api/query?sql=select+1"))).toMatchObject({
      message: expect.stringContaining("must see redacted data"),
    });
  });

  it("is answered nothing that a browser's cache may keep", async () => {
    const answer = await ask("support", "/api/endpoints/query/usage.api-counts?project=abc");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("is named by the audit", async () => {
    await ask("owner", query("abc"));
    await expect
      .poll(async () => (await service.get("/api/sources/logweir.audit/recent")).text())
      .toMatch(/"actor":"proxy:owner:[0-9a-f]{12}"/);
  });

  it("gives way to a token that was sent, also to a wrong one", async () => {
    expect((await ask("owner", "/api/session", { "x-api-key": "wrong" })).status).toBe(401);
    expect((await ask("owner", "/api/session?api_key=wrong")).status).toBe(401);
  });

  it.each<[string, Record<string, string>]>([
    ["the console's header", console],
    ["no header of the console's", {}],
  ])("gives way to a token in the body, with %s", async (_, headers) => {
    const answerTo = async (parameters: Record<string, unknown>) => {
      const body = JSON.stringify({ project: "abc", sql: "select id from edge_logs", ...parameters });
      const more = { "x-forwarded-user": "owner", "content-type": "application/json", ...headers };
      const answer = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
        method: "POST",
        headers: more,
        body,
      });
      return answer.status;
    };
    expect(await answerTo({})).toBe("x-logweir-session" in headers ? 200 : 403);
    expect(await answerTo({ api_key: privateToken })).toBe(200);
    for (const wrong of ["wrong", "", 5, null]) expect(await answerTo({ api_key: wrong })).toBe(401);
  });
});

describe("a header of a person", () => {
  it("from any other address names nobody, whatever else is forwarded", async () => {
    const other = await startService({ env: { ...env, LOGWEIR_TRUSTED_PROXY: "127.0.0.2, 10.0.0.0/8" } });
    try {
      for (const forwarded of ["127.0.0.2", "10.0.0.1, 127.0.0.2"]) {
        const headers = {
          "x-forwarded-for": forwarded,
          "x-real-ip": forwarded,
          forwarded: `for=${forwarded}`,
          ...console,
        };
        expect((await ask("owner", "/api/session", headers, other)).status).toBe(401);
      }
      expect(await (await ask("owner", "/api/sign-in", {}, other)).json()).toEqual({
        ...{ issuer: null, is_signed_in: false },
        problem: null,
      });
    } finally {
      await other.stop();
    }
  });

  it("that came twice is refused, since the caller may have added one", async () => {
    const headers = new Headers(console);
    headers.append("x-forwarded-user", "owner");
    headers.append("x-forwarded-user", "support");
    // Fetch joins them into one value, which is nobody's name.
    const answer = await fetch(`${service.url}/api/session`, { headers });
    expect((await readError(answer)).message).toContain("owner, support is signed in, but has no role");
  });
});

describe("another page, in the browser of a person", () => {
  const evil = "https://evil.example";
  it.each<[string, Record<string, string>]>([
    ["a form of another site", { origin: evil, "sec-fetch-site": "cross-site" }],
    ["a form of a neighbour", { origin: "http://other.localhost", "sec-fetch-site": "same-site" }],
    ["a form of a page without origin", { origin: "null" }],
    ["a form of an old browser", {}],
  ])("cannot change anything by %s", async (_, headers) => {
    expect(await readError(await send("owner", headers))).toMatchObject({ status: 403, code: "foreign_origin" });
  });

  it.each<[string, Record<string, string>]>([
    ["a script", { origin: evil }],
    ["an image", { "sec-fetch-site": "cross-site" }],
    ["an image of a neighbour", { "sec-fetch-site": "same-site" }],
  ])("cannot read by %s", async (_, headers) => {
    expect(await readError(await ask("owner", "/api/session", headers))).toMatchObject({ code: "foreign_origin" });
    expect(await (await ask("eve", "/api/sign-in", headers)).json()).toEqual({
      issuer: null,
      is_signed_in: false,
      problem: null,
    });
  });

  it("may not send the console's header", async () => {
    const preflight = await fetch(`${service.url}/api/views`, {
      method: "OPTIONS",
      headers: {
        origin: evil,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-logweir-session",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).not.toMatch(/x-logweir-session/i);
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("is not the console, whose calls are answered", async () => {
    expect((await send("owner", { origin: service.url, "sec-fetch-site": "same-origin", ...console })).status).toBe(
      422,
    );
  });
});

it.each<[Record<string, string>, string]>([
  [{ LOGWEIR_TRUSTED_PROXY: "127.0.0.1" }, "LOGWEIR_TRUSTED_PROXY and LOGWEIR_PROXY_USER_HEADER belong together"],
  [{ LOGWEIR_PROXY_USER_HEADER: "x-user" }, "LOGWEIR_TRUSTED_PROXY and LOGWEIR_PROXY_USER_HEADER belong together"],
  [{ LOGWEIR_PROXY_GROUPS_HEADER: "x-groups" }, "LOGWEIR_PROXY_GROUPS_HEADER: needs LOGWEIR_TRUSTED_PROXY"],
  [{ ...env, LOGWEIR_OIDC_ROLES: "" }, "LOGWEIR_TRUSTED_PROXY: needs LOGWEIR_OIDC_ROLES"],
  [{ ...env, LOGWEIR_OIDC_ROLES: "admins" }, "LOGWEIR_OIDC_ROLES: must be a JSON object of roles"],
  [{ LOGWEIR_OIDC_ROLES: '{"a": "query"}' }, "LOGWEIR_OIDC_ROLES: needs"],
  [{ ...env, LOGWEIR_TRUSTED_PROXY: "proxy.local" }, 'LOGWEIR_TRUSTED_PROXY: "proxy.local" is no address or network'],
  [{ ...env, LOGWEIR_TRUSTED_PROXY: "10.0.0.0/33" }, "must have a prefix of 0 to 32"],
  [{ ...env, LOGWEIR_PROXY_USER_HEADER: "x user" }, "LOGWEIR_PROXY_USER_HEADER: must be the name of a header"],
])("a service does not start with %j", async (wrong, message) => {
  await expect(startService({ env: wrong }).then((started) => started.stop())).rejects.toThrow(message);
});
