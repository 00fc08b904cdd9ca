import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import { type CookieBrowser, createCookieBrowser } from "../support/cookie-browser.ts";
import { type OidcIssuer, startOidcIssuer } from "../support/oidc-issuer.ts";
import { readError, type Service, type StartHereOptions, startService } from "./service.ts";
import { it } from "./shared-service.ts";

let issuer: OidcIssuer;
let service: Service;
let env: Record<string, string>;
let browser: CookieBrowser;

const roles = {
  owners: "private",
  support: { scopes: ["query"], pins: { project: "abc" }, redaction: "required" },
  customers: { scopes: ["query"], pins: { project: { claim: "org" } } },
  short: { scopes: ["query"], expires: "1m" },
};
const console = { "x-logweir-session": "1" };

beforeAll(async () => {
  issuer = await startOidcIssuer();
  Object.assign(issuer.people.claims, {
    ada: { email: "ada@example.com", email_verified: true, name: "Ada <b>Lovelace</b>", groups: ["owners"] },
    bob: { email: "owner@example.com", email_verified: false, groups: ["support", "others"] },
    cyd: { groups: "customers", org: "xyz" },
    dan: { groups: ["customers"] },
    eve: { groups: ["nobody"], realm_access: { roles: ["owners"] } },
    fay: { groups: ["short"] },
  });
  env = {
    LOGWEIR_OIDC_ISSUER: issuer.url,
    LOGWEIR_OIDC_CLIENT_ID: issuer.clientId,
    LOGWEIR_OIDC_CLIENT_SECRET: issuer.clientSecret,
    LOGWEIR_OIDC_ROLES: JSON.stringify(roles),
  };
  service = await startService({ env });
  await service.ingest("edge", [
    { id: "a1", timestamp: "2026-08-20T09:00:00Z", project: "abc", event_message: "mail ann@example.com" },
    { id: "x1", timestamp: "2026-08-20T09:00:00Z", project: "xyz" },
  ]);
});

afterAll(async () => {
  await service.stop();
  await issuer.close();
});

beforeEach(() => {
  issuer.serve(service.url);
  browser = createCookieBrowser();
});

/** Signs in as somebody, and gives where that leads. */
async function signIn(who: string, at = service, by = browser): Promise<string> {
  issuer.people.current = who;
  return (await by.open(`${at.url}/api/sign-in/start`)).url;
}

function otherBrowser(): CookieBrowser {
  browser = createCookieBrowser();
  return browser;
}

/** Begins to sign in, and ends with the address that the issuer sends the browser to. */
async function comeBack(who: string, by = browser): Promise<string> {
  issuer.people.current = who;
  const isEnd = (url: string) => url.startsWith(`${service.url}/api/sign-in/callback`);
  return (await by.open(`${service.url}/api/sign-in/start`, isEnd)).url;
}

const ask = (path: string, headers: Record<string, string> = {}, at = service, by = browser) =>
  by.fetch(`${at.url}${path}`, { headers: { accept: "application/json", ...headers } });
const read = async (path: string, at = service, by = browser) => (await (await ask(path, {}, at, by)).json()) as object;
const send = (path: string, headers: Record<string, string> = {}, body: object = {}) =>
  browser.fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const query = (project: string) =>
  `/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql: "select id, event_message from edge_logs" })}`;
const problemOf = async () =>
  ((await read("/api/sign-in")) as { problem: { message: string } | null }).problem?.message;

async function withService(options: StartHereOptions, use: (other: Service) => Promise<void>): Promise<void> {
  const other = await startService({ ...options, env: { ...env, ...options.env } });
  issuer.serve(other.url);
  try {
    await use(other);
  } finally {
    await other.stop();
  }
}

