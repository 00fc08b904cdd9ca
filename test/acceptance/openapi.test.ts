import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bigQueryRoutes } from "../../src/http/routes/surfaces/bigquery.ts";
import { keyGrantRoutes } from "../../src/http/routes/surfaces/key-grant.ts";
import { lokiRoutes } from "../../src/http/routes/surfaces/loki.ts";
import type { JsonSchema, OpenApiDocument, Operation } from "../../src/openapi/open-api-document.ts";
import { privateToken, publicToken, type Service, startService } from "./service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

async function read(token: string): Promise<OpenApiDocument> {
  const response = await service.get("/api/openapi.json", {}, { "x-api-key": token });
  expect(response.status).toBe(200);
  return (await response.json()) as OpenApiDocument;
}

async function makeToken(body: object): Promise<string> {
  const response = await fetch(`${service.url}/api/access-tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { token: string }).token;
}

function operationsOf(document: OpenApiDocument): readonly (readonly [string, Operation])[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );
}

const parameterNames = (operation: Operation | undefined) =>
  operation?.parameters?.map(({ name, $ref }) => name ?? $ref?.split("/").at(-1));

/** A valid body for each of these operations. */
const bodies: Readonly<Record<string, object>> = {
  createAlert: { name: "own", query: "select event_message from edge", cron: "0 * * * *" },
  createEndpoint: { name: "described", query: "SELECT 1 AS one" },
  validateEndpoint: { name: "described", query: "SELECT 1 AS one" },
  runQuery: { sql: "SELECT 1 AS one" },
  parseQuery: { sql: "SELECT 1 AS one" },
  createSource: { name: "described" },
  createAccessToken: { scopes: ["query"] },
  saveView: { name: "described", endpoint: "logs.all", state: "x" },
  createBackend: { name: "described", type: "webhook", config: { url: "http://127.0.0.1:9" } },
  createRule: { lql_string: "" },
};

/** Accepted although the schema says otherwise: clients of the reference send labels as a text. */
const taken: ReadonlySet<string> = new Set([
  'createEndpoint.labels: "none"',
  'validateEndpoint.labels: "none"',
  // The query is not run, so these values are not checked.
  ...[true, 12.5, "none", [{}]].map((value) => `parseQuery.parameters: ${JSON.stringify(value)}`),
]);

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(service.url + path, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

describe("/api/openapi.json", () => {
  it("passes a public validator for every kind of token", async () => {
    const pinned = await makeToken({ scopes: ["query"], pins: { project: "abc" } });
    for (const token of [privateToken, publicToken, pinned]) {
      const result = await new Validator().validate({ ...(await read(token)) });
      expect(result).toEqual({ valid: true });
    }
  });

  it("is not sent again to a token that has it, as long as no endpoint changes", async () => {
    const get = (token: string, tag?: string | null) =>
      service.get("/api/openapi.json", {}, { "x-api-key": token, ...(tag == null ? {} : { "if-none-match": tag }) });
    const first = await get(privateToken);
    const tag = first.headers.get("etag");
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const again = await get(privateToken, tag);
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
    expect((await get(publicToken, tag)).status).toBe(200);
    const headers = { "content-type": "application/json", "x-api-key": privateToken };
    const address = `${service.url}/api/endpoints`;
    const body = JSON.stringify({ name: "added", query: "SELECT 1 AS one" });
    expect((await fetch(address, { method: "POST", headers, body })).status).toBe(201);
    expect((await get(privateToken, tag)).status).toBe(200);
    expect((await fetch(`${address}/added`, { method: "DELETE", headers })).status).toBe(204);
    expect((await get(privateToken, tag)).status).toBe(304);
  });

  it("has an operation with typed parameters for each endpoint at its literal path", async () => {
    const { paths, components } = await read(privateToken);
    const operation = paths["/api/endpoints/query/usage.api-counts"]?.get;
    expect(operation).toMatchObject({ operationId: "usageApiCounts", "x-logweir": { endpoint: "usage.api-counts" } });
    expect(operation?.parameters?.slice(0, 2)).toEqual([
      expect.objectContaining({
        name: "interval",
        required: true,
        schema: { type: "string", enum: expect.arrayContaining(["hourly", "daily", "minutely", "weekly"]) },
      }),
      expect.objectContaining({ name: "project", in: "query", required: true, schema: { type: "string" } }),
    ]);
    expect(parameterNames(operation)).toEqual(
      expect.arrayContaining(["sql", "lql", "limit", "cursor", "format", "redact", "ifNoneMatch"]),
    );
    const row = components.schemas["usage.api-counts.row"];
    expect(row?.required).toEqual([
      "timestamp",
      "total_rest_requests",
      "total_storage_requests",
      "total_auth_requests",
      "total_realtime_requests",
    ]);
    expect(row?.properties?.total_rest_requests?.type).toEqual(["integer", "string", "null"]);
    expect(components.schemas["logs.all.row"]?.properties?.metadata).toMatchObject({
      type: "array",
      items: { type: ["object", "null"] },
    });
  });

  it("documents every error of an operation with its code and the common error shape", async () => {
    const operation = (await read(privateToken)).paths["/api/endpoints/query/logs.all"]?.get;
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "400", "401", "403", "404", "406", "422", "429", "500", "503", "504"]),
    );
    expect(JSON.stringify(operation?.responses[400])).toContain("missing_parameter");
    expect(operation?.responses[200]?.headers).toHaveProperty("X-Logweir-Data-Through");
  });

  it("omits operations that the token may not call and parameters that it pins", async () => {
    const one = await makeToken({ scopes: ["query:endpoint:logs.all"], pins: { project: "abc" } });
    const document = await read(one);
    const explore = ["tables", "parse", "overview", "around", "tail"].map(
      (each) => `/api/endpoints/query/{endpoint}/${each}`,
    );
    const faces = new Set(Object.values({ ...bigQueryRoutes, ...lokiRoutes }).map(({ path }) => path));
    const forAll = Object.values(keyGrantRoutes).map(({ path }) => path);
    const open = [
      "/health",
      "/api/openapi.json",
      "/api/session",
      "/api/sign-in",
      "/api/sign-in/callback",
      "/api/sign-in/start",
      "/api/sign-out",
      "/api/catalogue",
      "/api/views",
      "/api/views/{id}",
      ...forAll,
    ];
    expect(Object.keys(document.paths).sort()).toEqual(
      ["/api/endpoints/query/logs.all", "/mcp", ...faces, ...explore, ...open].sort(),
    );
    const names = parameterNames(document.paths["/api/endpoints/query/logs.all"]?.get);
    expect(names).toContain("iso_timestamp_start");
    expect(names).not.toContain("project");
    const unfit = await makeToken({ scopes: ["query"], pins: { iso_timestamp_end: "2026-01-01" } });
    expect(Object.keys((await read(unfit)).paths)).not.toContain("/api/endpoints/query/usage.api-counts");
    expect(Object.keys((await read(publicToken)).paths).sort()).toEqual(
      ["/api/logs", ...open.filter((path) => !path.startsWith("/api/views"))].sort(),
    );
    expect((await service.get("/api/openapi.json", {}, {})).status).toBe(401);
  });

  it("gives each operation an id of its own and has no dangling references", async () => {
    const document = await read(privateToken);
    const ids = operationsOf(document).map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    const dangling = references.filter(([, kind = "", name = ""]) => {
      const part: Readonly<Record<string, unknown>> = document.components[kind as "schemas"] ?? {};
      return !(name in part);
    });
    expect(dangling.map(([text]) => text)).toEqual([]);
  });

  it("describes every route except those of endpoints, of the console and of other senders", () => {
    const files = readdirSync("src/http", { recursive: true, encoding: "utf8" }).filter((file) => {
      return (
        /(?<!\.test)\.ts$/.test(file) &&
        /\bapp\s*\.(?:get|post|put|patch|delete|all|route)\b/.test(readFileSync(join("src/http", file), "utf8"))
      );
    });
    // All other routes go through the one file that registers routes with their descriptions.
    expect(files.sort()).toEqual([
      "ingest/add-ingest-route.ts",
      "ingest/handshakes.ts",
      "request/add-route.ts",
      "routes/query/run-endpoint.ts",
      "routes/service/console.ts",
    ]);
  });

  it("documents every status that the routes answer with, including errors", async () => {
    const document = await read(privateToken);
    for (const [call, operation] of operationsOf(document)) {
      const [method = "", path = ""] = call.split(" ");
      if (["reloadFiles", "backUpStore", "backUpChanges", "clearCache"].includes(operation.operationId)) continue;
      const response = await fetch(service.url + path.replaceAll(/\{[^}]+\}/g, "none"), {
        method: method.toUpperCase(),
        headers: { "x-api-key": privateToken },
      });
      const text = await response.text();
      expect([call, text.includes('"code":"not_found"')]).toEqual([call, false]);
      expect([call, Object.keys(operation.responses)]).toEqual([
        call,
        expect.arrayContaining([String(response.status)]),
      ]);
    }
  });

  it("describes request bodies so that a field that does not match its schema is refused by name", async () => {
    const document = await read(privateToken);
    const resolve = (schema: JsonSchema = {}): JsonSchema =>
      schema.$ref === undefined ? schema : resolve(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""]);
    const wrong: string[] = [];
    let count = 0;
    for (const [call, { operationId, requestBody }] of operationsOf(document)) {
      const [method = "", path = ""] = call.split(" ");
      const schema = resolve(requestBody?.content["application/json"]?.schema);
      if (path.includes("{") || schema.properties === undefined) continue;
      expect(Object.keys(bodies)).toContain(operationId);
      for (const [field, of] of Object.entries(schema.properties)) {
        for (const value of [true, 12.5, "none", [{}], { none: [] }]) {
          if (Value.Check(of, value) || taken.has(`${operationId}.${field}: ${JSON.stringify(value)}`)) continue;
          count++;
          const { status, text } = await send(method.toUpperCase(), path, { ...bodies[operationId], [field]: value });
          const isRefused = (status === 400 || status === 422) && text.includes(`"${field}`);
          if (!isRefused) wrong.push(`${operationId}: ${field} ${JSON.stringify(value)}: ${status} ${text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  it("describes parameters so that one out of bounds is refused by name", async () => {
    const document = await read(privateToken);
    const others = "table=edge_logs&from=2026-01-01&to=2026-01-02&timestamp=2026-01-01&id=none";
    const tried: string[] = [];
    for (const [call, { parameters = [] }] of operationsOf(document)) {
      const [method = "", path = ""] = call.split(" ");
      const url = path.replace("{endpoint}", "logs.all").replace("{source}", "edge");
      // Parameters of endpoints are checked by their own types.
      if (url === path) continue;
      for (const { name = "", in: place, schema = {} } of parameters) {
        const { maximum, minimum, enum: values } = schema;
        if (place !== "query" || (maximum === undefined && values === undefined)) continue;
        tried.push(name);
        const beyond = [maximum === undefined ? [] : maximum + 1, minimum === undefined ? [] : minimum - 1].flat();
        for (const value of ["none", "1.5", ...beyond]) {
          const { status, text } = await send(method.toUpperCase(), `${url}?project=p&${others}&${name}=${value}`);
          expect([url, name, value, status, text]).toEqual([
            url,
            name,
            value,
            400,
            expect.stringContaining(`"parameter":"${name}"`),
          ]);
        }
      }
    }
    expect(tried.sort()).toEqual(["buckets", "count", "limit", "limit", "split_by", "values"]);
  });
});
