import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storedToken } from "../../test/support/access/stored-token.ts";
import { createAuthenticator } from "./authenticator.ts";
import { issuerOf, type TokenKey } from "./key-file.ts";
import { createKeyGrants, type KeyGrants } from "./key-grants.ts";
import { createKeyTokenSealer } from "./key-tokens.ts";
import type { Token, TokenStore } from "./token.ts";

const startMs = Date.parse("2026-08-20T09:00:00Z");
const tokenUri = "https://logs.example.com/bigquery/token";
const serviceKey = new Uint8Array(32).fill(7);

let pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
let other: typeof pair;
let key: TokenKey;
let nowMs: number;
let tokens: Token[];
let changes: number;
let service: ReturnType<typeof openService>;

beforeAll(() => {
  pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  other = generateKeyPairSync("rsa", { modulusLength: 2048 });
  key = { publicKey: pemOf(pair.publicKey), tokenUri };
});

beforeEach(() => {
  nowMs = startMs;
  changes = 0;
  tokens = [
    { ...storedToken("value"), id: "a1", pins: { project: "abc" }, key },
    { ...storedToken("second"), id: "b2", key: { publicKey: pemOf(other.publicKey), tokenUri } },
    { ...storedToken("keyless"), id: "c3" },
  ];
  service = openService(serviceKey);
});

const pemOf = (publicKey: KeyObject) => publicKey.export({ type: "spki", format: "pem" }).toString();

function openService(secretKey: Uint8Array) {
  const store = { version: () => String(changes), ownChanges: () => changes, list: async () => tokens };
  const sealer = createKeyTokenSealer(secretKey);
  const now = () => nowMs;
  const stored = createAuthenticator(store as unknown as TokenStore, [], now, () => true, sealer);
  const grants = createKeyGrants({ keys: stored, sealer, now });
  return { grants, stored, callers: grants.acceptSigned(stored) };
}

function change(id: string, more: Partial<Token>): void {
  tokens = tokens.map((token) => (token.id === id ? { ...token, ...more } : token));
  changes++;
}

interface Signed {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly privateKey?: KeyObject;
}

/** Signs for the token endpoint as a client does, but for what is given here. */
function sign({ claims, header, privateKey = pair.privateKey }: Signed = {}): Promise<string> {
  const iat = Math.floor(nowMs / 1_000);
  const payload = { iss: issuerOf("a1"), aud: tokenUri, scope: "bigquery", iat, exp: iat + 3_600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "a1", ...header }).sign(privateKey);
}

