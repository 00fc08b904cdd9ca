import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp } from "../../../../test/support/test-app.ts";
import { type Authenticator, createAuthenticator } from "../../../access/authenticator.ts";
import type { TokenStore } from "../../../access/token.ts";
import type { TokenDocument } from "../../../access/token-document.ts";
import type { AuditEvent } from "../../../audit/audit-event.ts";
import type { MetadataDatabase } from "../../../metadata/database.ts";
import { openMetadata } from "../../../metadata/open-metadata.ts";
import { createTokenStore } from "../../../metadata/token-store.ts";
import { demotePinnedOwners } from "../../../service/demote-pinned-owners.ts";
import type { ErrorBody } from "../../../shared/errors.ts";
import { addAccessTokenRoutes } from "./access-tokens.ts";

const ownSecret = "the-fixed-private-token";

let app: FastifyInstance;
let metadata: MetadataDatabase;
let tokens: TokenStore;
let authenticator: Authenticator;
let audited: AuditEvent[];
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.parse("2026-08-20T09:00:00Z");
  audited = [];
  metadata = await openMetadata(":memory:");
  tokens = createTokenStore(metadata, () => nowMs);
  authenticator = createAuthenticator(tokens, [{ id: "owner", secret: ownSecret, scopes: ["private"] }], () => nowMs);
  app = (await createTestApp({ parts: { authenticator } })).app;
  addAccessTokenRoutes(app, {
    tokens,
    audit: { record: (event) => void audited.push(event) },
    nowMs: () => nowMs,
  });
});

afterEach(async () => {
  await app.close();
  await metadata.close();
});

/** A token, with its value where it was made, or an error. */
interface Answer {
  readonly status: number;
  readonly body: TokenDocument & ErrorBody & { readonly token: string };
}

async function call(method: "GET" | "POST" | "DELETE", path = "", payload?: unknown, key = ownSecret): Promise<Answer> {
  const response = await app.inject({
    method,
    url: `/api/access-tokens${path}`,
    headers: { "x-api-key": key, ...(payload === undefined ? {} : { "content-type": "application/json" }) },
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  });
  return { status: response.statusCode, body: JSON.parse(response.body === "" ? "{}" : response.body) };
}

const make = async (payload: unknown, key = ownSecret) => (await call("POST", "", payload, key)).body;