describe("a person who comes back from the issuer", () => {
  it("begins a session with the roles that the id token or the userinfo endpoint tell", async () => {
    expect(await read("/api/sign-in")).toEqual({
      ...{ issuer: new URL(issuer.url).host, is_signed_in: false, problem: null },
    });
    expect(await signIn("ada")).toBe(`${service.url}/`);
    expect(await read("/api/sign-in")).toMatchObject({ is_signed_in: true, problem: null });
    expect(await read("/api/session")).toMatchObject({
      person: { name: "ada@example.com", way: "oidc" },
      may: { manage: true },
      token: { scopes: ["private"], redaction: "switchable" },
    });
    const created = await send("/api/access-tokens", console, { scopes: ["query"] });
    expect(created.status).toBe(201);
    const { expires_at: until } = (await created.json()) as { readonly expires_at: string };
    // It ends no later than the id token.
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect((await send("/api/access-tokens", console, { scopes: ["query"], expires: "2h" })).status).toBe(422);
  });

  it("reads the rows of their tenants, redacted as the role says, and nothing of owners", async () => {
    await signIn("bob");
    expect(await read("/api/session")).toMatchObject({ person: { name: "bob" }, token: { redaction: "required" } });
    expect(await read(query("abc"))).toMatchObject({ result: [{ event_message: "mail REDACTED" }] });
    const clear = await ask(query("abc"), { "lf-endpoint-redact-pii": "false" });
    expect(await clear.json()).toMatchObject({ result: [{ event_message: "mail REDACTED" }] });
    expect(clear.headers.get("cache-control")).toBe("no-store");
    expect(await readError(await ask(query("xyz")))).toMatchObject({ code: "pinned_parameter" });
    expect((await ask("/api/sources")).status).toBe(401);
    await signIn("cyd", service, otherBrowser());
    expect(await read(query("xyz"))).toMatchObject({ result: [{ id: "x1" }] });
    expect(await readError(await ask(query("abc")))).toMatchObject({ code: "pinned_parameter" });
  });

  it.each([
    ["eve", "eve is signed in, but has no role here"],
    // Without the claim that the role's pin takes.
    ["dan", "dan is signed in, but has no role here"],
    ["", `did not sign you in: access_denied`],
  ])("is refused without a role, and told so (%s)", async (who, message) => {
    expect(await signIn(who)).toBe(`${service.url}/`);
    expect((await ask("/api/session")).status).toBe(401);
    expect(await problemOf()).toContain(message);
    // It is told once.
    expect(await problemOf()).toBeUndefined();
    const program = createCookieBrowser("application/json");
    issuer.people.current = who;
    const { response } = await program.open(`${service.url}/api/sign-in/start`);
    expect(await readError(response)).toMatchObject({ status: 401, message: expect.stringContaining(message) });
  });

  it("has a session of a browser: no script reads it, no other site sends it", async () => {
    await signIn("ada");
    const [attempt = "", , session = ""] = browser.received.filter((line) => line.startsWith("logweir_"));
    expect(attempt).toMatch(/^logweir_sign_in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(session).toMatch(/^logweir_session=lw_[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3[56]\d\d$/);
    // The code and what PKCE keeps secret are nowhere to be seen.
    expect(Buffer.from(attempt.split(/[=;]/)[1] ?? "", "base64url").toString("latin1")).not.toMatch(/callback|http/);
  });

  it("takes the roles from the claim of the settings", async () => {
    await withService({ env: { LOGWEIR_OIDC_ROLES_CLAIM: "realm_access.roles" } }, async (other) => {
      await signIn("eve", other);
      expect(await read("/api/session", other)).toMatchObject({ may: { manage: true } });
    });
    const byMail = JSON.stringify({ "owner@example.com": "private", "ada@example.com": "query" });
    await withService({ env: { LOGWEIR_OIDC_ROLES_CLAIM: "email", LOGWEIR_OIDC_ROLES: byMail } }, async (other) => {
      // Whoever may write any address into their profile is nobody by it.
      await signIn("bob", other);
      expect((await ask("/api/session", {}, other)).status).toBe(401);
      await signIn("ada", other, otherBrowser());
      expect(await read("/api/session", other)).toMatchObject({ may: { manage: false, query: true } });
    });
  });

  it("is sent back to the address of the settings, with cookies for https alone", async () => {
    await withService({ env: { LOGWEIR_PUBLIC_URL: "https://logs.example.com/tools/logs" } }, async (other) => {
      const { headers } = await browser.fetch(`${other.url}/api/sign-in/start`, { headers: { host: "evil.example" } });
      const place = new URL(headers.get("location") ?? "");
      expect(place.searchParams.get("redirect_uri")).toBe("https://logs.example.com/tools/logs/api/sign-in/callback");
      expect(browser.received.at(-1)).toMatch(/^__Host-logweir_sign_in=.*; Secure$/);
    });
  });

  it("is named by the audit, when they come, go and are refused", async () => {
    await signIn("ada");
    await send("/api/sign-out", console);
    await signIn("eve", service, createCookieBrowser());
    const audit = async () => (await service.get("/api/sources/logweir.audit/events")).text();
    for (const told of [": session.create", ": session.end"]) {
      await expect.poll(audit).toMatch(new RegExp(`"oidc:ada@example.com:[0-9a-f]{12}${told}"`));
    }
    await expect.poll(audit).toMatch(/"oidc:eve:[0-9a-f]{12} was refused at GET \/api\/sign-in\/callback/);
    expect(await audit()).not.toMatch(/lw_[0-9a-f]{8}|Lovelace/);
  });
});

describe("a sign-in that another began, or that was used before", () => {
  const message = "This sign-in was not begun in this browser, or took too long";

  it("is refused in another browser", async () => {
    const url = await comeBack("ada");
    const victim = createCookieBrowser();
    expect((await victim.open(url)).url).toBe(`${service.url}/`);
    expect((await ask("/api/session", {}, service, victim)).status).toBe(401);
    const bare = await fetch(url, { redirect: "manual" });
    expect(await readError(bare)).toMatchObject({ status: 401, message });
  });

  it("is refused with the state of another attempt", async () => {
    const url = await comeBack("ada");
    await browser.open(`${service.url}/api/sign-in/start`, (place) => place.startsWith(issuer.url));
    await browser.open(url);
    expect(await problemOf()).toContain("is not accepted: OAUTH_INVALID_RESPONSE");
    expect((await ask("/api/session")).status).toBe(401);
  });

  it("is refused with a code that was redeemed", async () => {
    const url = await comeBack("ada");
    const attempt = browser.cookies(service.url).get("logweir_sign_in") ?? "";
    await browser.open(url);
    expect((await ask("/api/session")).status).toBe(200);
    const thief = createCookieBrowser("application/json");
    thief.cookies(service.url).set("logweir_sign_in", attempt);
    expect(await readError((await thief.open(url)).response)).toMatchObject({
      ...{ status: 401, message: expect.stringContaining("did not sign you in: invalid_grant") },
    });
  });

  it("is refused with a cookie that was changed, also with that of a problem or of a page", async () => {
    const url = await comeBack("ada");
    const attempt = browser.cookies(service.url).get("logweir_sign_in") ?? "";
    for (const cookie of [`${attempt}A`, attempt.slice(0, -2), `${attempt}.`, "", "a", attempt.toLowerCase()]) {
      browser.cookies(service.url).set("logweir_sign_in", cookie);
      const answer = await browser.fetch(url, { headers: { accept: "application/json" } });
      expect([cookie, (await readError(answer)).message]).toEqual([cookie, message]);
    }
  });

  it("leads to the console and to no other place, whatever the request says", async () => {
    const url = await comeBack("ada");
    const more = ["return_to", "next", "redirect_uri", "url", "post_logout_redirect_uri"];
    const query = more.map((name) => `&${name}=${encodeURIComponent("https://evil.example/")}`).join("");
    const answer = await browser.fetch(`${url}${query}`, { headers: { "x-forwarded-host": "evil.example" } });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "../../"]);
  });
});

describe("a session", () => {
  it("changes nothing for pages of other origins, which a browser tells of", async () => {
    await signIn("ada");
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: service.url, "sec-fetch-site": "same-site" },
    ]) {
      expect(await readError(await send("/api/access-tokens", headers))).toMatchObject({ code: "foreign_origin" });
      expect(await readError(await send("/api/sign-out", headers))).toMatchObject({ code: "foreign_origin" });
    }
    expect(await readError(await ask("/api/session", { "sec-fetch-site": "cross-site" }))).toMatchObject({
      status: 403,
    });
    expect(await (await ask("/api/sign-in", { origin: "https://evil.example" })).json()).toMatchObject({
      is_signed_in: false,
    });
    expect((await ask("/api/session")).status).toBe(200);
  });

  it("ends when the person signs out, everywhere, and tells where to sign out of the issuer", async () => {
    await signIn("ada");
    const copy = browser.cookies(service.url).get("logweir_session") ?? "";
    const answer = (await (await send("/api/sign-out", console)).json()) as { readonly issuer_sign_out: string };
    const place = new URL(answer.issuer_sign_out);
    expect([place.origin, place.searchParams.get("post_logout_redirect_uri")]).toEqual([issuer.url, `${service.url}/`]);
    expect((await browser.fetch(place.href)).status).toBe(200);
    expect(browser.cookies(service.url).has("logweir_session")).toBe(false);
    for (const headers of [{ cookie: `logweir_session=${copy}` }, { "x-api-key": copy }]) {
      expect((await fetch(`${service.url}/api/session`, { headers })).status).toBe(401);
    }
    expect(await (await send("/api/sign-out", console)).json()).toEqual({ issuer_sign_out: null });
  });

  it("ends the tails that it opened", async () => {
    await signIn("ada");
    const path = `/api/endpoints/query/logs.all/tail?${new URLSearchParams({ project: "abc", lql: "f:edge_logs" })}`;
    const tail = await ask(path, { accept: "text/event-stream" });
    expect(tail.status).toBe(200);
    expect((await send("/api/sign-out", console)).status).toBe(200);
    await service.ingest("edge", [{ project: "abc", event_message: "later" }]);
    expect(await tail.text()).toMatch(/event: end\ndata: \{"code":"unauthorized"/);
  });

  it("is one at a time in a browser, which an owner can end, but not take over", async () => {
    await signIn("ada");
    const old = browser.cookies(service.url).get("logweir_session") ?? "";
    await signIn("ada");
    const headers = { cookie: `logweir_session=${old}` };
    expect((await fetch(`${service.url}/api/session`, { headers })).status).toBe(401);
    const { token } = (await read("/api/session")) as { readonly token: { readonly id: string } };
    const listed = (await (await service.get("/api/access-tokens")).json()) as readonly { readonly id: string }[];
    const session = listed.findLast(({ id }) => id.startsWith(`${token.id}-`));
    expect(session).toMatchObject({ description: `Session of Ada <b>Lovelace</b> by ${new URL(issuer.url).host}` });
    const one = `/api/access-tokens/${encodeURIComponent(session?.id ?? "")}`;
    expect(await readError(await send(`${one}/rotate`, console))).toMatchObject({
      message: "A session's value is its person's alone: it can only be revoked",
    });
    expect((await browser.fetch(service.url + one, { method: "DELETE", headers: console })).status).toBe(204);
    expect((await ask("/api/session")).status).toBe(401);
  });

  it("is the same caller as the person's others, whose saved views it has", async () => {
    await signIn("bob");
    const view = { name: "mine", endpoint: "logs.all", state: "q=a" };
    const made = await send("/api/views", console, view);
    expect([made.status, await made.text()]).toEqual([201, expect.stringContaining("mine")]);
    const first = await read("/api/session");
    await signIn("bob", service, otherBrowser());
    expect(await read("/api/views")).toMatchObject({ views: [{ name: "mine" }] });
    expect(await read("/api/session")).toMatchObject({ token: (first as { token: object }).token });
    await signIn("cyd", service, otherBrowser());
    expect(await read("/api/views")).toEqual({ views: [] });
  });

  it("is no way to send other tokens", async () => {
    const { "x-api-key": key } = { "x-api-key": "acceptance-private-token-0123456789abcdef" };
    const made = (await (await service.get("/api/access-tokens")).json()) as readonly object[];
    expect(made.length).toBeGreaterThan(0);
    await signIn("ada");
    const { token } = (await (await send("/api/access-tokens", console, { scopes: ["private"] })).json()) as {
      readonly token: string;
    };
    for (const value of [key, token, "", "lw_", `lw_${"0".repeat(64)}`]) {
      const headers = { cookie: `logweir_session=${value}` };
      expect((await fetch(`${service.url}/api/session`, { headers })).status).toBe(401);
    }
    expect((await ask("/api/session", { "x-api-key": "wrong" })).status).toBe(401);
  });

  it("ends with the id token, or with the role's time if that comes first", async () => {
    issuer.serve(service.url, { idTokenSeconds: 100 });
    await signIn("fay");
    issuer.serve(service.url, { idTokenSeconds: 30 });
    await signIn("fay", service, createCookieBrowser());
    const list = (await (await service.get("/api/access-tokens")).json()) as readonly {
      readonly id: string;
      readonly created_at: string;
      readonly expires_at: string;
    }[];
    const lasting = list
      .filter(({ id }) => id.startsWith("oidc:fay:"))
      .map(({ created_at: from, expires_at: until }) => Math.ceil((Date.parse(until) - Date.parse(from)) / 1_000));
    expect([lasting[0], (lasting[1] ?? 99) <= 30]).toEqual([60, true]);
  });

  it("goes on after a restart, and ends with the settings that it was begun under", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "logweir-sign-in-"));
    const within = (more: Record<string, string>, use: (other: Service) => Promise<void>) =>
      withService({ dataDir, env: more }, use);
    const begin = async (other: Service) => {
      const by = createCookieBrowser();
      await signIn("ada", other, by);
      return by.cookies(other.url).get("logweir_session") ?? "";
    };
    const statusOf = async ({ url }: Service, name: string, value: string) =>
      (await fetch(`${url}/api/session`, { headers: { [name]: value } })).status;
    let secret = "";
    await within({}, async (other) => {
      secret = await begin(other);
    });
    await within({}, async (other) => expect(await statusOf(other, "cookie", `logweir_session=${secret}`)).toBe(200));
    await within({ LOGWEIR_OIDC_ROLES: '{"owners": "query"}' }, async (other) => {
      expect(await statusOf(other, "cookie", `logweir_session=${secret}`)).toBe(401);
      secret = await begin(other);
    });
    const none = { LOGWEIR_OIDC_ROLES: "", LOGWEIR_OIDC_ISSUER: "", LOGWEIR_OIDC_CLIENT_ID: "" };
    await within({ ...none, LOGWEIR_OIDC_CLIENT_SECRET: "" }, async (other) => {
      expect(await statusOf(other, "x-api-key", secret)).toBe(401);
    });
    await rm(dataDir, { recursive: true });
  });
});

