import { describe, expect, it } from "vitest";
import { emptyQuery } from "../../../test/support/fake-engine.ts";
import type { PreparedCall } from "../call/prepare/query-call.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { parseEndpointFile } from "../definition/parse-endpoint.ts";
import { cacheKey } from "./cache-key.ts";

function endpointOf(id: string) {
  const parsed = parseEndpointFile(`/*---\nid: ${id}\n---*/\nSELECT 1`, "test.sql");
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return draftEndpoint(parsed.definition);
}

const endpoint = endpointOf("0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11");
const call: PreparedCall = {
  query: emptyQuery,
  values: ["a", null],
  maxRows: 100,
  redactsPii: false,
  budget: { max_result_bytes: 1_000 },
  cursorScope: "scope",
};
const key = cacheKey(endpoint, call);

describe("the cache key", () => {
  it("is unchanged by properties that do not affect the answer", () => {
    expect(cacheKey({ ...endpoint }, { ...call, cursorScope: "other", query: { ...emptyQuery } })).toBe(key);
    expect(cacheKey({ ...endpoint, definition: { ...endpoint.definition, name: "other" } }, call)).toBe(key);
  });

  const calls: readonly (readonly [string, Partial<PreparedCall>])[] = [
    ["another query", { query: { ...emptyQuery, sql: "SELECT 2" } }],
    ["another computation of what is bound", { query: { ...emptyQuery, computed: "other" } }],
    ["other columns", { query: { ...emptyQuery, columns: [{ name: "a", type: { kind: "INT64" } }] } }],
    ["another digest", { query: { ...emptyQuery, digest: "other" } }],
    ["another value", { values: ["b", null] }],
    ["a value instead of NULL", { values: ["a", ""] }],
    ["the values in another order", { values: [null, "a"] }],
    ["a larger page", { maxRows: 101 }],
    ["redaction", { redactsPii: true }],
    ["a list of detectors", { detectors: ["email"] }],
    ["a stricter limit", { budget: { max_result_bytes: 999 } }],
    ["another limit of the same number", { budget: { max_array_elements: 1_000 } }],
    ["a limit more", { budget: { max_result_bytes: 1_000, max_query_memory_mb: 5 } }],
    ["no limits", { budget: {} }],
  ];
  it.each(calls)("differs for %s", (_, change) => {
    expect(cacheKey(endpoint, { ...call, ...change })).not.toBe(key);
  });

  it("differs for another endpoint and for another version of the endpoint", () => {
    expect(cacheKey(endpointOf("0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c12"), call)).not.toBe(key);
    expect(cacheKey({ ...endpoint, version: 2 }, call)).not.toBe(cacheKey({ ...endpoint, version: 3 }, call));
  });
});