const signForCalls = (more: Signed = {}) => sign({ ...more, claims: { aud: undefined, ...more.claims } });

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    (value) => new Error(`It was accepted: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
}

const refusal = "The signature, its key or its claims are not accepted";
const seconds = (more: number) => Math.floor(startMs / 1_000) + more;

/** Makes texts that the token endpoint must not accept. */
const attacks: Readonly<Record<string, () => Promise<string> | string>> = {
  "no algorithm": async () => {
    const [, claims = ""] = (await sign()).split(".");
    return `${encode({ alg: "none" })}.${claims}.`;
  },
  "an HMAC with the public key as the secret": async () => {
    const [, claims = ""] = (await sign()).split(".");
    const head = `${encode({ alg: "HS256", kid: "a1" })}.${claims}`;
    return `${head}.${createHmac("sha256", key.publicKey).update(head).digest("base64url")}`;
  },
  "another algorithm of the same key": () => sign({ header: { alg: "PS256" } }),
  "another token's key": () => sign({ privateKey: other.privateKey }),
  "another token's key, named as such": () => sign({ privateKey: other.privateKey, header: { kid: "b2" } }),
  "a key id that is a path": () => sign({ header: { kid: "../../a1" } }),
  "a key id that is no text": () => sign({ header: { kid: ["a1"] } }),
  "a key id of every object": () => sign({ claims: { iss: issuerOf("__proto__") }, header: { kid: "__proto__" } }),
  "a header of its own key": () =>
    sign({ privateKey: other.privateKey, header: { jwk: other.publicKey.export({ format: "jwk" }) } }),
  "an unknown token": () => sign({ claims: { iss: issuerOf("dd") }, header: { kid: "dd" } }),
  "a token without a key": () => sign({ claims: { iss: issuerOf("c3") }, header: { kid: "c3" } }),
  "no issuer": () => sign({ claims: { iss: undefined } }),
  "an issuer of Google's": () => sign({ claims: { iss: "a1@project.iam.gserviceaccount.com" } }),
  "another subject": () => sign({ claims: { sub: issuerOf("b2") } }),
  "another audience": () => sign({ claims: { aud: "https://oauth2.googleapis.com/token" } }),
  "several audiences": () => sign({ claims: { aud: [tokenUri, "https://elsewhere.example.com"] } }),
  "no audience": () => signForCalls(),
  "an end that is far ahead": () => sign({ claims: { exp: seconds(3_600 + 61) } }),
  "an end in a thousand years": () => sign({ claims: { exp: 4e10, iat: 4e10 - 3_600 } }),
  "no end": () => sign({ claims: { exp: undefined } }),
  "an end that is past": () => sign({ claims: { iat: seconds(-3_661), exp: seconds(-61) } }),
  "no time of signing": () => sign({ claims: { iat: undefined } }),
  "a time of signing that is ahead": () => sign({ claims: { iat: seconds(61) } }),
  "a time that is no number": () =>
    `${encode({ alg: "RS256", kid: "a1" })}.${encode({ iss: issuerOf("a1"), exp: "9e9" })}.AAAA`,
  "changed claims": async () => {
    const [head = "", , signature = ""] = (await sign()).split(".");
    return `${head}.${encode({ iss: issuerOf("b2"), aud: tokenUri, iat: seconds(0), exp: seconds(60) })}.${signature}`;
  },
  nothing: () => "",
  "no JSON": () => "eyJ.eyJ.eyJ",
  "a claim set that is null": () => `${encode({ alg: "RS256" })}.${Buffer.from("null").toString("base64url")}.AA`,
};

describe("the exchange at the token endpoint", () => {
  it("gives an access token with the rights and the pins of the token, for an hour", async () => {
    const { accessToken, endsAt } = await service.grants.exchange(await sign());
    expect(endsAt).toBe(startMs + 3_600_000);
    expect(accessToken).toMatch(/^lwk_a1_/);
    const identity = await service.callers.authenticate(accessToken);
    expect(identity).toEqual({ ...(await service.stored.authenticate("value")), expiresAt: endsAt });
    expect(identity?.pins).toEqual({ project: "abc" });
    nowMs = endsAt;
    expect(await service.callers.authenticate(accessToken)).toBeUndefined();
    expect(service.callers.recall(accessToken)).toBeUndefined();
  });

  it("takes what clients leave out, and clocks that differ by a minute", async () => {
    for (const signed of [
      sign({ header: { kid: undefined, typ: undefined } }),
      sign({ claims: { sub: issuerOf("a1") } }),
      sign({ claims: { iat: seconds(60), exp: seconds(3_660) } }),
      sign({ claims: { iat: seconds(-3_600), exp: seconds(-59) } }),
    ]) {
      expect((await service.grants.exchange(await signed)).tokenId).toBe("a1");
    }
  });

  it.each(Object.keys(attacks))("refuses %s, always in the same words", async (name) => {
    const assertion = (await attacks[name]?.()) ?? "";
    expect(await failureOf(service.grants.exchange(assertion))).toBe(refusal);
  });

  it("gives nothing for a token that expired or was revoked, and nothing beyond its end", async () => {
    const assertion = await sign();
    change("a1", { expiresAt: startMs + 10_000 });
    const { accessToken, endsAt } = await service.grants.exchange(assertion);
    expect(endsAt).toBe(startMs + 10_000);
    nowMs = endsAt;
    expect(await failureOf(service.grants.exchange(assertion))).toBe(refusal);
    expect(await service.callers.authenticate(accessToken)).toBeUndefined();
    change("a1", { expiresAt: undefined, revokedAt: nowMs });
    expect(await failureOf(service.grants.exchange(assertion))).toBe(refusal);
  });
});

describe("an access token", () => {
  it("follows its token: later rights, an end, a revocation", async () => {
    const { accessToken } = await service.grants.exchange(await sign());
    const recalled = service.callers.recall(accessToken);
    expect(recalled?.isCurrent()).toBe(true);
    expect(service.callers.recall(accessToken)?.identity).toBe(recalled?.identity);
    change("a1", { pins: { project: "changed" }, redaction: "required" });
    expect(recalled?.isCurrent()).toBe(false);
    expect(await service.callers.authenticate(accessToken)).toMatchObject({
      pins: { project: "changed" },
      redaction: "required",
    });
    change("a1", { expiresAt: nowMs + 5 });
    expect((await service.callers.authenticate(accessToken))?.expiresAt).toBe(nowMs + 5);
    change("a1", { expiresAt: undefined, revokedAt: nowMs });
    expect(await service.callers.authenticate(accessToken)).toBeUndefined();
  });

  it("outlives another value of the token, and not another service's key", async () => {
    const { accessToken } = await service.grants.exchange(await sign());
    change("a1", { hash: storedToken("new value").hash });
    expect(await service.callers.authenticate(accessToken)).toMatchObject({ tokenId: "a1" });
    expect(await openService(serviceKey).callers.authenticate(accessToken)).toMatchObject({ tokenId: "a1" });
    expect(await openService(new Uint8Array(32).fill(8)).callers.authenticate(accessToken)).toBeUndefined();
  });

  it("cannot be changed, nor made for a token without a key", async () => {
    const { accessToken } = await service.grants.exchange(await sign());
    const [prefix, , endsAt, signature] = accessToken.split("_");
    const flipped = `${signature?.startsWith("A") === true ? "B" : "A"}${signature?.slice(1)}`;
    for (const forged of [
      `${prefix}_b2_${endsAt}_${signature}`,
      `${prefix}_a1_${Number(endsAt) + 1}_${signature}`,
      `${prefix}_a1_0${endsAt}_${signature}`,
      `${prefix}_a1_${endsAt}_${flipped}`,
      `${prefix}_a1_${endsAt}_`,
      createKeyTokenSealer(serviceKey).seal({ tokenId: "c3", endsAt: startMs + 1_000 }),
    ]) {
      expect(await service.callers.authenticate(forged)).toBeUndefined();
    }
  });
});

describe("what a key signed for calls", () => {
  it("is accepted as a token, with a scope and without an audience, until it or its token ends", async () => {
    const signed = await signForCalls({ claims: { sub: issuerOf("a1") } });
    expect(service.callers.recall(signed)).toBeUndefined();
    expect(await service.callers.authenticate(signed)).toMatchObject({ tokenId: "a1", pins: { project: "abc" } });
    expect(service.callers.recall(signed)?.isCurrent()).toBe(true);
    nowMs = startMs + 3_600_000 + 60_000;
    expect(service.callers.recall(signed)).toBeUndefined();
    expect(await service.callers.authenticate(signed)).toBeUndefined();
    nowMs = startMs;
    change("a1", { revokedAt: nowMs });
    expect(service.callers.recall(signed)).toBeUndefined();
    expect(await service.callers.authenticate(signed)).toBeUndefined();
  });

  it.each(Object.keys(attacks).filter((name) => name !== "no audience"))("is refused with %s", async (name) => {
    const forged = (await attacks[name]?.()) ?? "";
    const answer = await service.callers.authenticate(forged).catch((error: Error) => error.message);
    expect([undefined, refusal]).toContain(answer);
  });

  it("is refused where it was signed for the token endpoint, without a scope, and where it is long", async () => {
    expect(await failureOf(service.callers.authenticate(await sign()))).toBe(refusal);
    expect(await failureOf(service.callers.authenticate(await signForCalls({ claims: { scope: undefined } })))).toBe(
      refusal,
    );
    const long = await signForCalls({ claims: { more: "x".repeat(8_000) } });
    expect(await service.callers.authenticate(long)).toBeUndefined();
  });
});

it("where tokens cannot be read, nobody is told that a key is wrong", async () => {
  const keys: Parameters<typeof createKeyGrants>[0]["keys"] = {
    findKey: () => Promise.reject(new Error("The store is away")),
  };
  const grants: KeyGrants = createKeyGrants({ keys, sealer: createKeyTokenSealer(serviceKey), now: () => nowMs });
  expect(await failureOf(grants.exchange(await sign()))).toBe("The store is away");
});
