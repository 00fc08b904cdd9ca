import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf } from "../support/run-command.ts";
import { postEvents, publicToken, readError, type Service, startService } from "./service.ts";

let service: Service;

/** The CLI on the running service's data folder. */
async function logweir(...args: string[]): Promise<string> {
  return outputOf(args, { LOGWEIR_DATA_DIR: service.dataDir });
}

async function createToken(...args: string[]): Promise<{ id: string; token: string }> {
  return JSON.parse(await logweir("token", "create", "--json", ...args)) as { id: string; token: string };
}

const query = (token: string, parameters: Record<string, string>, endpoint = "logs.all") =>
  service.get(`/api/endpoints/query/${endpoint}`, parameters, { "x-api-key": token });

beforeAll(async () => {
  service = await startService();
  await service.ingest("edge", [
    { id: "a1", timestamp: "2026-08-20T09:00:00Z", project: "abc" },
    { id: "x1", timestamp: "2026-08-20T09:00:00Z", project: "xyz" },
  ]);
});

afterAll(async () => {
  await service.stop();
});

describe("a token created on the command line while the service runs", () => {
  it("has 256 random bits, is valid immediately and stops working once revoked", async () => {
    const { id, token } = await createToken("--scope", "query");
    expect(Buffer.from(token.replace(/^.*_/, ""), "base64url").length).toBeGreaterThanOrEqual(32);
    expect((await query(token, { project: "abc" })).status).toBe(200);
    await logweir("token", "revoke", id);
    await expect.poll(async () => (await query(token, { project: "abc" })).status).toBe(401);
  });

  it("is refused within a body, and within a query that runs, once it is revoked", async () => {
    const { id, token } = await createToken("--scope", "private");
    const headers = { "x-api-key": token, "content-type": "application/json" };
    const sending = request(`${service.url}/api/logs?source=edge`, { method: "POST", headers });
    sending.write("[");
    const answered = once(sending, "response");
    const numbers = "UNNEST(GENERATE_ARRAY(1, 100000))";
    const sql = `SELECT COUNT(*) AS n FROM ${numbers} AS a, ${numbers} AS b WHERE a * b = 7`;
    const running = service.get("/api/query", { sql }, { "x-api-key": token });
    await logweir("token", "revoke", id);
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    sending.destroy();
    expect((await running).status).toBe(401);
  });

  it("appears in the list without its value", async () => {
    const { token } = await createToken("--scope", "query", "--description", "dashboards");
    const list = await logweir("token", "list", "--json");
    expect(list).toContain("dashboards");
    expect(list).not.toContain(token);
  });

  it("may query every endpoint but not ingest when its scope is query", async () => {
    const { token } = await createToken("--scope", "query");
    expect((await query(token, { interval: "daily", project: "abc" }, "usage.api-counts")).status).toBe(200);
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": token })).status).toBe(401);
  });

  it("may run only one endpoint, by name or by UUID, when its scope names that endpoint", async () => {
    const { token } = await createToken("--scope", "query:endpoint:logs.all");
    expect((await query(token, { project: "abc" })).status).toBe(200);
    expect((await query(token, { project: "abc" }, "1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690")).status).toBe(200);
    expect((await query(token, { interval: "daily", project: "abc" }, "usage.api-counts")).status).toBe(401);
  });

  it("may write only to one source, by name or by alias, when its scope names that source", async () => {
    const { token } = await createToken("--scope", "ingest:source:auth");
    expect((await postEvents(service.url, "auth", "[]", { "x-api-key": token })).status).toBe(200);
    expect((await postEvents(service.url, "gotrue.logs.prod", "[]", { "x-api-key": token })).status).toBe(200);
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": token })).status).toBe(401);
  });

  it("is refused once it has expired", async () => {
    const { token } = await createToken("--scope", "query", "--expires", "0s");
    expect((await query(token, { project: "abc" })).status).toBe(401);
  });

  it("is not created when its scope is unknown", async () => {
    await expect(createToken("--scope", "everything")).rejects.toThrow(/everything/);
  });
});

describe("a token with a pinned parameter", () => {
  it("reads only the pinned project, whether or not the call sends the parameter", async () => {
    const { token } = await createToken("--scope", "query", "--pin", "project=abc");
    const rows = async (parameters: Record<string, string>) =>
      ((await (await query(token, parameters)).json()) as { result: { id: string }[] }).result;
    expect((await rows({})).map((row) => row.id)).toEqual(["a1"]);
    expect((await rows({ project: "abc" })).map((row) => row.id)).toEqual(["a1"]);
    const refused = await query(token, { project: "xyz" });
    expect(await readError(refused)).toMatchObject({ status: 403, parameter: "project" });
  });

  it("cannot be bypassed by a request body, a second value or another letter case", async () => {
    const { token } = await createToken("--scope", "query", "--pin", "project=abc");
    const url = `${service.url}/api/endpoints/query/logs.all`;
    const headers = { "x-api-key": token, "content-type": "application/json" };
    const posted = await fetch(url, { method: "POST", headers, body: JSON.stringify({ project: "xyz" }) });
    expect(posted.status).toBe(403);
    const twice = await fetch(`${url}?project=abc&project=xyz`, { headers: { "x-api-key": token } });
    expect(twice.status).toBeGreaterThanOrEqual(400);
    const cased = (await (await fetch(`${url}?PROJECT=xyz`, { headers: { "x-api-key": token } })).json()) as {
      result?: { id: string }[];
    };
    expect(cased.result?.map((row) => row.id) ?? ["a1"]).toEqual(["a1"]);
  });
});

describe("the configured token", () => {
  it("LOGWEIR_PUBLIC_TOKEN may ingest but not query", async () => {
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": publicToken })).status).toBe(200);
    expect((await query(publicToken, { project: "abc" })).status).toBe(401);
  });
});
