import { describe, expect, it } from "vitest";
import { draftEndpoint } from "../endpoints/definition/draft-endpoint.ts";
import { toDefinition } from "../endpoints/definition/to-definition.ts";
import { arrayOf, FLOAT64, INT64, JSON_TYPE, type SqlType, STRING, structOf, UNKNOWN } from "../googlesql/types.ts";
import { describedService } from "../http/routes/index.ts";
import { errorCatalogue } from "../shared/error-catalogue.ts";
import { buildOpenApi, writeOpenApi } from "./build-open-api.ts";

const owner = { tokenId: "p", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;

function makeEndpoint(id: string, name: string, columns: readonly (readonly [string, SqlType])[] = []) {
  const parameters = {
    n: { type: "int64", allowed: [1, 2], default: 2 },
    since: { type: "timestamp", default: "2026-01-01" },
    on: { type: "bool", default: false },
  } as const;
  const header = { id: `${id}f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11`, sandbox: true, parameters };
  const { definition } = toDefinition(header as unknown as Parameters<typeof toDefinition>[0], name, "SELECT 1");
  const contract = {
    parameters: definition.parameters,
    columns: columns.map(([column, type]) => ({ name: column, type })),
  };
  return draftEndpoint(definition, { contract });
}

describe("buildOpenApi", () => {
  it("describes columns of every type as they appear in JSON", () => {
    const struct = structOf([{ name: "a", type: FLOAT64 }, { type: STRING }]);
    const record: SqlType = { kind: "RECORD", fields: [], isRepeated: true, isOpen: true };
    const endpoint = makeEndpoint("6", "shapes", [
      ["list", arrayOf(struct)],
      ["records", arrayOf(record)],
      ["number", INT64],
      ["json", JSON_TYPE],
      ["unknown", UNKNOWN],
    ]);
    const row = buildOpenApi(describedService, [endpoint], owner).components.schemas["shapes.row"];
    expect(row?.required).toEqual(["list", "records", "number", "json", "unknown"]);
    expect(row?.properties?.list).toMatchObject({
      type: "array",
      items: { type: ["object", "null"], required: ["a", "_field_2"] },
    });
    expect(row?.properties?.records?.items).toMatchObject({ type: ["object", "null"], additionalProperties: true });
    expect(row?.properties?.json?.type).toBeUndefined();
  });

  it("writes defaults and allowed values in their own types", () => {
    const { paths } = buildOpenApi(describedService, [makeEndpoint("6", "typed")], owner);
    const schemas = paths["/api/endpoints/query/typed"]?.get?.parameters?.slice(0, 3).map(({ schema }) => schema);
    expect(schemas).toEqual([
      { type: "integer", format: "int64", enum: [1, 2], default: 2 },
      { type: "string", description: expect.any(String), default: "2026-01-01T00:00:00.000000Z" },
      { type: "boolean", default: false },
    ]);
  });

  it("gives an operation the same id for every caller, even when names are similar", () => {
    const [a, b, c] = [makeEndpoint("6", "a.b"), makeEndpoint("7", "a-b"), makeEndpoint("8", "list-endpoints")];
    const idOf = (scopes: readonly string[], name: string) =>
      buildOpenApi(describedService, [a, b, c], { ...owner, scopes }).paths[`/api/endpoints/query/${name}`]?.get
        ?.operationId;
    expect(idOf(["private"], "a.b")).toBe("aB_6f0cf0a4");
    expect(idOf(["query:endpoint:a.b"], "a.b")).toBe("aB_6f0cf0a4");
    expect(idOf(["query:endpoint:a.b"], "a-b")).toBeUndefined();
    expect(idOf(["private"], "list-endpoints")).toBe("listEndpoints_8f0cf0a4");
  });

  it("omits endpoints that cannot run", () => {
    const broken = { ...makeEndpoint("6", "broken"), problem: "it does not compile" };
    expect(buildOpenApi(describedService, [broken], owner).paths).not.toHaveProperty(["/api/endpoints/query/broken"]);
  });

  it("documents every error code except those of HTTP itself", () => {
    const closed = makeEndpoint("7", "closed");
    const endpoints = [
      makeEndpoint("6", "open"),
      { ...closed, definition: { ...closed.definition, isSandboxed: false } },
    ];
    const document = JSON.stringify(buildOpenApi(describedService, endpoints, owner));
    const missing = Object.keys(errorCatalogue).filter((code) => !document.includes(`\`${code}\`:`));
    expect(missing).toEqual([
      "not_found",
      "request_too_large",
      "malformed_request",
      "method_not_allowed",
      "request_timeout",
    ]);
  });

  it("is written as it is built", async () => {
    const endpoints = Array.from({ length: 5 }, (_, index) => makeEndpoint(String(index), `one.${index}`));
    for (const caller of [owner, { ...owner, scopes: ["query:endpoint:one.3"] }, { ...owner, scopes: [] }]) {
      const written: unknown = JSON.parse((await writeOpenApi(describedService, endpoints, caller)).toString());
      expect(written).toEqual(JSON.parse(JSON.stringify(buildOpenApi(describedService, endpoints, caller))));
    }
  });
});
