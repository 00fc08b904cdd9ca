import { describe, expect, it } from "vitest";
import { INT64, STRING } from "../../googlesql/types.ts";
import type { EndpointContract, EndpointDefinition, ParameterDefinition } from "../definition/definition.ts";
import { compareContracts } from "./compare-contracts.ts";
import { changedFields, compareVersions } from "./compare-versions.ts";

const definition: EndpointDefinition = {
  id: "00000000-0000-4000-8000-00000000000a",
  name: "e",
  description: undefined,
  query: "SELECT 1\nFROM a",
  maxRows: 100,
  cacheSeconds: 0,
  warmEverySeconds: undefined,
  isSandboxed: true,
  redactsPii: false,
  parameters: [],
  tableAliases: { t: "edge", u: "db" },
  labels: {},
};
const contract: EndpointContract = { columns: [{ name: "n", type: INT64 }], parameters: [] };

function compare(before: Partial<EndpointDefinition>, after: Partial<EndpointDefinition>) {
  return compareVersions(
    { definition: { ...definition, ...before }, contract },
    { definition: { ...definition, ...after }, contract },
  );
}

describe("the comparison of two versions", () => {
  it("reports nothing when they are equal", () => {
    expect(compare({}, {})).toEqual({ breaking: false, changes: [], query: [] });
    expect(changedFields(definition, { ...definition })).toEqual([]);
  });

  it("reports the changed lines of the query, which is not a setting", () => {
    expect(compare({}, { query: "SELECT 2\nFROM a" })).toEqual({
      breaking: false,
      changes: [],
      query: [
        { op: "-", text: "SELECT 1" },
        { op: "+", text: "SELECT 2" },
        { op: " ", text: "FROM a" },
      ],
    });
    expect(changedFields(definition, { ...definition, query: "x", maxRows: 1 }).toSorted()).toEqual([
      "max_rows",
      "query",
    ]);
  });

  it.each<[Partial<EndpointDefinition>, Partial<EndpointDefinition>, string, string | null, string | null, boolean]>([
    [{}, { name: "f" }, "name", "e", "f", true],
    [{}, { maxRows: 99 }, "max_rows", "100", "99", true],
    [{}, { maxRows: 101 }, "max_rows", "100", "101", false],
    [{}, { isSandboxed: false }, "sandbox", "true", "false", true],
    [{ isSandboxed: false }, {}, "sandbox", "false", "true", false],
    [{ tenantParameter: "a" }, { tenantParameter: "b" }, "tenant_parameter", "a", "b", true],
    [{}, { tenantParameter: "b" }, "tenant_parameter", null, "b", false],
    [{}, { tenantParameter: "none" }, "tenant_parameter", null, "none", true],
    [{ budget: { query_timeout_ms: 5 } }, {}, "query_timeout_ms", "5", null, false],
    [{}, { budget: { query_timeout_ms: 5 } }, "query_timeout_ms", null, "5", false],
    [{}, { cacheSeconds: 5 }, "cache_seconds", "0", "5", false],
    [{}, { description: "d" }, "description", null, "d", false],
    [{}, { labels: { a: "b" } }, "labels", "{}", '{"a":"b"}', false],
    [{}, { tableAliases: { t: "edge" } }, "table_aliases", '{"t":"edge","u":"db"}', '{"t":"edge"}', true],
    [{ tableAliases: {} }, { tableAliases: { t: "edge" } }, "table_aliases", "{}", '{"t":"edge"}', false],
  ])("reports the change from %j to %j in %s", (before, after, name, from, to, breaking) => {
    const { changes, ...rest } = compare(before, after);
    expect(changes).toEqual([{ area: "setting", name, change: "changed", from, to, breaking }]);
    expect(rest).toEqual({ breaking, query: [] });
  });

  it("does not report a table alias as breaking when the endpoint is not sandboxed", () => {
    const { breaking } = compare({ isSandboxed: false }, { isSandboxed: false, tableAliases: {} });
    expect(breaking).toBe(false);
  });
});

describe("the changes of a contract", () => {
  const plain = {
    type: "string",
    isRequired: false,
    allowed: undefined,
    default: null,
    description: undefined,
  } as const;
  const of = (before: Partial<ParameterDefinition>, after: Partial<ParameterDefinition>) => {
    const parameters = (more: Partial<ParameterDefinition>) => [{ ...plain, name: "p", ...more }];
    return compareContracts(
      { columns: [], parameters: parameters(before) },
      { columns: [], parameters: parameters(after) },
    );
  };
  const parameter = { area: "parameter", name: "p" };

  it("include the old and the new value in readable form", () => {
    const before = {
      columns: [
        { name: "a", type: INT64 },
        { name: "b", type: INT64 },
      ],
      parameters: [],
    };
    const after = {
      columns: [
        { name: "c", type: STRING },
        { name: "b", type: STRING },
      ],
      parameters: [],
    };
    expect(compareContracts(before, after)).toEqual([
      { area: "column", name: "a", change: "removed", from: "INT64", to: null, breaking: true },
      { area: "column", name: "b", change: "retyped", from: "INT64", to: "STRING", breaking: true },
      { area: "column", name: "c", change: "added", from: null, to: "STRING", breaking: false },
    ]);
    const turned = { columns: before.columns.toReversed(), parameters: [] };
    expect(compareContracts(before, turned)).toEqual([
      { area: "column", name: "b", change: "moved", from: "2", to: "1", breaking: false },
      { area: "column", name: "a", change: "moved", from: "1", to: "2", breaking: false },
    ]);
    expect(of({}, { name: "P" })).toEqual([
      { area: "parameter", name: "P", change: "changed", from: "p", to: "P", breaking: true },
    ]);
    expect(of({}, { type: "int64" })).toEqual([
      { ...parameter, change: "retyped", from: "string", to: "int64", breaking: true },
    ]);
    expect(of({}, { isRequired: true })).toEqual([
      { ...parameter, change: "required", from: "optional", to: "required", breaking: true },
    ]);
    expect(of({ isRequired: true }, {})).toEqual([
      { ...parameter, change: "optional", from: "required", to: "optional", breaking: false },
    ]);
    expect(of({ allowed: ["a", "b"] }, {})).toEqual([
      { ...parameter, change: "allowed", from: "a, b", to: null, breaking: false },
    ]);
    expect(of({}, { allowed: ["a", "b"] })).toEqual([
      { ...parameter, change: "allowed", from: null, to: "a, b", breaking: true },
    ]);
    expect(of({ default: "a" }, { default: null })).toEqual([
      { ...parameter, change: "default", from: "a", to: null, breaking: false },
    ]);
    expect(of({ default: null }, { default: "7", isRequired: true }).map(({ change }) => change)).toEqual(["required"]);
  });

  it("show the type of a removed or added parameter", () => {
    const none = { columns: [], parameters: [] };
    const one = (isRequired: boolean) => ({ columns: [], parameters: [{ ...plain, name: "p", isRequired }] });
    expect(compareContracts(one(false), none)).toEqual([
      { ...parameter, change: "removed", from: "string", to: null, breaking: true },
    ]);
    for (const isRequired of [false, true]) {
      expect(compareContracts(none, one(isRequired))).toEqual([
        { ...parameter, change: "added", from: null, to: "string", breaking: isRequired },
      ]);
    }
  });
});
