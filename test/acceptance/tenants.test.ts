import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bigQueryRoutes } from "../../src/http/routes/surfaces/bigquery.ts";
import { lokiRoutes } from "../../src/http/routes/surfaces/loki.ts";
import type { OpenApiDocument } from "../../src/openapi/open-api-document.ts";
import {
  privateToken,
  type Row,
  readError,
  type Service,
  startService,
  startServiceProcess,
  stoppedMs,
} from "./service.ts";

let service: Service;
let dataDir: string;
let pinned: string;
let unpinned: string;

const hourMs = 3_600_000;
const startMs = Math.floor(stoppedMs / hourMs) * hourMs - hourMs;
const at = (second: number) => new Date(startMs + second * 1000).toISOString();

/** Every name and value sent by uuu matches this; a name of aaa appears in its events only as a reference. */
const secret = /uuu/i;

function request(project: string, second: number, url: string, more: object = {}): object {
  const metadata = { request: { method: "GET", path: "/rest/v1/orders", url }, ...more };
  return { id: `${project}-${second}`, timestamp: at(second), message: `GET ${url}`, project, metadata };
}

async function send(method: string, path: string, body?: unknown, token = privateToken): Promise<Response> {
  const headers = { "x-api-key": token, "content-type": "application/json" };
  return fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function make<T>(path: string, body: unknown): Promise<T> {
  const response = await send("POST", path, body);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-tenants-"));
  service = await startService({ dataDir, isStopped: true });
  const owned = [0, 1, 2].map((second) => request("aaa", second, "https://aaa.example.com/rest/v1/orders"));
  const others = [3, 4].map((second) => ({
    ...request("uuu", second, "https://uuu.example.com/rest/v1/orders?ref=aaa", { uuu_key: "uuu-value" }),
    uuu_top: "uuu-top",
  }));
  await service.ingest("edge", [...owned, ...others]);
  await service.ingest("function", [
    { id: "f-aaa", timestamp: at(5), message: "from aaa", metadata: { project_ref: "aaa" } },
    { id: "f-uuu", timestamp: at(6), message: "from uuu", metadata: { project_ref: "uuu" } },
  ]);
  const project = { project: { type: "string", required: true } };
  const edge = { sandbox: true, parameters: project, tenant_parameter: "project" };
  await make("/api/endpoints", {
    ...edge,
    name: "forgotten",
    query: "WITH mine AS (SELECT * FROM edge) SELECT * FROM mine",
  });
  await make("/api/endpoints", {
    ...edge,
    name: "kept",
    cache_seconds: 60,
    query: "WITH x AS (SELECT id FROM edge) SELECT id FROM x ORDER BY id",
  });
  await make("/api/endpoints", { name: "reader", query: "SELECT id FROM forgotten ORDER BY id" });
  await make("/api/endpoints", {
    ...edge,
    name: "audit",
    query: "WITH runs AS (SELECT id, timestamp, event_message FROM `logweir.audit`) SELECT * FROM runs",
  });
  pinned = (await make<{ token: string }>("/api/access-tokens", { scopes: ["query"], pins: { project: "aaa" } })).token;
  unpinned = (await make<{ token: string }>("/api/access-tokens", { scopes: ["query"] })).token;
}, 60_000);

afterAll(async () => {
  await service.stop();
});

const asPinned = (path: string, parameters: Record<string, string> = {}) =>
  service.get(`/api/endpoints/query/${path}`, parameters, { "x-api-key": pinned });

async function idsOf(response: Response): Promise<unknown[]> {
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { result: Row[] }).result.map(({ id }) => id).sort();
}

const own = ["aaa-0", "aaa-1", "aaa-2"];

