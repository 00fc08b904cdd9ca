import { describe, expect } from "vitest";
import { privateToken, publicToken, readError, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;
const uuid = "1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690";
const project = "running";

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  await service.ingest("edge", [{ id: "one", timestamp: "2026-08-20T09:00:00Z", project, event_message: "hello" }]);
});

describe("an endpoint's address", () => {
  it.each([
    `/api/endpoints/query/${uuid}`,
    `/api/endpoints/query/${uuid.toUpperCase()}`,
    "/api/endpoints/query/logs.all",
    "/api/endpoints/query/name/logs.all",
    "/endpoints/query/logs.all",
    `/endpoints/query/${uuid}`,
  ])("GET %s runs logs.all", async (path) => {
    const response = await service.get(path, { project });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const body = (await response.json()) as { result: { id: string }[] };
    expect(Object.keys(body)).toEqual(["result"]);
    expect(body.result.map((row) => row.id)).toEqual(["one"]);
  });

  it("accepts POST with parameters in a JSON body", async () => {
    const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/json" },
      body: JSON.stringify({ project, sql: "select id from edge_logs" }),
    });
    expect(await response.json()).toEqual({ result: [{ id: "one" }] });
  });

  it("accepts POST with parameters in a form", async () => {
    const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ project, sql: "select id from edge_logs" }).toString(),
    });
    expect(await response.json()).toEqual({ result: [{ id: "one" }] });
  });

  it("accepts GET with a JSON content type and no body", async () => {
    const headers = { "x-api-key": privateToken, "content-type": "application/json; charset=utf-8" };
    const response = await service.get("/api/endpoints/query/logs.all", { project }, headers);
    expect(response.status).toBe(200);
  });

  it("that is unknown is answered with 404 for a valid token and 401 without one", async () => {
    expect((await service.get("/api/endpoints/query/logs.none")).status).toBe(404);
    expect((await service.get("/api/endpoints/query/logs.none", {}, {})).status).toBe(401);
    expect((await service.get("/api/endpoints/query/00000000-0000-4000-8000-000000000000")).status).toBe(404);
  });

  it("is not matched by a prefix or by a similar name", async () => {
    expect((await service.get("/api/endpoints/query/logs.all.staging")).status).toBe(404);
    expect((await service.get("/api/endpoints/query/logs-all")).status).toBe(404);
  });
});

describe("the token", () => {
  it.each([
    ["X-API-KEY", { "X-API-KEY": privateToken }],
    ["Authorization: Bearer", { authorization: `Bearer ${privateToken}` }],
  ])("is read from %s", async (_, headers) => {
    expect((await service.get("/api/endpoints/query/logs.all", { project }, headers)).status).toBe(200);
  });

  it("is read from the parameter api_key", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, api_key: privateToken }, {});
    expect(response.status).toBe(200);
  });

  it.each([
    ["missing", {}],
    ["wrong", { "x-api-key": "nonsense" }],
    ["empty", { "x-api-key": "" }],
    ["of another scope", { "x-api-key": publicToken }],
  ])("that is %s is answered with 401 in the error shape", async (_, headers) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project }, headers);
    expect(response.status).toBe(401);
    const error = await readError(response);
    expect(error.message.length).toBeGreaterThan(10);
    expect(error.code).toMatch(/^[a-z_]+$/);
  });

  it("is the same for calls by identifier and by name", async () => {
    for (const name of [uuid, "logs.all"]) {
      expect((await service.get(`/api/endpoints/query/${name}`, { project })).status).toBe(200);
      expect((await service.get(`/api/endpoints/query/${name}`, { project }, { "x-api-key": "no" })).status).toBe(401);
    }
  });
});

