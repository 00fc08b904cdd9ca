import fc from "fast-check";
import { expect, it } from "vitest";
import { ownTools, toolNameOf } from "./tool-name.ts";

const id = fc.uuid();
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
  fc.constantFrom("query", "patterns", "Query", "ends with ü", "a".repeat(129), ""),
  id.map((each) => `endpoint.${each}`),
);

it("a tool has the name of its endpoint, as far as MCP allows it", () => {
  for (const own of ["logs.all", "a".repeat(128), "Query", "endpoint.x", "_-."]) {
    expect(toolNameOf({ id: "x", name: own })).toBe(own);
  }
});

it("every tool has a name that MCP allows, none of ours, and no two endpoints share one", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.record({ id, name }), { selector: (each) => each.id }), (endpoints) => {
      const unique = endpoints.filter((each, at) => endpoints.findIndex((other) => other.name === each.name) === at);
      const names = unique.map(toolNameOf);
      expect(new Set(names).size).toBe(names.length);
      for (const each of names) {
        expect(each).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
        expect(Object.values(ownTools)).not.toContain(each);
      }
    }),
  );
});