describe("a token that is pinned to a project", () => {
  it("does not count requests of other projects whose URL contains its project", async () => {
    const total = async (token: string) => {
      const parameters = { interval: "daily", project: "aaa" };
      const response = await service.get("/api/endpoints/query/usage.api-counts", parameters, { "x-api-key": token });
      const { result } = (await response.json()) as { result: { total_rest_requests: number }[] };
      return result.reduce((sum, row) => sum + row.total_rest_requests, 0);
    };
    expect([await total(pinned), await total(unpinned), await total(pinned)]).toEqual([3, 5, 3]);
  });

  it("reads only its own rows when the query has no filter, also in its own SQL and through other endpoints", async () => {
    expect(await idsOf(await asPinned("forgotten"))).toEqual(own);
    expect(await idsOf(await asPinned("forgotten", { sql: "select id from mine" }))).toEqual(own);
    expect(await idsOf(await asPinned("forgotten", { sql: "select id from mine where project = 'uuu'" }))).toEqual([]);
    expect(await idsOf(await asPinned("reader"))).toEqual(own);
    expect(await idsOf(await service.get("/api/endpoints/query/reader", { project: "aaa" }))).toHaveLength(5);
  });

  it("never gets a response that was cached for an unpinned caller, or the reverse", async () => {
    const asked = { project: "aaa" };
    expect(await idsOf(await service.get("/api/endpoints/query/kept", asked))).toHaveLength(5);
    expect(await idsOf(await asPinned("kept", asked))).toEqual(own);
    expect(await idsOf(await service.get("/api/endpoints/query/kept", asked))).toHaveLength(5);
    expect((await asPinned("kept", asked)).headers.get("cache-status")).toContain("hit");
    expect(await idsOf(await asPinned("kept", asked))).toEqual(own);
  });

  it("paginates its own rows only, and its cursor is refused for other tokens", async () => {
    const first = await asPinned("forgotten", {
      sql: "select id, timestamp from mine order by timestamp desc limit 2",
    });
    const [, url = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
    expect(await idsOf(first)).toEqual(["aaa-1", "aaa-2"]);
    const next = (token: string, more = "") => service.get(url + more, {}, { "x-api-key": token });
    expect(await idsOf(await next(pinned))).toEqual(["aaa-0"]);
    expect((await readError(await next(unpinned, "&project=aaa"))).parameter).toBe("cursor");
  });

  it("is refused when a source has no tenants", async () => {
    expect(await readError(await asPinned("audit"))).toMatchObject({ code: "pinned_parameter", status: 403 });
    const tables = (await (await asPinned("audit/tables")).json()) as { tables: object[] };
    expect(tables.tables).toEqual([]);
  });

  it("gets the time of its own newest event, also after a restart", async () => {
    const through = async (token: string, name: string) => {
      const headers = { "x-api-key": token };
      const response = await service.get(`/api/endpoints/query/${name}`, { project: "aaa" }, headers);
      return response.headers.get("x-logweir-data-through")?.slice(0, 19);
    };
    const expectAll = async () => {
      expect(await through(pinned, "forgotten")).toBe(at(2).slice(0, 19));
      expect(await through(pinned, "logs.all")).toBe(at(2).slice(0, 19));
      expect(await through(unpinned, "logs.all")).toBe(at(2).slice(0, 19));
      expect(await through(privateToken, "forgotten")).toBe(at(4).slice(0, 19));
    };
    await expectAll();
    await service.stop();
    service = await startService({ dataDir, isStopped: true });
    await expectAll();
  });
});

describe("every route to rows or schema, for a pinned token,", () => {
  async function readOpenApi(token: string): Promise<OpenApiDocument> {
    return (await (await service.get("/api/openapi.json", {}, { "x-api-key": token })).json()) as OpenApiDocument;
  }

  const operationsOf = ({ paths }: OpenApiDocument) =>
    Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => ({ method, path })));

  /** An existing object in place of each path parameter. */
  const fill = (path: string): string => {
    const thing = path.startsWith("/api/sources") ? "edge" : path.startsWith("/api/endpoints") ? "forgotten" : "x";
    const face = path.replace("/datasets/{dataset}", "/datasets/forgotten").replace("{table}", "mine");
    return face.replace(/\{(number|a|b|other)\}/g, "1").replace(/\{[^}]+\}/g, thing);
  };

  it("is refused or shows only the tenant's own data", async () => {
    const every = operationsOf(await readOpenApi(privateToken));
    expect(every.length).toBeGreaterThan(40);
    const open: string[] = [];
    for (const { method, path } of every) {
      const query = method === "get" ? `?sql=${encodeURIComponent("select * from mine")}&interval=daily` : "";
      const response = await send(method.toUpperCase(), fill(path) + query, method === "get" ? undefined : {}, pinned);
      const text = await response.text();
      const isRefused = response.status === 401 || response.status === 403;
      if (isRefused)
        expect([path, text]).toEqual([
          path,
          expect.stringMatching(/insufficient_scope|pinned_parameter|sandbox_(table_denied|disabled)/),
        ]);
      else open.push(`${method} ${path}`);
      expect([path, secret.exec(text)?.input]).toEqual([path, undefined]);
    }
    const isRun = (name: string) =>
      name.startsWith("get /api/endpoints/query/") || name.startsWith("post /api/endpoints/query/");
    // Queries over them are in test/acceptance/bigquery.test.ts and loki.test.ts.
    const isFace = (name: string) => / \/(?:bigquery\/v2|loki\/api\/v1|prometheus\/api\/v1)\//.test(name);
    expect(open.filter(isFace)).toHaveLength(Object.keys({ ...bigQueryRoutes, ...lokiRoutes }).length);
    // The token's own views, and those that owners share with all tokens.
    expect(open.filter((name) => !isRun(name) && !isFace(name)).sort()).toEqual([
      "delete /api/views/{id}",
      "get /api/catalogue",
      "get /api/openapi.json",
      "get /api/session",
      "get /api/sign-in",
      // Nobody signs in with an issuer here.
      "get /api/sign-in/callback",
      "get /api/sign-in/start",
      "get /api/views",
      "get /health",
      "post /api/sign-out",
      "post /api/views",
      // Gives tokens for what a key file signed; open to everybody.
      "post /bigquery/token",
      // Asked for nothing here; test/security/surfaces holds it to the tenant rule.
      "post /mcp",
    ]);
  });

  it.each(["tables", "parse", "overview", "around"])(
    "shows no other tenant's data below an endpoint's path: %s",
    async (name) => {
      const more: Record<string, string> = {
        from: at(-10),
        to: at(100),
        facets: "project",
        timestamp: at(4),
        id: "uuu-4",
      };
      const text = await (
        await asPinned(`forgotten/${name}`, { ...more, table: "mine", sql: "select id, timestamp, project from mine" })
      ).text();
      expect(text.replaceAll("uuu-4", "")).not.toMatch(secret);
      const byOwner = await service.get(`/api/endpoints/query/forgotten/${name}`, {
        ...more,
        project: "aaa",
        sql: "select id, timestamp, project from mine",
      });
      expect(byOwner.status).toBe(200);
    },
  );

  it("includes the routes of sources, which are refused", async () => {
    for (const path of [
      "/api/sources/edge/events",
      "/api/sources/edge/recent",
      "/api/sources/edge/schema",
      "/api/sources",
    ]) {
      expect((await readError(await send("GET", path, undefined, pinned))).code).toBe("insufficient_scope");
    }
    for (const name of ["source:edge", "source:logweir.audit"]) {
      expect((await readError(await asPinned(name))).code).toBe("insufficient_scope");
    }
  });
});

