import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeDefinition } from "./document.ts";
import { parseEndpointFile } from "./parse-endpoint.ts";
import { toDefinition } from "./to-definition.ts";
import { writeEndpointFile } from "./write-endpoint-file.ts";

function read(text: string) {
  const parsed = parseEndpointFile(text, "x.sql");
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.definition;
}

describe("writeEndpointFile", () => {
  it.each(["endpoints/logs.all.sql", "endpoints/usage.api-counts.sql"])(
    "writes %s so that it is read back unchanged",
    (file) => {
      const definition = read(readFileSync(file, "utf8"));
      expect(describeDefinition(read(writeEndpointFile(definition)))).toEqual(describeDefinition(definition));
    },
  );

  it.each(["SELECT 1", "\n\n  SELECT '---*/' -- \u{1f600}\r\n", "---*/\nSELECT 1", "\ufeffSELECT 1\n\n"])(
    "preserves the query %j byte for byte",
    (query) => {
      const { definition } = toDefinition({ id: "6f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11" }, "a.b", query);
      expect(read(writeEndpointFile(definition)).query).toBe(query);
    },
  );

  it("writes only the fields that are set, of every type", () => {
    const header = {
      id: "6f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11",
      description: "a\n---*/\nb: 'c' */",
      cache_seconds: 5,
      redact_pii: ["ip"],
      parameters: {
        since: { type: "timestamp", default: "2026-01-01" },
        n: { type: "int64", allowed: [1, 2], default: 2 },
        on: { type: "bool", default: false },
        project: { required: true },
      },
      tenant_parameter: "project",
    } as Parameters<typeof toDefinition>[0];
    const { definition } = toDefinition(header, "a.b", "SELECT 1");
    const text = writeEndpointFile(definition);
    expect(describeDefinition(read(text))).toEqual(describeDefinition(definition));
    expect(text).not.toContain("max_rows");
    expect(text).toContain("default: 2026-01-01T00:00:00.000000Z");
  });
});