describe("a value in an answer", () => {
  const select = async (sql: string) => (await service.rows("logs.all", { project, sql }))[0];

  it.each([
    ["timestamp '2026-08-20 09:00:00.123456+00'", 1_787_216_400_123_456],
    ["datetime '2026-08-20 09:00:00'", "2026-08-20T09:00:00"],
    ["datetime '2026-08-20 09:00:00.5'", "2026-08-20T09:00:00.500000"],
    ["date '2026-08-20'", "2026-08-20"],
    ["time '09:00:00'", "09:00:00"],
    ["42", 42],
    ["9007199254740993", "9007199254740993"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["1.5", 1.5],
    ["numeric '1.50'", "1.5"],
    ["b'abc'", "YWJj"],
    ["true", true],
    ["cast(null as string)", null],
    ["[1, 2]", [1, 2]],
    ["struct(1 as a, 'x' as b)", { a: 1, b: "x" }],
    ["'quote \" and \\\\ and ü😀'", 'quote " and \\ and ü😀'],
  ])("for %s has the right JSON form", async (expression, value) => {
    expect(await select(`select ${expression} as v from edge_logs`)).toEqual({ v: value });
  });

  it("in a column without a name is under f0_ or f1_, in the order of SELECT", async () => {
    const row = await select("select 1, 'x' as b, 2, id as a from edge_logs");
    expect(Object.entries(row ?? {})).toEqual([
      ["f0_", 1],
      ["b", "x"],
      ["f1_", 2],
      ["a", "one"],
    ]);
  });
});

describe("errors", () => {
  it("in the consumer's SQL are 400 with line and column", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", {
      project,
      sql: "select id,\n  idd\nfrom edge_logs",
    });
    expect(response.status).toBe(400);
    const error = await readError(response);
    expect(error).toMatchObject({ line: 2, column: 3 });
    expect(error.message).toContain("idd");
  });

  it("of syntax are 400 with line and column", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", {
      project,
      sql: "select id from from edge_logs",
    });
    expect(response.status).toBe(400);
    expect(await readError(response)).toMatchObject({ line: 1, column: 16 });
  });

  it("at run time are 400 and reveal nothing of the owner's SQL", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, sql: "select 1/0 from edge_logs" });
    expect(response.status).toBe(400);
    const error = await readError(response);
    expect(error.message).toMatch(/division by zero/i);
    expect(JSON.stringify(error)).not.toMatch(/iso_timestamp|stack|\.ts:/);
  });

  it("for sending both sql and lql are 400", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, sql: "select 1", lql: "error" });
    expect(response.status).toBe(400);
  });

  it("for an unknown path have the same shape", async () => {
    const response = await service.get("/api/nothing");
    expect(response.status).toBe(404);
    expect((await readError(response)).message).toContain("/api/nothing");
  });
});

describe("large requests", () => {
  it("are accepted with a URL of 256 KB", async () => {
    const sql = `select id from edge_logs where id != '${"x".repeat(255_000)}'`;
    expect(await service.rows("logs.all", { project, sql })).toEqual([{ id: "one" }]);
  });

  it("can carry sql in the body of a GET", async () => {
    const { request } = await import("node:http");
    const body = JSON.stringify({ sql: "select id from edge_logs" });
    const answer = await new Promise<string>((resolve, reject) => {
      const call = request(
        `${service.url}/api/endpoints/query/logs.all?project=${project}`,
        {
          method: "GET",
          headers: {
            "x-api-key": privateToken,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve(text));
        },
      );
      call.on("error", reject);
      call.end(body);
    });
    expect(JSON.parse(answer)).toEqual({ result: [{ id: "one" }] });
  });
});

describe("a browser", () => {
  it("gets the answer to a preflight without authentication", async () => {
    const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example.com",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("lf-endpoint-redact-pii");
  });

  it("can read errors from another origin", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", {}, { origin: "https://app.example.com" });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("the page size", () => {
  it("replaces the default query's limit and is capped by the consumer's own", async () => {
    const many = Array.from({ length: 150 }, (_, i) => ({
      id: `m${i}`,
      timestamp: "2026-08-20T09:00:00Z",
      project: "many-running",
    }));
    await service.ingest("edge", many);
    expect(await service.rows("logs.all", { project: "many-running" })).toHaveLength(100);
    expect(await service.rows("logs.all", { project: "many-running", limit: "150" })).toHaveLength(150);
    expect(await service.rows("logs.all", { project: "many-running", limit: "7" })).toHaveLength(7);
    const sql = "select id from edge_logs limit 5";
    expect(await service.rows("logs.all", { project: "many-running", sql, limit: "3" })).toHaveLength(3);
    expect(await service.rows("logs.all", { project: "many-running", sql, limit: "50" })).toHaveLength(5);
  });

  it.each(["0", "-1", "1001", "ten", "1.5"])("cannot be %s", async (limit) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, limit });
    expect(response.status).toBe(400);
    expect(await readError(response)).toMatchObject({ parameter: "limit" });
  });
});
