import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MetadataDatabase } from "../metadata/database.ts";
import { openMetadata } from "../metadata/open-metadata.ts";
import { createTokenStore } from "../metadata/token-store.ts";
import { ServiceError } from "../shared/errors.ts";
import { createAuthenticator } from "./authenticator.ts";
import { parseLifetime } from "./expiry.ts";
import { applyPins } from "./pins.ts";
import { canIngest, canIngestAnything, canQuery, canQueryAnything, type Identity, isScope } from "./scope.ts";
import type { NewToken } from "./token.ts";

const plain: NewToken = { description: "", scopes: ["query"], pins: {}, expiresAt: undefined };
const identity = (scopes: string[], pins: Record<string, string> = {}): Identity => {
  return { tokenId: "t", scopes, pins, budget: {}, redaction: "fixed" };
};

describe("the token store", () => {
  const path = join(mkdtempSync(join(tmpdir(), "logweir-access-")), "metadata.db");
  let service: MetadataDatabase;
  let commandLine: MetadataDatabase;

  beforeAll(async () => {
    service = await openMetadata(path);
    commandLine = await openMetadata(path);
  });

  afterAll(async () => {
    await service.close();
    await commandLine.close();
  });

  it("stores only the SHA-256 hash of a token, with its scopes, pins and expiry", async () => {
    const store = createTokenStore(service, () => 1_000);
    const { secret, token } = await store.create({ ...plain, pins: { project: "abc" }, expiresAt: 5_000 });
    expect(secret).toMatch(/^lw_[0-9a-f]{64}$/);
    const kept = (await store.list()).find((each) => each.id === token.id);
    expect(kept).toMatchObject({ scopes: ["query"], pins: { project: "abc" }, createdAt: 1_000, expiresAt: 5_000 });
    const row = await service.queries.selectFrom("tokens").selectAll().where("id", "=", token.id).executeTakeFirst();
    expect(JSON.stringify(row)).not.toContain(secret.slice(3));
  });

  it("stores budget and redaction, whose default depends on the scopes", async () => {
    const store = createTokenStore(service, Date.now);
    const limited = await store.create({ ...plain, budget: { max_rows: 5 }, redaction: "required" });
    const authenticator = createAuthenticator(store, [], Date.now);
    const identified = await authenticator.authenticate(limited.secret);
    expect(identified).toMatchObject({ budget: { max_rows: 5 }, redaction: "required" });
    expect((await store.create(plain)).token).toMatchObject({ budget: {}, redaction: "fixed" });
    expect((await store.create({ ...plain, scopes: ["private"] })).token.redaction).toBe("switchable");
  });

  it("accepts a token created through another connection immediately, and a revocation there after 20 ms", async () => {
    let now = 1_000_000;
    const authenticator = createAuthenticator(createTokenStore(service, Date.now), [], () => now);
    const elsewhere = createTokenStore(commandLine, Date.now);
    const first = await elsewhere.create(plain);
    const known = await authenticator.authenticate(first.secret);
    expect(known).toMatchObject({ tokenId: first.token.id, scopes: ["query"] });
    now += 20;
    expect(await authenticator.authenticate(first.secret)).toBe(known);
    const { secret, token } = await elsewhere.create(plain);
    expect(await authenticator.authenticate(secret)).toMatchObject({ tokenId: token.id });
    now += 20;
    expect(await authenticator.authenticate(secret)).toMatchObject({ tokenId: token.id });
    await elsewhere.revoke(token.id);
    now += 19;
    expect(await authenticator.authenticate(secret)).toMatchObject({ tokenId: token.id });
    now += 1;
    expect(await authenticator.authenticate(secret)).toBeUndefined();
  });

  it("applies creation and revocation through the same connection immediately", async () => {
    const store = createTokenStore(service, Date.now);
    const authenticator = createAuthenticator(store, [], Date.now);
    const { secret, token } = await store.create(plain);
    expect(await authenticator.authenticate(secret)).toBeDefined();
    await store.revoke(token.id);
    expect(await authenticator.authenticate(secret)).toBeUndefined();
  });

  it("tells which tokens changed since a version, unless others changed them too", async () => {
    const store = createTokenStore(service, () => 1_000);
    const before = store.version();
    expect(store.changedSince?.(before)).toEqual([]);
    const { token } = await store.create(plain);
    const { id } = token;
    await store.rotate(id, 0);
    const between = store.version();
    await store.revoke(id);
    const other = await store.create(plain);
    expect(store.changedSince?.(before)).toEqual([id, other.token.id]);
    expect((await store.list([id])).map((each) => [each.id, each.revokedAt])).toEqual([[id, 1_000]]);
    await store.removeEnded("oidc:", 0);
    expect(store.changedSince?.(between)).toBeUndefined();
    const last = store.version();
    await createTokenStore(commandLine, Date.now).create(plain);
    await store.create(plain);
    expect(store.changedSince?.(last)).toBeUndefined();
  });

  it("recalls a token without reading the file for 20 ms, until another process has revoked it", async () => {
    let now = 1_000_000;
    const authenticator = createAuthenticator(createTokenStore(service, Date.now), [], () => now);
    const elsewhere = createTokenStore(commandLine, Date.now);
    const { secret, token } = await elsewhere.create(plain);
    expect(authenticator.recall(secret)).toBeUndefined();
    const identity = await authenticator.authenticate(secret);
    now += 20;
    expect(authenticator.recall(secret)?.identity).toBe(identity);
    const recalled = authenticator.recall(secret);
    await elsewhere.revoke(token.id);
    now += 19;
    expect(authenticator.recall(secret)?.identity).toBe(identity);
    expect(recalled?.isCurrent()).toBe(true);
    now += 1;
    expect(recalled?.isCurrent()).toBe(false);
    expect(authenticator.recall(secret)).toBeUndefined();
    now += 1;
    expect(authenticator.recall(secret)).toBeUndefined();
    expect(await authenticator.authenticate(secret)).toBeUndefined();
  });

  it("stops recalling a token immediately when this process revokes it or when it expires", async () => {
    let now = 1_000;
    const store = createTokenStore(service, () => now);
    const authenticator = createAuthenticator(store, [], () => now);
    const [first, second] = [await store.create(plain), await store.create({ ...plain, expiresAt: 1_010 })];
    await authenticator.authenticate(first.secret);
    expect(authenticator.recall(first.secret)).toBeDefined();
    const recalled = [authenticator.recall(first.secret), authenticator.recall(second.secret)];
    const currents = () => recalled.map((each) => each?.isCurrent());
    expect(currents()).toEqual([true, true]);
    now = 1_010;
    expect(currents()).toEqual([true, false]);
    expect(authenticator.recall(second.secret)).toBeUndefined();
    await store.revoke(first.token.id);
    expect(authenticator.recall(first.secret)).toBeUndefined();
    await authenticator.authenticate(first.secret);
    expect(currents()).toEqual([false, false]);
  });

  it("reads tokens again when the clock is set back", async () => {
    let now = 1_000_000;
    const authenticator = createAuthenticator(createTokenStore(service, Date.now), [], () => now);
    const elsewhere = createTokenStore(commandLine, Date.now);
    const { secret, token } = await elsewhere.create(plain);
    await authenticator.authenticate(secret);
    now += 20;
    const recalled = authenticator.recall(secret);
    expect(recalled?.isCurrent()).toBe(true);
    await elsewhere.revoke(token.id);
    now -= 500_000;
    expect(recalled?.isCurrent()).toBe(false);
    expect(authenticator.recall(secret)).toBeUndefined();
    expect(await authenticator.authenticate(secret)).toBeUndefined();
  });

  it("accepts the old value of a rotated token until its grace period or the token itself ends", async () => {
    let now = 1_000;
    const store = createTokenStore(service, () => now);
    const authenticator = createAuthenticator(store, [], () => now);
    const [short, long] = [await store.create({ ...plain, expiresAt: 1_500 }), await store.create(plain)];
    const rotated = await store.rotate(short.token.id, 1_000);
    await store.rotate(long.token.id, 1_000);
    const counts = async (secret = "") => (await authenticator.authenticate(secret)) !== undefined;
    now = 1_499;
    expect([await counts(short.secret), await counts(rotated?.secret), await counts(long.secret)]).toEqual([
      true,
      true,
      true,
    ]);
    now = 1_500;
    expect([await counts(short.secret), await counts(rotated?.secret), await counts(long.secret)]).toEqual([
      false,
      false,
      true,
    ]);
    now = 1_999;
    expect(await counts(long.secret)).toBe(true);
    now = 2_000;
    expect(await counts(long.secret)).toBe(false);
  });

  it("does not rotate a revoked token, and accepts neither of its values", async () => {
    const store = createTokenStore(service, () => 1_000);
    const authenticator = createAuthenticator(store, [], () => 1_000);
    const { secret, token } = await store.create(plain);
    const rotated = await store.rotate(token.id, 5_000);
    expect(await authenticator.authenticate(secret)).toMatchObject({ tokenId: token.id });
    await store.revoke(token.id);
    expect(await store.rotate(token.id, 5_000)).toBeUndefined();
    for (const value of [secret, String(rotated?.secret)])
      expect(await authenticator.authenticate(value)).toBeUndefined();
  });

  it("refuses a token from the moment it expires", async () => {
    let now = 1_000;
    const store = createTokenStore(service, () => now);
    const authenticator = createAuthenticator(store, [], () => now);
    const { secret } = await store.create({ ...plain, expiresAt: 2_000 });
    now = 1_999;
    expect(await authenticator.authenticate(secret)).toBeDefined();
    now = 2_000;
    expect(await authenticator.authenticate(secret)).toBeUndefined();
  });

  it("retains the time of the first revocation, and returns undefined for an unknown id", async () => {
    let now = 10;
    const store = createTokenStore(service, () => now);
    const { token } = await store.create(plain);
    await store.revoke(token.id);
    now = 20;
    expect((await store.revoke(token.id))?.revokedAt).toBe(10);
    expect(await store.revoke("nobody")).toBeUndefined();
  });

  it("is complemented by the fixed tokens of the configuration", async () => {
    const fixed = { id: "LOGWEIR_PRIVATE_TOKEN", secret: "a-fixed-secret-of-mine", scopes: ["private"] };
    const authenticator = createAuthenticator(createTokenStore(service, Date.now), [fixed], Date.now);
    expect(await authenticator.authenticate("a-fixed-secret-of-mine")).toMatchObject({ scopes: ["private"] });
    expect(await authenticator.authenticate("a-fixed-secret-of-min")).toBeUndefined();
    expect(await authenticator.authenticate("")).toBeUndefined();
  });
});

