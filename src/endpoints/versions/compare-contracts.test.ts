import { describe, expect, it } from "vitest";
import { INT64, type SqlType, STRING, UNKNOWN } from "../../googlesql/types.ts";
import { readContract, writeContract } from "../definition/contract.ts";
import type { EndpointContract, ParameterDefinition } from "../definition/definition.ts";
import { type ContractChange, compareContracts } from "./compare-contracts.ts";

const plain: Omit<ParameterDefinition, "name"> = {
  type: "string",
  isRequired: false,
  allowed: undefined,
  default: null,
  description: undefined,
};

function contract(
  columns: Readonly<Record<string, SqlType>>,
  parameters: Readonly<Record<string, Partial<ParameterDefinition>>> = {},
): EndpointContract {
  return {
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
    parameters: Object.entries(parameters).map(([name, more]) => ({ ...plain, name, ...more })),
  };
}

const summary = (changes: readonly ContractChange[]) =>
  changes.map(({ name, change, breaking }) => `${name} ${change}${breaking ? "!" : ""}`);

function columns(before: Readonly<Record<string, SqlType>>, after: Readonly<Record<string, SqlType>>): string[] {
  return summary(compareContracts(contract(before), contract(after)));
}

function parameter(before: Partial<ParameterDefinition>, after: Partial<ParameterDefinition>): string[] {
  return summary(compareContracts(contract({}, { p: before }), contract({}, { p: after })));
}

describe("compareContracts", () => {
  it("reports a removed or retyped column as breaking, but not an added or moved one", () => {
    expect(columns({ a: INT64, b: STRING }, { b: INT64, c: STRING })).toEqual(["a removed!", "b retyped!", "c added"]);
    expect(columns({ a: INT64, b: INT64 }, { b: INT64, a: INT64 })).toEqual(["b moved", "a moved"]);
    expect(columns({ a: INT64 }, { a: INT64 })).toEqual([]);
  });

  it("does not report a type as breaking that was unknown before", () => {
    expect(columns({ a: UNKNOWN }, { a: STRING })).toEqual(["a retyped"]);
    expect(columns({ a: { kind: "ARRAY", element: UNKNOWN } }, { a: { kind: "ARRAY", element: STRING } })).toEqual([
      "a retyped",
    ]);
    expect(columns({ a: STRING }, { a: UNKNOWN })).toEqual(["a retyped!"]);
  });

  it("reports stricter parameters as breaking, but not more lenient ones", () => {
    expect(parameter({}, { type: "int64" })).toEqual(["p retyped!"]);
    expect(parameter({}, { isRequired: true })).toEqual(["p required!"]);
    expect(parameter({ isRequired: true }, {})).toEqual(["p optional"]);
    expect(parameter({}, { allowed: ["a"] })).toEqual(["p allowed!"]);
    expect(parameter({ allowed: ["a", "b"] }, { allowed: ["a"] })).toEqual(["p allowed!"]);
    expect(parameter({ allowed: ["a"] }, { allowed: ["a", "b"] })).toEqual(["p allowed"]);
    expect(parameter({ allowed: ["a"] }, {})).toEqual(["p allowed"]);
    expect(parameter({ default: "a" }, { default: "b" })).toEqual(["p default"]);
    expect(parameter({}, { name: "P" })).toEqual(["P changed!"]);
    expect(summary(compareContracts(contract({}, { p: {} }), contract({}, {})))).toEqual(["p removed!"]);
    expect(summary(compareContracts(contract({}), contract({}, { p: {}, q: { isRequired: true } })))).toEqual([
      "p added",
      "q added!",
    ]);
  });
});

it("a contract is unchanged by writing and reading", () => {
  const kept = contract(
    { a: { kind: "STRUCT", fields: [{ name: "x", type: INT64 }] } },
    { p: { allowed: ["1"], default: "1" }, q: {} },
  );
  expect(readContract(writeContract(kept))).toEqual(kept);
});
