import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp({ sources: ["web"] });
});

afterEach(() => test.app.close());

interface Session {
  readonly may: object;
  readonly endpoints: readonly { readonly name: string; readonly parameters: readonly { readonly name: string }[] }[];
  readonly [field: string]: unknown;
}

async function read(token: string) {
  const response = await test.app.inject({ url: "/api/session", headers: { "x-api-key": token } });
  return { status: response.statusCode, headers: response.headers, session: response.json<Session>() };
}

describe("GET /api/session", () => {
  it("shows an owner everything, and must not be cached", async () => {
    const { status, headers, session } = await read("private-token");
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "cache-control": "no-store", vary: "X-API-KEY, Authorization" });
    const { endpoints, ...rest } = session;
    expect(rest).toEqual({
      token: { id: "p", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" },
      person: null,
      may: { query: true, manage: true, ingest: true, metrics: true },
      sources: ["edge", "db", "web", "logweir.audit"],
      ingest_sources: ["edge", "db", "web"],
      now: "2026-08-20T09:00:00.000Z",
    });
    expect(endpoints.map(({ name }) => name)).toEqual(["cached", "closed", "open"]);
    expect(endpoints[2]).toMatchObject({
      id: "00000000-0000-4000-8000-00000000000a",
      name: "open",
      description: null,
      sandbox: true,
      max_rows: 1_000,
      parameters: [{ name: "project" }, { name: "since" }, { name: "interval" }],
    });
    expect(endpoints[1]).toMatchObject({ sandbox: false });
  });

  it.each([
    ["query-token", { query: true, manage: false, ingest: false, metrics: false }, ["cached", "closed", "open"], []],
    ["one-token", { query: true, manage: false, ingest: false, metrics: false }, ["open"], []],
    ["ingest-token", { query: false, manage: false, ingest: true, metrics: false }, [], ["edge", "db", "web"]],
    ["edge-token", { query: false, manage: false, ingest: true, metrics: false }, [], ["edge"]],
    ["metrics-token", { query: false, manage: false, ingest: false, metrics: true }, [], []],
  ])("shows the permissions of the %s", async (token, may, endpoints, ingestSources) => {
    const { session } = await read(token);
    expect(session.may).toEqual(may);
    expect(session.endpoints.map(({ name }) => name)).toEqual(endpoints);
    expect([session.sources, session.ingest_sources]).toEqual([[], ingestSources]);
  });

  it("omits endpoints that lack a pinned parameter, and parameters that the token pins", async () => {
    const { session } = await read("pinned-token");
    expect(session.endpoints.map(({ name, parameters }) => [name, parameters.map((each) => each.name)])).toEqual([
      ["cached", []],
      ["open", ["since", "interval"]],
    ]);
    expect(session.token).toMatchObject({ pins: { project: "abc" } });
  });

  it("tells which values of a pin are to be chosen from", async () => {
    const chosen = async (token: string) => (await read(token)).session.endpoints.at(-1)?.parameters[0];
    const parameter = { name: "project", required: true, default: null };
    expect(await chosen("list-token")).toMatchObject({ ...parameter, allowed: ["abc", "abd"] });
    expect(await chosen("prefix-token")).toMatchObject({
      ...parameter,
      ...{ allowed: null, description: "Send one project that begins with ab." },
    });
  });

  it("is refused without a known token", async () => {
    expect((await read("nobody")).status).toBe(401);
  });
});