describe("scopes", () => {
  const endpoint = { id: "0aE4a1b2-0000-4000-8000-000000000001", name: "logs.all" };

  it.each([
    ["private", true],
    ["query", true],
    ["query:endpoint:logs.all", true],
    ["query:endpoint:0ae4A1b2-0000-4000-8000-000000000001", true],
    ["query:endpoint:logs.all.staging", false],
    ["query:endpoint:LOGS.ALL", false],
    ["ingest", false],
    ["metrics", false],
  ])("%s allow running the endpoint: %s", (scope, allowed) => {
    expect(canQuery(identity([scope]), endpoint)).toBe(allowed);
  });

  it.each([
    ["private", true],
    ["ingest", true],
    ["ingest:source:edge", true],
    ["ingest:source:cloudflare.logs.prod", true],
    ["ingest:source:db", false],
    ["query", false],
  ])("%s allow writing to the source edge: %s", (scope, allowed) => {
    expect(canIngest(identity([scope]), ["edge", "cloudflare.logs.prod"])).toBe(allowed);
  });

  it.each([
    ["private", true],
    ["ingest", true],
    ["ingest:source:edge", true],
    ["query", false],
    ["metrics", false],
    ["query:endpoint:ingest", false],
  ])("%s allow writing to any source: %s", (scope, allowed) => {
    expect(canIngestAnything(identity([scope]))).toBe(allowed);
    expect(canIngestAnything(identity(["metrics", scope]))).toBe(allowed);
  });

  it("without query allow running no endpoint", () => {
    expect(canQueryAnything(identity(["ingest", "metrics"]))).toBe(false);
    expect(canQueryAnything(identity(["query:endpoint:x"]))).toBe(true);
  });

  it.each(["public", "query:", "query:endpoint:", "query:endpoint:a b", "PRIVATE", ""])("do not include %j", (text) => {
    expect(isScope(text)).toBe(false);
  });
});

