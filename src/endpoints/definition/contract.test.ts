import { expect, it } from "vitest";
import { readContract, writeContract } from "./contract.ts";
import type { EndpointContract } from "./definition.ts";

it("a contract is read as it was written, without parameters of types that a later release added", () => {
  const plain = { isRequired: false, allowed: undefined, default: null, description: undefined };
  const contract: EndpointContract = {
    parameters: [
      { ...plain, name: "a", type: "int64", allowed: ["1", "2"], default: "1", isRequired: true, description: "d" },
      { ...plain, name: "b", type: "string" },
    ],
    columns: [{ name: "x", type: { kind: "ARRAY", element: { kind: "STRING" } } }],
  };
  expect(readContract(writeContract(contract))).toStrictEqual(contract);
  const later = writeContract(contract).replace('"string"', '"json"');
  expect(readContract(later).parameters.map(({ name }) => name)).toEqual(["a"]);
});