describe("a service whose issuer", () => {
  it("is away starts, says so, and lets tokens in", async () => {
    await withService({ env: { LOGWEIR_OIDC_ISSUER: "http://127.0.0.1:9" } }, async (other) => {
      await browser.open(`${other.url}/api/sign-in/start`);
      expect(await read("/api/sign-in", other)).toMatchObject({
        problem: { code: "issuer_unavailable", message: "127.0.0.1:9 cannot be used to sign in now" },
      });
      expect((await other.get("/api/endpoints")).status).toBe(200);
    });
  });

  it("has another name is not used", async () => {
    const other = issuer.url.replace("localhost", "127.0.0.1");
    await withService({ env: { LOGWEIR_OIDC_ISSUER: other } }, async ({ url }) => {
      const answer = await createCookieBrowser("application/json").fetch(`${url}/api/sign-in/start`);
      expect(await readError(answer)).toMatchObject({ status: 503, code: "issuer_unavailable" });
    });
  });

  it("knows it with a wrong secret signs nobody in", async () => {
    await withService({ env: { LOGWEIR_OIDC_CLIENT_SECRET: "wrong" } }, async (other) => {
      await signIn("ada", other);
      expect(await read("/api/sign-in", other)).toMatchObject({
        ...{ is_signed_in: false, problem: { message: expect.stringContaining("invalid_client") } },
      });
    });
  });

  it("is not set has no way to it", async ({ sharedService: plain }) => {
    expect(await (await fetch(`${plain.url}/api/sign-in`)).json()).toEqual({
      ...{ issuer: null, is_signed_in: false, problem: null },
    });
    for (const path of ["start", "callback"]) {
      expect((await fetch(`${plain.url}/api/sign-in/${path}`, { redirect: "manual" })).status).toBe(503);
    }
  });
});