describe("creating a token", () => {
  it("answers 201 with its value, which no other response contains", async () => {
    const document = {
      description: "dashboards",
      scopes: ["query:endpoint:logs.all", "ingest"],
      pins: { project: "abc", tier: 3 },
      budget: { max_rows: 10 },
      redaction: "required",
      expires: "30d",
    };
    const { status, body } = await call("POST", "", document);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      token: expect.stringMatching(/^lw_[0-9a-f]{64}$/),
      description: "dashboards",
      scopes: ["query:endpoint:logs.all", "ingest"],
      pins: { project: "abc", tier: "3" },
      budget: { max_rows: 10 },
      redaction: "required",
      created_at: "2026-08-20T09:00:00.000Z",
      expires_at: "2026-09-19T09:00:00.000Z",
      rotated_at: null,
      previous_valid_until: null,
      revoked_at: null,
      status: "active",
    });
    const { token, ...shown } = body;
    expect((await call("GET", `/${body.id}`)).body).toEqual(shown);
    expect((await call("GET")).body).toEqual([shown]);
    expect(await authenticator.authenticate(token)).toMatchObject({ tokenId: body.id, pins: { project: "abc" } });
    expect(JSON.stringify(audited)).not.toContain(token);
    expect(audited).toMatchObject([{ action: "token.create", actor: "owner", target: body.id }]);
    expect(JSON.stringify(audited)).not.toMatch(/\babc\b/);
  });

  it("accepts scopes as text, the reference's scope public, and an expiry time", async () => {
    expect(await make({ scopes: "query public", expires_at: "2026-08-21" })).toMatchObject({
      scopes: ["query", "ingest"],
      expires_at: "2026-08-21T00:00:00.000Z",
      redaction: "fixed",
    });
    expect(await make({ scopes: ["private"] })).toMatchObject({ redaction: "switchable", expires_at: null, pins: {} });
  });

  it("reports all errors by field", async () => {
    const { status, body } = await call("POST", "", {
      scopes: ["everything", "query:endpoint:a b", 3],
      description: "x".repeat(501),
      pins: { project: [] },
      budget: { max_rows: 0, cake: 1 },
      redaction: "never",
      expires_at: "2026-08-20T08:00:00Z",
      scope: "query",
    });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: "validation_failed", status: 422 });
    const { fields = {} } = body.error;
    expect(Object.keys(fields).sort()).toEqual([
      "budget",
      "description",
      "expires_at",
      "pins",
      "redaction",
      "scope",
      "scopes",
    ]);
    expect(fields.scopes).toHaveLength(3);
    expect(fields.budget).toHaveLength(2);
    expect(await tokens.list()).toEqual([]);
  });

  it.each([
    [{}, "scopes"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: "" }, "scopes"],
    [{ scopes: ["query"], expires: "soon" }, "expires"],
    [{ scopes: ["query"], expires: "1d", expires_at: "2027-01-01" }, "expires"],
    [{ scopes: ["query"], expires_at: "2027-01-01T00:00:00" }, "expires_at"],
    [{ scopes: ["query"], pins: "project=a" }, "pins"],
    [{ scopes: ["query"], budget: [] }, "budget"],
    [{ scopes: ["query"], description: 3 }, "description"],
  ])("refuses %j", async (document, field) => {
    const { status, body } = await call("POST", "", document);
    expect(status).toBe(422);
    expect(Object.keys(body.error.fields ?? {})).toEqual([field]);
  });

  it("accepts pins of any name", async () => {
    const response = await app.inject({
      method: "POST",
      url: "/api/access-tokens",
      headers: { "x-api-key": ownSecret, "content-type": "application/json" },
      payload: '{"scopes":["query"],"pins":{"__proto__":"x","constructor":"y"}}',
    });
    expect(response.body).toContain('"pins":{"__proto__":"x","constructor":"y"}');
    const { token } = response.json() as { token: string };
    expect(Object.keys((await authenticator.authenticate(token))?.pins ?? {})).toEqual(["__proto__", "constructor"]);
  });

  it("requires a JSON object and the scope private", async () => {
    expect((await call("POST", "", [])).body.error.code).toBe("invalid_body");
    const wrongType = await app.inject({
      method: "POST",
      url: "/api/access-tokens",
      headers: { "x-api-key": ownSecret, "content-type": "text/plain" },
      payload: "scopes=query",
    });
    expect(wrongType.json()).toMatchObject({ error: { code: "unsupported_media_type" } });
    const asForm = await app.inject({
      method: "POST",
      url: "/api/access-tokens",
      headers: { "x-api-key": ownSecret, "content-type": "application/x-www-form-urlencoded" },
      payload: '{"scopes":["query"]}',
    });
    expect(asForm.statusCode).toBe(201);
    const { token } = await make({ scopes: ["query", "ingest", "metrics"] });
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/x"],
      ["POST", "/x/rotate"],
      ["DELETE", "/x"],
    ] as const) {
      expect((await call(method, path, undefined, token)).body.error.code).toBe("insufficient_scope");
      expect((await call(method, path, undefined, "nobody")).body.error.code).toBe("unauthorized");
    }
  });
});

