import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import type { RedactionPolicy } from "../access/scope.ts";
import type { SignIn } from "./request/find-person.ts";

const parts = {
  management: { metadata: {}, views: {}, tokens: {} } as never,
  drains: { backends: [] } as never,
  alerts: { alerts: [] } as never,
  forgetting: {} as never,
};

let test: TestApp;

beforeAll(async () => {
  // Who signs in without a token is refused just where such a token is.
  const signIn: SignIn = {
    findProxied({ rawHeaders }) {
      const redaction = rawHeaders[rawHeaders.indexOf("x-user") + 1] as RedactionPolicy;
      const rights = { scopes: ["private"], pins: {}, budget: {}, redaction };
      return rawHeaders.includes("x-user") ? { tokenId: "proxy:ada:0", ...rights } : undefined;
    },
  };
  test = await createTestApp({ parts: { ...parts, signIn } });
});

afterAll(() => test.app.close());

/**
 * The access of an owner's token that must see redacted data to each route of owners. Open: the route returns no text
 * of events, or redacts it, and creates nothing that would return it. Closed: all others. A new route needs a row.
 */
const access: Readonly<Record<string, "open" | "closed">> = {
  // Definitions say what is asked, not what is stored. A query that is saved reads raw values, and spells them freely.
  "GET /api/endpoints": "open",
  "POST /api/endpoints": "closed",
  "POST /api/endpoints/validate": "closed",
  "GET /api/endpoints/:endpoint": "open",
  "PUT /api/endpoints/:endpoint": "closed",
  "PATCH /api/endpoints/:endpoint": "closed",
  "DELETE /api/endpoints/:endpoint": "closed",
  "GET /api/endpoints/:endpoint/versions": "open",
  "GET /api/endpoints/:endpoint/versions/:version": "open",
  "GET /api/endpoints/:endpoint/versions/:version/diff/:other": "open",
  "POST /api/endpoints/:endpoint/versions/:version/rollback": "closed",
  "GET /api/endpoints/:endpoint/tests": "closed",
  "POST /api/endpoints/:endpoint/tests": "closed",

  // An owner's query reads raw values too; what is told of its text is no row.
  "GET /api/query": "closed",
  "POST /api/query": "closed",
  "GET /api/query/parse": "open",
  "POST /api/query/parse": "open",

  // Events are redacted for the token.
  "GET /api/sources": "open",
  "GET /api/sources/:source": "open",
  "GET /api/sources/:source/schema": "open",
  "GET /api/sources/:source/recent": "open",
  "GET /api/sources/:source/events": "open",
  "POST /api/sources": "open",
  "PUT /api/sources/:source": "open",
  "PATCH /api/sources/:source": "open",
  "DELETE /api/sources/:source": "open",
  "PUT /api/sources/:source/retention": "open",

  // Counts tell whether an id or a tenant is stored.
  "DELETE /api/sources/:source/events": "closed",

  // Events leave as they were sent, and a destination's errors may repeat them.
  "GET /api/backends": "closed",
  "POST /api/backends": "closed",
  "GET /api/backends/:id": "closed",
  "PUT /api/backends/:id": "closed",
  "PATCH /api/backends/:id": "closed",
  "DELETE /api/backends/:id": "closed",
  "POST /api/backends/:id/test": "closed",
  "GET /api/rules": "closed",
  "POST /api/rules": "closed",
  "GET /api/rules/:id": "closed",
  "PUT /api/rules/:id": "closed",
  "PATCH /api/rules/:id": "closed",
  "DELETE /api/rules/:id": "closed",

  // Rows are sent as they are stored, to whatever destination.
  "GET /api/alerts": "closed",
  "POST /api/alerts": "closed",
  "GET /api/alerts/:id": "closed",
  "PUT /api/alerts/:id": "closed",
  "PATCH /api/alerts/:id": "closed",
  "DELETE /api/alerts/:id": "closed",
  "GET /api/alerts/:id/state": "closed",
  "POST /api/alerts/:id/silence": "closed",
  "POST /api/alerts/:id/test": "closed",

  // A token that it makes, or gives a new value, must see redacted data too, and ends no later.
  "GET /api/access-tokens": "open",
  "POST /api/access-tokens": "open",
  "GET /api/access-tokens/:id": "open",
  "DELETE /api/access-tokens/:id": "open",
  "POST /api/access-tokens/:id/rotate": "open",

  // Copies of events; slices have digests of them, and the state of the store has examples of values.
  "GET /api/store": "closed",
  "GET /api/store/backup": "closed",
  "POST /api/store/backup": "closed",
  "GET /api/store/slices": "closed",
  "GET /api/store/events": "closed",

  "GET /api/statistics/endpoints": "open",
  "GET /api/statistics/sources": "open",
  "POST /api/cache/clear": "open",
  "POST /api/reload": "open",
};

function callsOfOwners(): readonly { readonly name: string; readonly method: string; readonly url: string }[] {
  return test.app.registeredRoutes
    .filter(({ access }) => access.scope === "private")
    .flatMap(({ methods, url }) => methods.map((method) => ({ name: `${method} ${url}`, method, url })))
    .filter(({ method }) => method !== "HEAD");
}

describe("a token of the scope private that must see redacted data", () => {
  it("has a row for every route of owners", () => {
    expect([...new Set(callsOfOwners().map(({ name }) => name))].sort()).toEqual(Object.keys(access).sort());
  });

  it("is refused, with a hint, by every route that may give out what is not redacted, and by no other", async () => {
    for (const { name, method, url } of callsOfOwners()) {
      const inject = (caller: Record<string, string>) =>
        test.app.inject({
          method: method as "GET",
          url: url.replaceAll(/:\w+/g, "open"),
          headers: { ...caller, "lf-endpoint-redact-pii": "false", "content-type": "application/json" },
          ...(method === "GET" ? {} : { payload: "{}" }),
        });
      const refusal = "This token must see redacted data, which this call does not redact";
      const person = (redaction: RedactionPolicy) => ({ "x-user": redaction, "x-logweir-session": "1" });
      for (const caller of [{ "x-api-key": "redacted-token" }, person("required")]) {
        const isRefused = (await inject(caller)).body.includes(refusal);
        expect([name, isRefused ? "closed" : "open"]).toEqual([name, access[name]]);
      }
      for (const caller of [{ "x-api-key": "private-token" }, person("switchable")]) {
        expect([name, (await inject(caller)).body.includes(refusal)]).toEqual([name, false]);
      }
    }
    const { statusCode, body } = await test.app.inject({
      url: "/api/query",
      headers: { "x-api-key": "redacted-token" },
    });
    expect([statusCode, JSON.parse(body).error.hint]).toEqual([
      401,
      expect.stringContaining("Read through an endpoint"),
    ]);
  });
});
