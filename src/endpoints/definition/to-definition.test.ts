import { describe, expect, it } from "vitest";
import type { EndpointHeader } from "./header.ts";
import { toDefinition } from "./to-definition.ts";

const id = "00000000-0000-4000-8000-00000000000A";
const read = (header: Partial<EndpointHeader>, name = "e") => toDefinition({ id, ...header }, name, "SELECT 1");
const plain = { type: "string", isRequired: false, allowed: undefined, default: null, description: undefined };

describe("toDefinition", () => {
  it("applies the defaults to an empty header", () => {
    expect(read({})).toEqual({
      definition: {
        id: id.toLowerCase(),
        name: "e",
        description: undefined,
        query: "SELECT 1",
        maxRows: 1_000,
        cacheSeconds: 0,
        warmEverySeconds: undefined,
        isSandboxed: false,
        redactsPii: false,
        parameters: [],
        tableAliases: {},
        labels: {},
      },
      problems: [],
    });
  });

  it("includes every field of the header", () => {
    const header: Partial<EndpointHeader> = {
      description: "d",
      max_rows: 7,
      query_timeout_ms: 5,
      cache_seconds: 60,
      warm_every_seconds: 30,
      sandbox: true,
      redact_pii: ["ip", "phone"],
      parameters: {
        plain: null,
        count: { type: "int64", allowed: [1, "2"], default: "+2", description: "n" },
        day: { type: "date", required: true },
      },
      tenant_parameter: "plain",
      table_aliases: { t: "edge" },
      labels: { a: "b" },
    };
    expect(read(header)).toEqual({
      definition: {
        id: id.toLowerCase(),
        name: "e",
        description: "d",
        query: "SELECT 1",
        maxRows: 7,
        budget: { query_timeout_ms: 5 },
        cacheSeconds: 60,
        warmEverySeconds: 30,
        isSandboxed: true,
        redactsPii: true,
        detectors: ["ip", "phone"],
        parameters: [
          { ...plain, name: "plain" },
          { name: "count", type: "int64", isRequired: false, allowed: ["1", "2"], default: "2", description: "n" },
          { ...plain, name: "day", type: "date", isRequired: true },
        ],
        tenantParameter: "plain",
        tableAliases: { t: "edge" },
        labels: { a: "b" },
      },
      problems: [],
    });
    expect(read({ redact_pii: true }).definition).toMatchObject({ redactsPii: true });
    expect(read({ redact_pii: true }).definition).not.toHaveProperty("detectors");
  });

  const timestamp = "an ISO 8601 timestamp (UTC where it names no zone) or a date, such as 2026-08-20T09:00:00Z";
  it.each<[NonNullable<EndpointHeader["parameters"]>, readonly string[], string]>([
    [
      { SQL: null },
      ["parameters", "SQL"],
      "has a meaning of its own in every call; these names cannot be declared: sql, lql, limit, cursor, format, api_key",
    ],
    [{ a: null, A: null }, ["parameters", "A"], "differs from another parameter in case only"],
    [{ a: { type: "int64", default: "x" } }, ["parameters", "a", "default"], '"x" is not an integer of 64 bits'],
    [{ a: { type: "float64", default: true } }, ["parameters", "a", "default"], "true is not a number"],
    [{ a: { type: "bool", default: 1 } }, ["parameters", "a", "default"], "1 is not true or false"],
    [{ a: { type: "date", default: "x" } }, ["parameters", "a", "default"], '"x" is not a date such as 2026-08-20'],
    [{ a: { type: "timestamp", default: "x" } }, ["parameters", "a", "default"], `"x" is not ${timestamp}`],
    [{ a: { required: true, default: "x" } }, ["parameters", "a", "default"], "a required parameter has no default"],
    [
      { a: { allowed: ["x", "y"], default: "z" } },
      ["parameters", "a", "default"],
      "must be one of the allowed values: x, y",
    ],
  ])("reports a problem for the parameters %j", (parameters, path, message) => {
    expect(read({ parameters }).problems).toEqual([{ path, message }]);
  });

  it("reports each allowed value that does not match its type", () => {
    expect(read({ parameters: { a: { type: "int64", allowed: [1, "x", 1.5] } } }).problems).toEqual([
      { path: ["parameters", "a", "allowed"], message: '"x" is not an integer of 64 bits' },
      { path: ["parameters", "a", "allowed"], message: "1.5 is not an integer of 64 bits" },
    ]);
  });

  it("reports warming without a cache, and a name in the form of an id", () => {
    expect(read({ warm_every_seconds: 5 }).problems).toEqual([
      { path: ["warm_every_seconds"], message: "only an endpoint with cache_seconds can be kept warm" },
    ]);
    expect(read({}, id).problems).toEqual([
      { path: ["name"], message: "a name of the form of a UUID could never be called" },
    ]);
    for (const name of [`${id}0`, `x${id}`, id.replaceAll("-", "")]) expect(read({}, name).problems).toEqual([]);
  });
});