describe("a pinned token", () => {
  const both = /a pinned token cannot have the scope private/;

  it.each([
    [{ scopes: ["private"], pins: { project: "abc" } }],
    [{ scopes: "query private", pins: { tier: 3 } }],
    [{ scopes: ["ingest", "private"], pins: { project: "" } }],
  ])("cannot be created with the scope private: %j", async (document) => {
    const { status, body } = await call("POST", "", document);
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.fields).toEqual({
      scopes: [expect.stringMatching(both)],
      pins: [expect.stringMatching(both)],
    });
  });

  it("may have every other scope, and a private token may have an empty list of pins", async () => {
    expect(await make({ scopes: ["query", "ingest", "metrics"], pins: { project: "abc" } })).toHaveProperty("token");
    expect(await make({ scopes: ["private"], pins: {} })).toMatchObject({ scopes: ["private"] });
  });

  it("that still has private loses it wherever tokens are read, and permanently once this was logged", async () => {
    const { id, token } = await make({ scopes: ["private", "ingest"] });
    const { queries } = metadata;
    await queries.updateTable("tokens").set({ pins: '{"project":"abc"}' }).where("id", "=", id).execute();
    const fresh = createAuthenticator(
      createTokenStore(metadata, () => nowMs),
      [],
      () => nowMs,
    );
    expect(await fresh.authenticate(token)).toMatchObject({ scopes: ["ingest"], pins: { project: "abc" } });
    expect((await call("GET", `/${id}`)).body.scopes).toEqual(["ingest"]);
    expect((await call("POST", `/${id}/rotate`)).body.scopes).toEqual(["ingest"]);
    const warnings: string[] = [];
    const audit = { record: (event: AuditEvent) => void audited.push(event) };
    for (let start = 0; start < 2; start++) {
      await demotePinnedOwners(tokens, audit, (message) => void warnings.push(message));
    }
    expect(warnings).toEqual([
      `The token ${id} is pinned (project) and lost the scope private, which pins do not bind; it still has ingest`,
    ]);
    expect(audited.filter(({ action }) => action === "token.update")).toEqual([
      {
        action: "token.update",
        actor: "upgrade",
        target: id,
        details: { scopes: "ingest", removed_scope: "private", pinned: "project" },
      },
    ]);
    const row = await queries.selectFrom("tokens").select("scopes").where("id", "=", id).executeTakeFirst();
    expect(row?.scopes).toBe('["ingest"]');
  });
});

describe("an owner's token with limits", () => {
  it("passes its limits on to the tokens it creates, and cannot create wider ones", async () => {
    const { token } = await make({
      scopes: ["private"],
      budget: { max_rows: 100 },
      redaction: "required",
    });
    expect(
      await make({ scopes: ["query"], pins: { tier: "x" }, budget: { query_timeout_ms: 5 } }, token),
    ).toMatchObject({
      pins: { tier: "x" },
      budget: { max_rows: 100, query_timeout_ms: 5 },
      redaction: "required",
    });
    const wider = { scopes: ["query"], pins: { project: "xyz" }, budget: { max_rows: 101 }, redaction: "fixed" };
    const { body } = await call("POST", "", wider, token);
    expect(Object.keys(body.error.fields ?? {}).sort()).toEqual(["budget", "redaction"]);
  });

  it("cannot rotate a token that may do more than itself", async () => {
    const { token } = await make({ scopes: ["private"], budget: { max_rows: 100 } });
    const other = await make({ scopes: ["query"] });
    expect((await call("POST", `/${other.id}/rotate`, undefined, token)).body.error.code).toBe("insufficient_scope");
    const bound = await make({ scopes: ["query"] }, token);
    expect((await call("POST", `/${bound.id}/rotate`, undefined, token)).status).toBe(200);
  });
});