describe("a pinned parameter", () => {
  const declared = new Map([
    ["project", "string"],
    ["sql", "string"],
  ]);
  const pinned = { project: "abc" };

  it("is set when the caller omits it or sends the same value", () => {
    expect(applyPins(pinned, declared, new Map()).get("project")).toBe("abc");
    expect(applyPins(pinned, declared, new Map([["project", ["abc", "abc"]]])).get("project")).toBe("abc");
  });

  it.each([[["xyz"]], [["abc", "xyz"]], [[""]], [[null]], [[["abc"], "b"]]])(
    "cannot be overridden by %j; the error names it",
    (values) => {
      const apply = () => applyPins(pinned, declared, new Map([["project", values]]));
      expect(apply).toThrow(ServiceError);
      expect(apply).toThrow("may not choose the parameter project");
      const details = { parameter: "project", hint: "Leave project out: the token sets it." };
      expect(apply).toThrow(expect.objectContaining({ code: "pinned_parameter", details }));
    },
  );

  it('does not match null, even when its value is "null"', () => {
    const nulled = { project: "null" };
    const apply = (sent: unknown) => applyPins(nulled, declared, new Map([["project", [sent]]])).get("project");
    expect(apply("null")).toBe("null");
    expect(() => apply(null)).toThrow("may not choose the parameter project");
  });

  describe.each([
    ["a list", ["abc", "xyz"], "Send one project of abc, xyz.", { allowed: ["abc", "xyz"] }],
    ["a prefix", { prefix: "ab" }, "Send one project that begins with ab.", {}],
  ])("of %s", (_, pin, hint, allowed) => {
    const several = { project: pin };
    const apply = (...values: unknown[]) => applyPins(several, declared, new Map([["project", values]]));

    it("is the one that the call names", () => {
      expect(apply("abc").get("project")).toBe("abc");
      expect(apply("abc", "abc").get("project")).toBe("abc");
    });

    it.each([[["zzz"]], [[""]], [["ABC"]], [["xabc"]], [[null]], [[["abc"]]], [[{ prefix: "abc" }]], [["abc", "zzz"]]])(
      "is no other: %j",
      (values) => {
        const details = { parameter: "project", hint };
        expect(() => apply(...values)).toThrow(expect.objectContaining({ code: "pinned_parameter", details }));
      },
    );

    it("is only one of them in a call", () => {
      expect(() => apply("abc", Array.isArray(pin) ? "xyz" : "abd")).toThrow("may not choose the parameter project");
    });

    it("has to be named, whatever default the endpoint has", () => {
      const details = { parameter: "project", hint, ...allowed };
      expect(() => apply()).toThrow(expect.objectContaining({ code: "missing_parameter", details }));
    });

    it("is one of a parameter that the endpoint declares", () => {
      expect(() => applyPins(several, new Map(), new Map([["project", ["abc"]]]))).toThrow("does not take");
    });
  });

  it("of a prefix is one of texts: numbers have several spellings", () => {
    const prefixed = { n: { prefix: "1" } };
    const apply = (type: string) => applyPins(prefixed, new Map([["n", type]]), new Map([["n", ["1e3"]]]));
    expect(apply("string").get("n")).toBe("1e3");
    expect(() => apply("int64")).toThrow(
      "This token is bound by n, which this endpoint takes as int64: a prefix is one of texts",
    );
    const listed = { n: ["1", "2"] };
    expect(applyPins(listed, new Map([["n", "int64"]]), new Map([["n", [1]]])).get("n")).toBe("1");
  });

  it("has a hint of bounded length", () => {
    const long = { project: Array.from({ length: 21 }, (_, n) => `p${n}`) };
    expect(() => applyPins(long, declared, new Map())).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ hint: expect.stringMatching(/p18, p19, \.\.\.$/) }),
      }),
    );
  });

  it("refuses an endpoint that does not declare it", () => {
    expect(() => applyPins(pinned, new Map([["interval", "string"]]), new Map())).toThrow(
      expect.objectContaining({
        code: "pinned_parameter",
        message: "This token is bound by project, which this endpoint does not take",
        details: {
          parameter: "project",
          hint: "Use an endpoint that declares the parameter, or a token without the pin.",
        },
      }),
    );
  });
});

describe("a lifetime", () => {
  it.each([
    ["30d", 2_592_000_000],
    ["12h", 43_200_000],
    ["45s", 45_000],
    ["2w", 1_209_600_000],
    ["0s", 0],
    ["d", undefined],
    ["-1d", undefined],
    ["1.5h", undefined],
  ])("of %s is %s ms", (text, expected) => {
    expect(parseLifetime(text)).toBe(expected);
  });
});
