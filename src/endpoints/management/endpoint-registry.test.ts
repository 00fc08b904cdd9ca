import { expect, it } from "vitest";
import type { Endpoint } from "../definition/definition.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { toDefinition } from "../definition/to-definition.ts";
import { createEndpointRegistry } from "./endpoint-registry.ts";

function make(digit: string, name: string, more: Partial<Endpoint> = {}): Endpoint {
  const id = `00000000-0000-4000-8000-00000000000${digit}`;
  return draftEndpoint(toDefinition({ id }, name, "SELECT 1").definition, more);
}

const a = make("a", "a", { version: 3 });
const b = make("b", "b", { origin: { kind: "file", path: "b.sql" } });

it("the endpoint registry finds by name, by id in any letter case, and by the current version number", async () => {
  const registry = createEndpointRegistry([b, a]);
  expect(registry.endpoints).toEqual([a, b]);
  for (const reference of ["a", a.definition.id, a.definition.id.toUpperCase(), "a@3", `${a.definition.id}@3`]) {
    expect(registry.find(reference)).toBe(a);
    expect(await registry.open(reference)).toBe(a);
  }
  for (const reference of ["A", "a@", "a@2", "a@03", "a@x", "@3", "", "a@3@3", "a@99999999999"]) {
    expect(registry.find(reference)).toBeUndefined();
  }
});

it("the endpoint registry opens older versions of an endpoint by its current name", async () => {
  const old = { ...a, version: 1 };
  const registry = createEndpointRegistry([a], async (current, version) =>
    current === a && version === 1 ? old : undefined,
  );
  expect(await registry.open("a@1")).toBe(old);
  expect(await registry.open("a@2")).toBeUndefined();
  expect(await registry.open("b@1")).toBeUndefined();
});

it("the endpoint registry notifies listeners once per change of added, changed and removed endpoints", () => {
  const registry = createEndpointRegistry([a, b]);
  const told: (readonly string[])[] = [];
  registry.onChange((ids) => told.push(ids));
  const [idOfA, idOfB] = [a.definition.id, b.definition.id];
  registry.put({ ...a });
  const c = make("c", "c");
  registry.replaceAll([registry.find("a") ?? a, c]);
  registry.remove(idOfA);
  registry.replaceAll(registry.endpoints);
  expect(told).toEqual([[idOfA], [idOfB, c.definition.id], [idOfA]]);
  expect(registry.names()).toEqual(["c"]);
});

it("the endpoint registry drops the old name immediately on a rename", () => {
  const registry = createEndpointRegistry([a]);
  registry.put({ ...a, definition: { ...a.definition, name: "z" } });
  expect([registry.find("a"), registry.findByName("a"), registry.find("z")?.version]).toEqual([
    undefined,
    undefined,
    3,
  ]);
});