describe("rotating a token", () => {
  it("gives it a new value and refuses the old one immediately", async () => {
    const { id, token } = await make({ scopes: ["query"], description: "d" });
    nowMs += 1_000;
    const { status, body } = await call("POST", `/${id}/rotate`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      description: "d",
      rotated_at: "2026-08-20T09:00:01.000Z",
      previous_valid_until: null,
    });
    expect(body.token).not.toBe(token);
    expect(await authenticator.authenticate(token)).toBeUndefined();
    expect(await authenticator.authenticate(body.token)).toMatchObject({ tokenId: id });
    expect(audited.at(-1)).toMatchObject({ action: "token.rotate", target: id });
  });

  it("accepts the old value for a requested grace period, which a revocation ends", async () => {
    const { id, token } = await make({ scopes: ["query"] });
    const { body } = await call("POST", `/${id}/rotate`, { grace: "10m" });
    expect(body.previous_valid_until).toBe("2026-08-20T09:10:00.000Z");
    nowMs += 599_999;
    expect(await authenticator.authenticate(token)).toMatchObject({ tokenId: id });
    nowMs += 1;
    expect(await authenticator.authenticate(token)).toBeUndefined();
    expect((await call("GET", `/${id}`)).body.previous_valid_until).toBeNull();
    const again = await call("POST", `/${id}/rotate`, { grace: "1d" });
    await call("DELETE", `/${id}`);
    expect(await authenticator.authenticate(body.token)).toBeUndefined();
    expect(await authenticator.authenticate(again.body.token)).toBeUndefined();
  });

  it.each([[{ grace: "8d" }], [{ grace: "soon" }], [{ grace: "1m", more: 1 }]])("refuses %j", async (document) => {
    const { id, token } = await make({ scopes: ["query"] });
    expect((await call("POST", `/${id}/rotate`, document)).status).toBe(422);
    expect(await authenticator.authenticate(token)).toBeDefined();
  });
});

describe("deleting a token", () => {
  it("answers 204, after which the token is refused and no longer found", async () => {
    const { id, token } = await make({ scopes: ["query"] });
    expect(await call("DELETE", `/${id}`)).toEqual({ status: 204, body: {} });
    expect(await authenticator.authenticate(token)).toBeUndefined();
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
    ] as const) {
      expect((await call(method, `/${id}${path}`)).body.error.code).toBe("unknown_token");
    }
    expect((await call("GET")).body).toEqual([]);
    expect((await call("GET", "?revoked=true")).body).toMatchObject([{ id, status: "revoked" }]);
  });

  it("accepts the token's value in place of its id", async () => {
    const { token } = await make({ scopes: ["query"] });
    expect((await call("DELETE", `/${token}`)).status).toBe(204);
    const { body } = await call("DELETE", `/${token}`);
    expect(body.error.code).toBe("unknown_token");
    expect(JSON.stringify(body)).not.toContain(token);
  });
});

describe("a list for callers that ask for pages", () => {
  const list = async (address: string) => {
    const answer = await app.inject({ url: address, headers: { "x-api-key": ownSecret } });
    const link = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
    const body = answer.json<readonly { readonly id: string }[] & ErrorBody>();
    return { status: answer.statusCode, link, body };
  };
  const path = "/api/access-tokens";

  it("has each item once, whatever comes and goes meanwhile", async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, async () => (await call("POST", "", { scopes: ["query"] })).body.id),
    );
    const sorted = made.toSorted();
    const first = await list(`${path}?revoked=true&limit=2`);
    expect(first.body.map(({ id }) => id)).toEqual(sorted.slice(0, 2));
    expect(first.link).toBe(`${path}?revoked=true&limit=2&cursor=${sorted[1]}`);
    await call("DELETE", `/${sorted[1]}`);
    await call("DELETE", `/${sorted[3]}`);
    const second = await list(`${path}?limit=2&cursor=${sorted[1]}`);
    expect(second.body.map(({ id }) => id)).toEqual([sorted[2], sorted[4]]);
    expect(second.link).toBeUndefined();
    for (const address of [path, `${path}?limit=`]) {
      const whole = await list(address);
      expect([whole.body.length, whole.link]).toEqual([3, undefined]);
    }
  });

  it.each(["0", "1001", "1.5", "x"])("refuses a limit of %j", async (limit) => {
    const { status, body } = await list(`${path}?limit=${limit}`);
    expect([status, body.error.parameter]).toEqual([400, "limit"]);
  });
});
