import { describe, expect, it } from "vitest";
import { readRoles } from "./roles.ts";

const nowMs = Date.parse("2026-08-20T09:00:00Z");

const grant = (roles: unknown, held: readonly string[], claims = {}) =>
  readRoles(JSON.stringify(roles)).grant(held, claims, nowMs);

describe("a role", () => {
  it.each([
    ["one scope", "private"],
    ["scopes with spaces between", "query ingest"],
    ["a list", ["query", "ingest"]],
    ["an object", { scopes: ["query"], pins: { project: "a" }, budget: { max_rows: 5 }, redaction: "required" }],
  ])("may be %s", (_, role) => {
    const read = grant({ a: role }, ["a"]);
    const { scopes } = typeof role === "object" && !Array.isArray(role) ? role : { scopes: role };
    expect(read?.scopes.join(" ")).toBe([scopes].flat().join(" "));
  });

  it("gives its pins, budget, redaction and end", () => {
    const role = { scopes: "query", pins: { project: "a" }, budget: { max_rows: 5 }, redaction: "required" };
    expect(grant({ a: { ...role, expires: "1h" } }, ["a"])).toEqual({
      ...{ description: "", scopes: ["query"], pins: { project: "a" }, budget: { max_rows: 5 } },
      ...{ redaction: "required", expiresAt: nowMs + 3_600_000 },
    });
  });

  it("that nobody has gives nothing, and * is everyone's", () => {
    expect(grant({ a: "query" }, ["b", "A", "", "__proto__"])).toBeUndefined();
    expect(grant({ "*": "query" }, [])?.scopes).toEqual(["query"]);
  });
});

describe("a pin to a claim", () => {
  const roles = { "*": { scopes: "query", pins: { project: { claim: "org.id" } } } };
  it.each([
    ["a text", { org: { id: "a" } }, "a"],
    ["a number", { org: { id: 7 } }, "7"],
    ["a list", { org: { id: ["a", "b"] } }, ["a", "b"]],
    ["a claim whose own name has a dot", { "org.id": "a", org: { id: "b" } }, "a"],
  ])("takes its value from %s", (_, claims, pin) => {
    expect(grant(roles, [], claims)?.pins).toEqual({ project: pin });
  });

  it.each([
    ["no claim", {}],
    ["null", { org: { id: null } }],
    ["an object", { org: { id: { prefix: "" } } }],
    ["an empty list", { org: { id: [] } }],
    ["a list of objects", { org: { id: [{ prefix: "a" }] } }],
    ["a member of every object", { org: [] }],
  ])("gives no role to a person with %s", (_, claims) => {
    expect(grant(roles, [], claims)).toBeUndefined();
  });

  it("is never read from what every object has", () => {
    const role = { scopes: "query", pins: { project: { claim: "constructor.name" } } };
    expect(grant({ "*": role }, [], { a: 1 })).toBeUndefined();
  });
});

describe("several roles", () => {
  const tenant = (project: unknown, more: object = {}) => ({ scopes: "query", pins: { project }, ...more });
  it.each<[string, object, object]>([
    ["add up their scopes", { a: "query:endpoint:x", b: "ingest" }, { scopes: ["query:endpoint:x", "ingest"] }],
    [
      "are the wider one's, listed last",
      { a: "query", b: "private" },
      { scopes: ["private"], redaction: "switchable" },
    ],
    ["are the wider one's, listed first", { a: "private", b: tenant("x") }, { scopes: ["private"], pins: {} }],
    [
      "are the wider one's by a prefix",
      { a: tenant("ab"), b: tenant({ prefix: "a" }) },
      { pins: { project: { prefix: "a" } } },
    ],
    [
      "with the same scopes add up the values of a pin",
      { a: tenant("x"), b: tenant(["y", "z"]) },
      { pins: { project: ["x", "y", "z"] } },
    ],
    [
      "with the same pins add up their scopes",
      { a: tenant("x"), b: tenant("x", { scopes: "ingest" }) },
      { scopes: ["query", "ingest"], pins: { project: "x" } },
    ],
    [
      "never mix scopes of one with pins of the other",
      { a: tenant("x", { scopes: "query:endpoint:a" }), b: tenant("y", { scopes: "query:endpoint:b" }) },
      { scopes: ["query:endpoint:a"], pins: { project: "x" } },
    ],
    [
      "never mix two pins",
      { a: { scopes: "query", pins: { p: "1", q: "1" } }, b: { scopes: "query", pins: { p: "2", q: "2" } } },
      { pins: { p: "1", q: "1" } },
    ],
    [
      "never lose a pin by a role with other scopes",
      { a: tenant("x"), b: "ingest" },
      { scopes: ["query"], pins: { project: "x" } },
    ],
    [
      "never lose a required redaction by more scopes",
      { a: { scopes: "query", redaction: "required" }, b: "ingest" },
      { scopes: ["query"], redaction: "required" },
    ],
    ["are the one with fewer limits", { a: { scopes: "query", budget: { max_rows: 5 } }, b: "query" }, { budget: {} }],
    ["are the one that lasts longer", { a: { scopes: "query", expires: "1h" }, b: "query" }, { expiresAt: undefined }],
    [
      "with an empty name of a pin stay apart",
      { a: { scopes: "query", pins: { "": "x" } }, b: "ingest" },
      { pins: { "": "x" } },
    ],
  ])("%s", (_, roles, expected) => {
    expect(grant(roles, ["a", "b"])).toMatchObject(expected);
  });
});

describe("roles that cannot be used", () => {
  it.each([
    ["no JSON", "admins=private", "must be a JSON object of roles"],
    ["a list", '["private"]', "must be a JSON object of roles"],
    ["null", "null", "must be a JSON object of roles"],
    ["no role", "{}", "there is no role in it"],
    ["an unknown scope", '{"a": "root"}', 'the role "a": scopes: there is no scope "root"'],
    ["no scope", '{"a": {}}', 'the role "a": scopes: '],
    ["null as a role", '{"a": null}', 'the role "a": scopes: '],
    ["an unknown field", '{"a": {"scope": "query"}}', 'the role "a": has scope: fields are scopes, pins'],
    ["an owner's pins", '{"a": {"scopes": "private", "pins": {"p": "x"}}}', "cannot have the scope private"],
    [
      "an owner's pin to a claim",
      '{"a": {"scopes": "private", "pins": {"p": {"claim": "x"}}}}',
      "cannot have the scope private",
    ],
    ["pins that are a list", '{"a": {"scopes": "query", "pins": []}}', "pins: must be an object"],
    ["a claim that is no name", '{"a": {"scopes": "query", "pins": {"p": {"claim": 1}}}}', 'the role "a": pins'],
    ["an unknown redaction", '{"a": {"scopes": "query", "redaction": "none"}}', 'the role "a": redaction'],
    ["a lifetime that is none", '{"a": {"scopes": "query", "expires": "soon"}}', 'the role "a": expires'],
  ])("%s", (_, text, message) => {
    expect(() => readRoles(text)).toThrow(message);
  });
});