describe("an endpoint that incoming events broke", () => {
  it("tells only its owner why, works again once events match, and does not block the start", async () => {
    for (const name of ["one", "two"]) await make("/api/sources", { name, tenant: "project" });
    await make("/api/endpoints", { name: "both", query: "SELECT * FROM one UNION ALL SELECT * FROM two" });
    const call = (token: string) => service.get("/api/endpoints/query/both", {}, { "x-api-key": token });
    expect((await call(unpinned)).status).toBe(200);
    await service.ingest("one", [{ message: "x", project: "uuu", uuu_extra: 1 }]);
    const check = async () => {
      const told = await readError(await call(privateToken));
      expect(told).toMatchObject({ code: "endpoint_broken", status: 500, line: 1 });
      expect(told.message).toMatch(/The endpoint both does not work any more: .*columns/);
      const other = await readError(await call(unpinned));
      expect(other).toMatchObject({ code: "endpoint_broken", message: "The endpoint both does not work any more" });
      expect(JSON.stringify(other)).not.toMatch(/columns|line|uuu/);
    };
    await check();
    await service.stop();
    const started = await startServiceProcess({ dataDir });
    service = started;
    await expect.poll(() => started.output()).toContain("The endpoint both does not run for all events");
    await check();
    const shown = (await (await send("GET", "/api/endpoints/both")).json()) as { problem?: string };
    expect(shown.problem).toMatch(/columns/);
    await service.ingest("two", [{ message: "x", project: "uuu", uuu_extra: 1 }]);
    expect((await call(unpinned)).status).toBe(200);
  });
});

describe("an older version of an endpoint", () => {
  it("is bound by the same pins as the current one", async () => {
    const document = {
      name: "grown",
      parameters: { project: { type: "string" } },
      query: "SELECT id FROM edge ORDER BY id",
    };
    await make("/api/endpoints", document);
    const change = { query: "SELECT id FROM edge WHERE project = @project ORDER BY id" };
    expect((await send("PATCH", "/api/endpoints/grown", change)).status).toBe(204);
    expect(await idsOf(await asPinned("grown"))).toEqual(own);
    expect(await idsOf(await asPinned("grown@1"))).toEqual(own);
    expect(await idsOf(await service.get("/api/endpoints/query/grown@1", { project: "aaa" }))).toHaveLength(5);
    expect((await send("PATCH", "/api/endpoints/grown", { tenant_parameter: "none" })).status).toBe(204);
    for (const name of ["grown", "grown@1", "grown@2"]) {
      expect(await readError(await asPinned(name))).toMatchObject({ code: "pinned_parameter", status: 403 });
    }
  });
});