it.each<[Record<string, string>, string]>([
  [{ LOGWEIR_OIDC_ISSUER: "https://a.example" }, "LOGWEIR_OIDC_ISSUER and LOGWEIR_OIDC_CLIENT_ID belong together"],
  [{ LOGWEIR_OIDC_CLIENT_ID: "a" }, "LOGWEIR_OIDC_ISSUER and LOGWEIR_OIDC_CLIENT_ID belong together"],
  [{ LOGWEIR_OIDC_CLIENT_SECRET: "a" }, "LOGWEIR_OIDC_CLIENT_SECRET: needs LOGWEIR_OIDC_ISSUER"],
  [{ LOGWEIR_PUBLIC_URL: "https://a.example" }, "LOGWEIR_PUBLIC_URL: needs LOGWEIR_OIDC_ISSUER"],
  [
    { LOGWEIR_OIDC_ISSUER: "https://a.example", LOGWEIR_OIDC_CLIENT_ID: "a" },
    "LOGWEIR_OIDC_ISSUER: needs LOGWEIR_OIDC_ROLES",
  ],
  [{ LOGWEIR_OIDC_ISSUER: "http://a.example" }, "LOGWEIR_OIDC_ISSUER: must be an https:// address"],
  [{ LOGWEIR_OIDC_ISSUER: "https://u:p@a.example" }, "LOGWEIR_OIDC_ISSUER: must be an https:// address"],
  [{ LOGWEIR_PUBLIC_URL: "logs.example.com" }, "LOGWEIR_PUBLIC_URL: must be an https:// or http:// address"],
  [{ LOGWEIR_PUBLIC_URL: "https://a.example/?a=b" }, "LOGWEIR_PUBLIC_URL: must be an https:// or http:// address"],
])("a service does not start with %j", async (wrong, message) => {
  await expect(startService({ env: wrong }).then((started) => started.stop())).rejects.toThrow(message);
});
