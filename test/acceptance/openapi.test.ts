import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApiDocument, Operation } from "../../src/openapi/open-api-document.ts";
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

describe("/api/openapi.json", () => {
  it("is accepted by a public validator, for whoever asks", async () => {
    const pinned = await makeToken({ scopes: ["query"], pins: { project: "abc" } });
    for (const token of [privateToken, publicToken, pinned]) {
      const result = await new Validator().validate({ ...(await read(token)) });
      expect(result).toEqual({ valid: true });
    }
  });

  it("has an operation for each endpoint at its literal path, with typed parameters", async () => {
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

  it("tells every error of an operation with its code and the one shape", async () => {
    const operation = (await read(privateToken)).paths["/api/endpoints/query/logs.all"]?.get;
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "400", "401", "403", "404", "406", "422", "429", "500", "503", "504"]),
    );
    expect(JSON.stringify(operation?.responses[400])).toContain("missing_parameter");
    expect(operation?.responses[200]?.headers).toHaveProperty("X-Logweir-Data-Through");
  });

  it("holds no operation that the token may not call, and no parameter that it pins", async () => {
    const one = await makeToken({ scopes: ["query:endpoint:logs.all"], pins: { project: "abc" } });
    const document = await read(one);
    const explore = ["tables", "parse", "overview", "around", "tail"].map(
      (each) => `/api/endpoints/query/{endpoint}/${each}`,
    );
    const open = ["/health", "/api/openapi.json", "/api/session", "/api/catalogue", "/api/views", "/api/views/{id}"];
    expect(Object.keys(document.paths).sort()).toEqual(["/api/endpoints/query/logs.all", ...explore, ...open].sort());
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

  it("gives operations ids of their own, and references that lead somewhere", async () => {
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

  it("knows every route, and every route that it knows is there", async () => {
    const document = await read(privateToken);
    const shape = (path: string) => path.replaceAll(/\{[^}]+\}|:\w+/g, "*");
    const documented = new Set(Object.keys(document.paths).map(shape));
    const folder = "src/http/routes";
    const files = readdirSync(folder).filter((file) => !file.endsWith(".test.ts"));
    const routes = files.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/[^`]"(\/(?:api\/|health|metrics)[\w/:.-]*)"/g)].map(
        ([, path = ""]) => shape(path),
      ),
    );
    const ofOtherSenders = ["/loki/api/v1/push", "/api/prom/push", "/api/v2/logs"];
    const aliases = ["/api/events", "/api/endpoints/query/*", "/api/endpoints/query/name/*", "/api/openapi"];
    expect(
      [...new Set(routes)].filter((path) => !documented.has(path) && ![...aliases, ...ofOtherSenders].includes(path)),
    ).toEqual([]);
    for (const [call, operation] of operationsOf(document)) {
      const [method = "", path = ""] = call.split(" ");
      if (["reloadFiles", "backUpStore", "clearCache"].includes(operation.operationId)) continue;
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
});
