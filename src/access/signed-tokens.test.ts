import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import type { Authenticator } from "./authenticator.ts";
import { acceptSignedTokens } from "./signed-tokens.ts";
import { createSigningKeys } from "./signing-keys.ts";

const startMs = Date.parse("2026-08-20T09:00:00Z");
const secret = Buffer.alloc(32, 7);
const stored: Authenticator = { authenticate: async () => undefined, recall: () => undefined };
const claim = { scopes: ["query"], pins: { project: "abc" } };

interface Signer {
  readonly alg: string;
  readonly kid: string;
  readonly key: Parameters<SignJWT["sign"]>[0];
  readonly jwk: object;
}

const signers: Record<string, Signer> = {};

async function makeSigner(alg: string, kid = alg): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { alg, kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

beforeAll(async () => {
  for (const alg of ["ES256", "RS256", "EdDSA"]) signers[alg] = await makeSigner(alg);
  signers.HS256 = {
    ...{ alg: "HS256", kid: "HS256", key: secret },
    jwk: { kty: "oct", kid: "HS256", k: secret.toString("base64url") },
  };
});

const ofAlg = (alg: string): Signer => {
  const found = signers[alg];
  if (found === undefined) throw new Error(`no signer ${alg}`);
  return found;
};

function sign({ alg, kid, key }: Signer, payload: JWTPayload = {}, header: object = {}): Promise<string> {
  const claims = { exp: startMs / 1_000 + 60, sub: "ann", logweir: claim, ...payload };
  return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(key);
}

interface Fixture {
  keys: readonly object[] | string | Error;
  revoked: string;
  nowMs: number;
  reads: number;
  readonly failures: string[];
}

function openFixture(options: { issuer?: string; audience?: string; isRemote?: boolean } = {}) {
  const { isRemote = false, ...rest } = options;
  const fixture: Fixture = {
    keys: Object.values(signers)
      .filter(({ alg }) => !isRemote || alg !== "HS256")
      .map(({ jwk }) => jwk),
    revoked: "",
    nowMs: startMs,
    reads: 0,
    failures: [],
  };
  const now = () => fixture.nowMs;
  const keys = createSigningKeys({
    readKeys: async () => {
      fixture.reads++;
      if (fixture.keys instanceof Error) throw fixture.keys;
      return typeof fixture.keys === "string" ? fixture.keys : JSON.stringify({ keys: fixture.keys });
    },
    readRevoked: async () => fixture.revoked,
    isRemote,
    onFailure: (reason) => fixture.failures.push(reason),
    now,
  });
  const authenticator = acceptSignedTokens(stored, { keys, now, ...rest });
  /** The identity, or the code and message of the refusal. */
  const ask = (token: string) =>
    authenticator.authenticate(token).catch((error: { code: string; message: string }) => {
      return `${error.code}: ${error.message}`;
    });
  return { fixture, authenticator, ask };
}

const accepted = expect.objectContaining({ scopes: ["query"], pins: { project: "abc" } });
const unsigned = "unauthorized: The signed token is signed by none of this service's keys";

describe("a signed token", () => {
  it.each(["HS256", "ES256", "RS256", "EdDSA"])("of %s is accepted with what its claim grants", async (alg) => {
    const { ask } = openFixture();
    const budget = { max_rows: 10 };
    const token = await sign(ofAlg(alg), { logweir: { ...claim, budget, redaction: "required" } });
    expect(await ask(token)).toEqual({
      tokenId: expect.stringMatching(/^jwt:ann:[0-9a-f]{12}$/),
      scopes: ["query"],
      pins: { project: "abc" },
      budget,
      redaction: "required",
      expiresAt: startMs + 60_000,
    });
  });

  it("that is changed in any character, or signed otherwise, is refused", async () => {
    const { ask } = openFixture();
    const token = await sign(ofAlg("ES256"));
    for (let at = 0; at < token.length; at++) {
      const changed = token[at] === "A" ? "B" : "A";
      // The last character of a part has bits that are no part of it.
      if (token[at + 1] === "." || at === token.length - 1 || token[at] === ".") continue;
      expect(await ask(token.slice(0, at) + changed + token.slice(at + 1)), String(at)).not.toEqual(accepted);
    }
    const [header = "", body = ""] = token.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    expect(await ask(`${none}.${body}.`)).toBe(unsigned);
    expect(await ask(`${header}.${body}.`)).toBe(unsigned);
    const stranger = await makeSigner("ES256");
    expect(await ask(await sign(stranger))).toBe(unsigned);
    // A public key used as if it were a secret.
    const asSecret = { ...ofAlg("RS256"), alg: "HS256", key: Buffer.from(JSON.stringify(ofAlg("RS256").jwk)) };
    expect(await ask(await sign(asSecret))).toBe(unsigned);
    expect(await ask(await sign(asSecret, {}, { kid: "HS256" }))).toBe(unsigned);
    expect(await ask(await sign(ofAlg("ES256"), {}, { kid: "RS256" }))).toBe(unsigned);
  });

  it.each<[JWTPayload, string]>([
    [{ exp: startMs / 1_000 }, "has expired"],
    [{ exp: startMs / 1_000 - 3 }, "has expired"],
    [{ exp: startMs / 1_000 - 3_000 }, "has expired"],
    [{ exp: undefined as unknown as number }, "must have the claim exp"],
    [{ nbf: startMs / 1_000 + 11 }, "is not valid yet (nbf)"],
    [{ iss: "https://other" }, 'must have the claim iss "https://issuer"'],
    [{ aud: ["a", "b"] }, 'must have the claim aud "logweir"'],
    [{ aud: undefined as unknown as string }, 'must have the claim aud "logweir"'],
    [{ logweir: undefined }, "must have the claim logweir, an object"],
    [{ logweir: ["query"] }, "must have the claim logweir, an object"],
    [{ logweir: {} }, "has logweir.scopes: must be a list of one or more of "],
    [{ logweir: { scopes: [] } }, "has logweir.scopes: must be a list of one or more of "],
    [{ logweir: { scopes: ["all"] } }, 'has logweir.scopes: there is no scope "all"'],
    [
      { logweir: { ...claim, scopes: ["private"] } },
      "has logweir.scopes: a pinned token cannot have the scope private",
    ],
    [{ logweir: { ...claim, pins: { project: null } } }, "has logweir.pins: project: must be a text"],
    [{ logweir: { ...claim, budget: { max_rows: 0 } } }, "has logweir.budget: max_rows: must be an integer"],
    [{ logweir: { ...claim, redaction: "off" } }, "has logweir.redaction: must be one of required"],
    [{ logweir: { ...claim, expires: "1d" } }, "has logweir.expires: fields are scopes, pins, budget, redaction"],
  ])("with %j is refused with the reason", async (payload, reason) => {
    const { ask } = openFixture({ issuer: "https://issuer", audience: "logweir" });
    const right = { iss: "https://issuer", aud: "logweir" };
    expect(await ask(await sign(ofAlg("ES256"), right))).toEqual(accepted);
    expect(await ask(await sign(ofAlg("ES256"), { ...right, ...payload }))).toContain(
      `unauthorized: The signed token ${reason}`,
    );
  });

  it("may be pinned to a list and to a prefix", async () => {
    const { ask } = openFixture();
    const pins = { project: ["abc", "xyz"], tier: { prefix: "t" } };
    expect(await ask(await sign(ofAlg("ES256"), { logweir: { ...claim, pins } }))).toMatchObject({ pins });
  });

  it("of the same subject with other rights has another id", async () => {
    const { ask } = openFixture();
    const idOf = async (payload: JWTPayload) => {
      const found = await ask(await sign(ofAlg("ES256"), payload));
      return typeof found === "object" ? found.tokenId : found;
    };
    const rights = [
      claim,
      { scopes: ["query"] },
      { ...claim, pins: { project: "abd" } },
      { ...claim, budget: { max_rows: 1 } },
    ];
    const ids = await Promise.all([
      ...rights.map((logweir) => idOf({ logweir })),
      ...["bob", "x".repeat(100), "a\nb"].map((sub) => idOf({ sub })),
      ...[idOf({ sub: undefined as unknown as string, jti: "1" }), idOf({ iss: "other" })],
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await idOf({ iat: 5, jti: "7" })).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^jwt:(?:[\w]{1,80}:)?[0-9a-f]{12}$/);
  });

  it("is remembered until it ends, its key goes or its id is revoked", async () => {
    const { fixture, authenticator, ask } = openFixture();
    const tokens = await Promise.all(["1", "2"].map((jti) => sign(ofAlg("ES256"), { jti })));
    const [first = "", second = ""] = tokens;
    for (const token of tokens) expect(await ask(token)).toEqual(accepted);
    const recalled = authenticator.recall(first);
    expect(recalled?.isCurrent()).toBe(true);
    expect(authenticator.recall(first)?.identity).toBe(recalled?.identity);

    fixture.revoked = "9\n1\r\n";
    fixture.nowMs += 1_000;
    expect(recalled?.isCurrent()).toBe(false);
    expect(authenticator.recall(first)).toBeUndefined();
    expect(await ask(first)).toBe("unauthorized: The signed token was revoked");
    expect(await ask(second)).toEqual(accepted);

    fixture.keys = [ofAlg("RS256").jwk];
    fixture.nowMs += 999;
    expect(await ask(second)).toEqual(accepted);
    fixture.nowMs += 1;
    expect(await ask(second)).toBe(unsigned);

    fixture.keys = [ofAlg("ES256").jwk];
    fixture.nowMs += 1_000;
    expect(await ask(second)).toEqual(accepted);
    fixture.nowMs = startMs + 59_999;
    expect(await ask(second)).toEqual(accepted);
    const last = authenticator.recall(second);
    expect(last?.isCurrent()).toBe(true);
    fixture.nowMs = startMs + 60_000;
    expect(last?.isCurrent()).toBe(false);
    expect(await ask(second)).toBe("unauthorized: The signed token has expired");
  });

  it("is refused with 503 while a file of keys cannot be used, and accepted again afterwards", async () => {
    const { fixture, ask } = openFixture();
    const token = await sign(ofAlg("HS256"));
    const { jwk } = ofAlg("HS256");
    const unusable: readonly (readonly [Fixture["keys"], string])[] = [
      [new Error("gone"), "Error: gone"],
      ["{", "it is no JSON"],
      ["[]", "it is no JSON Web Key Set"],
      ['{"keys":[3]}', "it is no JSON Web Key Set"],
      [[{ ...jwk, k: "c2hvcnQ" }], "key HS256 has fewer than 32 bytes"],
      [[{ ...jwk, k: 5 }], "key HS256 has fewer than 32 bytes"],
      [[{ ...ofAlg("ES256").jwk, d: "x", kid: undefined }], "key 1 is a private key"],
    ];
    for (const [keys, reason] of unusable) {
      fixture.keys = keys;
      fixture.nowMs += 1_000;
      expect(await ask(token)).toMatch(/^metadata_unavailable: /);
      expect(fixture.failures.at(-1)).toContain(reason);
      fixture.keys = [jwk];
      fixture.nowMs += 1_000;
      expect(await ask(token)).toEqual(accepted);
    }
  });

  it("without a key's name is refused where several keys fit", async () => {
    const { fixture, ask } = openFixture();
    fixture.keys = [ofAlg("ES256").jwk, (await makeSigner("ES256", "other")).jwk];
    expect(await ask(await sign(ofAlg("ES256"), {}, { kid: undefined }))).toBe(
      "unauthorized: The signed token must name its key (kid): several fit",
    );
    fixture.keys = [ofAlg("ES256").jwk];
    fixture.nowMs += 1_000;
    expect(await ask(await sign(ofAlg("ES256"), {}, { kid: undefined }))).toEqual(accepted);
  });

  it("of keys over the network is found after a rotation, which strangers cannot make into a flood", async () => {
    const { fixture, ask } = openFixture({ isRemote: true });
    const long = { exp: startMs / 1_000 + 100_000 };
    const old = await sign(ofAlg("ES256"), long);
    expect([await ask(old), fixture.reads]).toEqual([accepted, 1]);
    const next = await makeSigner("ES256", "next");
    fixture.keys = [next.jwk];
    const rotated = await sign(next, long);
    expect([await ask(rotated), fixture.reads]).toEqual([unsigned, 1]);
    fixture.nowMs += 30_000;
    expect(await Promise.all([ask(rotated), ask(rotated)])).toEqual([accepted, accepted]);
    expect(fixture.reads).toBe(2);
    expect([await ask(old), fixture.reads]).toEqual([unsigned, 2]);

    fixture.keys = new Error("away");
    fixture.nowMs += 3_599_999;
    expect(await ask(rotated)).toEqual(accepted);
    fixture.nowMs += 300_000;
    expect(await ask(rotated)).toMatch(/^metadata_unavailable: /);
    fixture.keys = [{ kty: "oct", kid: "s", k: secret.toString("base64url") }];
    expect(await ask(rotated)).toMatch(/^metadata_unavailable: /);
    expect(fixture.failures.at(-1)).toContain("must not come over the network");
  });

  it("that is none goes to the stored tokens", async () => {
    const identity = { tokenId: "t", scopes: ["query"], pins: {}, budget: {}, redaction: "fixed" as const };
    const keys = createSigningKeys({
      readKeys: () => Promise.reject(new Error("not read")),
      isRemote: false,
      onFailure: () => undefined,
      now: () => startMs,
    });
    const only: Authenticator = {
      authenticate: async () => identity,
      recall: () => ({ identity, isCurrent: () => true }),
    };
    const authenticator = acceptSignedTokens(only, { keys, now: () => startMs });
    for (const other of ["lw_0123", "eyJ.x", "a.b.c", "eyJhbGciOiJFUzI1NiJ9.e30.x y"]) {
      expect(await authenticator.authenticate(other)).toBe(identity);
      expect(authenticator.recall(other)?.identity).toBe(identity);
    }
  });
});
