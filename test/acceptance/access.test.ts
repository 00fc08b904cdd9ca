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

describe("a token made on the command line while the service runs", () => {
  it("is 256 random bits, valid at once, and gone once revoked", async () => {
    const { id, token } = await createToken("--scope", "query");
    expect(Buffer.from(token.replace(/^.*_/, ""), "base64url").length).toBeGreaterThanOrEqual(32);
    expect((await query(token, { project: "abc" })).status).toBe(200);
    await logweir("token", "revoke", id);
    await expect.poll(async () => (await query(token, { project: "abc" })).status, { timeout: 3_000 }).toBe(401);
  });

  it("is listed without its value", async () => {
    const { token } = await createToken("--scope", "query", "--description", "dashboards");
    const list = await logweir("token", "list", "--json");
    expect(list).toContain("dashboards");
    expect(list).not.toContain(token);
  });

  it("of scope query may query every endpoint and not ingest", async () => {
    const { token } = await createToken("--scope", "query");
    expect((await query(token, { interval: "daily", project: "abc" }, "usage.api-counts")).status).toBe(200);
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": token })).status).toBe(401);
  });

  it("of one endpoint's scope may run that one only, by either of its names", async () => {
    const { token } = await createToken("--scope", "query:endpoint:logs.all");
    expect((await query(token, { project: "abc" })).status).toBe(200);
    expect((await query(token, { project: "abc" }, "1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690")).status).toBe(200);
    expect((await query(token, { interval: "daily", project: "abc" }, "usage.api-counts")).status).toBe(401);
  });

  it("of one source's scope may write there only", async () => {
    const { token } = await createToken("--scope", "ingest:source:auth");
    expect((await postEvents(service.url, "auth", "[]", { "x-api-key": token })).status).toBe(200);
    expect((await postEvents(service.url, "gotrue.logs.prod", "[]", { "x-api-key": token })).status).toBe(200);
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": token })).status).toBe(401);
  });

  it("that has expired is refused", async () => {
    const { token } = await createToken("--scope", "query", "--expires", "0s");
    expect((await query(token, { project: "abc" })).status).toBe(401);
  });

  it("with an unknown scope is not made", async () => {
    await expect(createToken("--scope", "everything")).rejects.toThrow(/everything/);
  });
});

describe("a token with a pinned parameter", () => {
  it("reads the pinned project, whether it is sent or not, and no other", async () => {
    const { token } = await createToken("--scope", "query", "--pin", "project=abc");
    const rows = async (parameters: Record<string, string>) =>
      ((await (await query(token, parameters)).json()) as { result: { id: string }[] }).result;
    expect((await rows({})).map((row) => row.id)).toEqual(["a1"]);
    expect((await rows({ project: "abc" })).map((row) => row.id)).toEqual(["a1"]);
    const refused = await query(token, { project: "xyz" });
    expect(await readError(refused)).toMatchObject({ status: 403, parameter: "project" });
  });

  it("cannot be got round by a body or a second value", async () => {
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

describe("the fixed tokens", () => {
  it("LOGWEIR_PUBLIC_TOKEN may ingest and not query", async () => {
    expect((await postEvents(service.url, "edge", "[]", { "x-api-key": publicToken })).status).toBe(200);
    expect((await query(publicToken, { project: "abc" })).status).toBe(401);
  });
});
