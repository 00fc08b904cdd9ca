import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIssuer, type Issuer, type SignInAttempt } from "./issuer.ts";

/** Answers of an issuer by path, which a test replaces. */
let answers: Record<string, { readonly status?: number; readonly body: unknown }>;
let asked: string[];
let failures: string[];
let server: Server;
let url: string;
let keys: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
let issuer: Issuer;
let attempt: SignInAttempt;
let nowMs: number;

const clientId = "logweir";
const clientSecret = "a-secret-of-at-least-thirty-two-characters";
const redirectUri = "https://logs.example.com/api/sign-in/callback";
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

beforeAll(async () => {
  keys = await generateKeyPair("ES256", { extractable: true });
  server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    asked.push(path);
    const { status = 200, body } = answers[path] ?? { status: 404, body: {} };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(async () => {
  [asked, failures, nowMs] = [[], [], 1_000_000];
  answers = {
    "/.well-known/openid-configuration": {
      body: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: ["ES256", "HS256", "none"],
        scopes_supported: ["openid", "email", "groups"],
      },
    },
    "/jwks": { body: { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" }] } },
  };
  issuer = createIssuer({
    ...{ issuer: new URL(url), clientId, clientSecret },
    onFailure: (reason) => void failures.push(reason),
    now: () => nowMs,
  });
  attempt = { state: "the-state", nonce: "the-nonce", verifier: "v".repeat(43), redirectUri };
});

function sign(claims: JWTPayload, key: CryptoKey | Uint8Array = keys.privateKey, header: object = {}): Promise<string> {
  const usual = { iss: url, aud: clientId, sub: "ada", nonce: attempt.nonce, iat: inSeconds(0), exp: inSeconds(600) };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: "ES256", kid: "one", ...header }).sign(key);
}

const answerToken = (idToken: unknown, more: object = {}) => {
  answers["/token"] = { body: { access_token: "a", token_type: "bearer", id_token: idToken, ...more } };
};
const finish = (parameters = "code=c&state=the-state") => issuer.finish(parameters, attempt);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("an issuer", () => {
  it("is asked for nothing before somebody signs in, and then by PKCE, state and nonce", async () => {
    expect([issuer.name, asked]).toEqual([new URL(url).host, []]);
    const [first, second] = [await issuer.begin(redirectUri), await issuer.begin(redirectUri)];
    expect(asked).toEqual(["/.well-known/openid-configuration"]);
    const sent = Object.fromEntries(first.address.searchParams);
    expect(sent).toEqual({
      ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, scope: "openid email groups" },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" },
      ...{ state: first.attempt.state, nonce: first.attempt.nonce },
    });
    expect(first.address.href).not.toContain(first.attempt.verifier);
    for (const name of ["state", "nonce", "verifier"] as const)
      expect(first.attempt[name]).not.toBe(second.attempt[name]);
  });

  it("gives the claims of the id token, before those of the userinfo endpoint", async () => {
    const metadata = answers["/.well-known/openid-configuration"]?.body as object;
    answers["/.well-known/openid-configuration"] = { body: { ...metadata, userinfo_endpoint: `${url}/userinfo` } };
    answers["/userinfo"] = {
      body: { sub: "ada", groups: ["a"], org: "other", email: "ada@example.com", email_verified: true },
    };
    answerToken(await sign({ org: "own" }));
    expect(await finish()).toMatchObject({ sub: "ada", groups: ["a"], org: "own", email: "ada@example.com" });
    // That one answer has a verified address says nothing of the other's.
    answerToken(await sign({ email: "owner@example.com" }));
    expect(await finish()).toMatchObject({ email: "ada@example.com" });
    answerToken(await sign({ email_verified: true }));
    answers["/userinfo"] = { body: { sub: "ada", email: "owner@example.com" } };
    expect(await finish()).not.toHaveProperty("email");
    answers["/userinfo"] = { body: { sub: "eve", groups: ["a"] } };
    await expect(finish()).rejects.toMatchObject({ code: "unauthorized" });
    answers["/userinfo"] = { status: 500, body: {} };
    await expect(finish()).rejects.toMatchObject({ code: "issuer_unavailable" });
  });

  it.each([[false], ["true"], [1], [undefined], [null]])(
    "gives no address that is verified as %j",
    async (verified) => {
      answerToken(await sign({ email: "owner@example.com", email_verified: verified }));
      expect(await finish()).not.toHaveProperty("email");
    },
  );
});

