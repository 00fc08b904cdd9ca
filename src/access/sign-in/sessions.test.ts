import { expect, it } from "vitest";
import type { NewToken, TokenStore } from "../token.ts";
import type { Roles } from "./roles.ts";
import { createSessions } from "./sessions.ts";

const dayMs = 86_400_000;
const nowMs = Date.parse("2026-08-20T10:00:00Z");

function open() {
  const created: NewToken[] = [];
  const tokens = {
    create: async (token: NewToken) => {
      created.push(token);
      return { token, secret: "secret" };
    },
    removeEnded: async () => undefined,
  } as unknown as TokenStore;
  const roles = {
    grant: () => ({ scopes: ["query"], pins: {}, budget: {}, redaction: "fixed" }),
  } as unknown as Roles;
  const sessions = createSessions({
    ...{ tokens, roles, roleClaims: ["groups"], issuerName: "issuer", settings: [], now: () => nowMs },
  });
  return { sessions, created };
}

it.each([1e12, 1e15, Number.MAX_VALUE])(
  "an id token that ends in the second %d begins a session of 400 days",
  async (exp) => {
    const { sessions, created } = open();
    const { endsAt } = await sessions.start({ sub: "ada", exp });
    expect([endsAt, created[0]?.expiresAt]).toEqual([nowMs + 400 * dayMs, nowMs + 400 * dayMs]);
  },
);

it.each([undefined, "soon", Number.NaN, 0, -1e15, nowMs / 1_000])(
  "an id token that ends in %s begins none",
  async (exp) => {
    const { sessions, created } = open();
    await expect(sessions.start({ sub: "ada", exp })).rejects.toMatchObject({ code: "unauthorized" });
    expect(created).toEqual([]);
  },
);