describe("an id token is refused", () => {
  it.each<[string, JWTPayload]>([
    ["of another issuer", { iss: "https://evil.example" }],
    ["for another client", { aud: "other" }],
    ["for several clients, asked for by another", { aud: [clientId, "other"], azp: "other" }],
    ["of another sign-in", { nonce: "other" }],
    ["without a nonce", { nonce: undefined }],
    ["without an end", { exp: undefined as never }],
    ["that has expired", { exp: inSeconds(-120) }],
    ["that counts later", { nbf: inSeconds(600) }],
    ["without a subject", { sub: undefined as never }],
  ])("%s", async (_, claims) => {
    answerToken(await sign(claims));
    await expect(finish()).rejects.toMatchObject({ code: "unauthorized" });
    expect(failures).toHaveLength(1);
  });

  it("that is signed by nobody, by another key, or by what everybody knows", async () => {
    const claims = {
      iss: url,
      aud: clientId,
      sub: "ada",
      nonce: attempt.nonce,
      iat: inSeconds(0),
      exp: inSeconds(600),
    };
    const good = await sign({});
    const other = await generateKeyPair("ES256");
    const publicText = new TextEncoder().encode(await exportSPKI(keys.publicKey));
    const tokens = [
      `${encode({ alg: "none" })}.${encode(claims)}.`,
      `${encode({ alg: "ES256", kid: "one" })}.${encode(claims)}.`,
      `${good.split(".")[0]}.${encode({ ...claims, sub: "owner" })}.${good.split(".")[2]}`,
      await sign({}, other.privateKey),
      await sign({}, keys.privateKey, { kid: "two" }),
      await sign({}, publicText, { alg: "HS256" }),
      await sign({}, new TextEncoder().encode(clientSecret), { alg: "HS256" }),
      undefined,
      "",
      7,
      "a.b.c",
    ];
    for (const token of tokens) {
      answerToken(token);
      await expect(finish(), String(token)).rejects.toMatchObject({ code: "unauthorized" });
    }
    answerToken(good);
    expect(await finish()).toMatchObject({ sub: "ada" });
  });
});

describe("what a browser brings back is refused", () => {
  it.each([
    ["without a code", "state=the-state"],
    ["without a state", "code=c"],
    ["with another state", "code=c&state=other"],
    ["with two states", "code=c&state=the-state&state=other"],
    ["with two codes", "code=c&code=d&state=the-state"],
    ["of another issuer", "code=c&state=the-state&iss=https%3A%2F%2Fevil.example"],
    ["with an error", "error=access_denied&state=the-state"],
    ["with a token beside the code", "code=c&state=the-state&response=a.b.c"],
    ["with nothing", ""],
  ])("%s", async (_, parameters) => {
    answerToken(await sign({}));
    await expect(finish(parameters)).rejects.toMatchObject({ code: "unauthorized" });
    expect(asked).not.toContain("/token");
  });
});

describe("an issuer that fails", () => {
  it.each<[string, unknown, number]>([
    ["does not answer with metadata", {}, 500],
    ["answers with no JSON", "<html>", 200],
    ["answers as another issuer", { issuer: "https://evil.example" }, 200],
    ["answers with a redirect", {}, 302],
    ["answers without end", "x".repeat(1_000_001), 200],
    ["names no place to sign in", { issuer: "THE ISSUER" }, 200],
    ["names a script as the place", { issuer: "THE ISSUER", authorization_endpoint: "javascript:alert(1)" }, 200],
  ])("%s: nobody signs in, and it is asked again after a while", async (_, body, status) => {
    const good = answers["/.well-known/openid-configuration"];
    const said = typeof body === "string" ? body : JSON.stringify(body).replace("THE ISSUER", url);
    answers["/.well-known/openid-configuration"] = { status, body: said };
    for (let i = 0; i < 3; i++) {
      await expect(issuer.begin(redirectUri)).rejects.toMatchObject({ code: "issuer_unavailable", status: 503 });
    }
    expect([asked.length, failures.length]).toEqual([1, 1]);
    if (good !== undefined) answers["/.well-known/openid-configuration"] = good;
    nowMs += 5_000;
    expect((await issuer.begin(redirectUri)).address.origin).toBe(url);
  });

  it("at its token endpoint is told apart from one that refuses", async () => {
    for (const answer of [
      { status: 503, body: {} },
      { status: 200, body: "x".repeat(1_000_001) },
    ]) {
      answers["/token"] = answer;
      await expect(finish()).rejects.toMatchObject({ code: "issuer_unavailable" });
    }
    answers["/token"] = { status: 400, body: { error: "invalid_grant" } };
    await expect(finish()).rejects.toMatchObject({
      ...{ code: "unauthorized", message: expect.stringContaining("did not sign you in: invalid_grant") },
    });
  });

  it("offers no place to sign out unless its metadata have one", async () => {
    expect(await issuer.findSignOut("https://logs.example.com/")).toBeUndefined();
  });
});
