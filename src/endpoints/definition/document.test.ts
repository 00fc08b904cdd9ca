import { describe, expect, it } from "vitest";
import { describeDefinition, readDocument } from "./document.ts";
import { describeByField } from "./field-problem.ts";
import { toDefinition } from "./to-definition.ts";

const id = "0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11";

function definitionOf(document: object) {
  const { fields, problems } = readDocument(document);
  expect(problems).toEqual([]);
  const { name = "", query = "", ...header } = fields;
  return toDefinition({ ...header, id }, name, query).definition;
}

function problemsOf(document: unknown): Readonly<Record<string, readonly string[]>> {
  return describeByField(readDocument(document).problems, "");
}

describe("an endpoint document", () => {
  it("is unchanged by reading and writing, whatever its fields", () => {
    const document = {
      id,
      name: "all",
      description: "Every field",
      query: "SELECT 1 -- as it is \n",
      max_rows: 5,
      cache_seconds: 60,
      warm_every_seconds: 20,
      sandbox: true,
      redact_pii: ["ip", "email"],
      parameters: {
        s: { type: "string", required: true, allowed: ["a", "b"], description: "S" },
        i: { type: "int64", default: 7, allowed: [7, 8] },
        big: { type: "int64", default: "9223372036854775807" },
        f: { type: "float64", default: 1.5 },
        b: { type: "bool", default: true },
        t: { type: "timestamp", default: "2026-08-20T09:00:00.000001Z" },
        d: { type: "date", default: "2026-08-20" },
      },
      tenant_parameter: "s",
      table_aliases: { other: "one" },
      labels: { team: "logs" },
    };
    const definition = definitionOf(document);
    const written = describeDefinition(definition);
    expect(written).toMatchObject(document);
    expect(definitionOf(written)).toEqual(definition);
    expect(describeDefinition(definitionOf(JSON.parse(JSON.stringify(written))))).toEqual(written);
  });

  it("has defaults for all fields but name and query", () => {
    const written = describeDefinition(definitionOf({ name: "few", query: "SELECT 1" }));
    expect(written).toMatchObject({ max_rows: 1000, cache_seconds: 0, sandbox: false, redact_pii: false, labels: {} });
    expect(definitionOf(written)).toEqual(definitionOf({ name: "few", query: "SELECT 1" }));
  });

  it("may be partial, where null means the default", () => {
    const { fields, problems } = readDocument({ max_rows: null, sandbox: true }, { isPartial: true });
    expect([fields, problems]).toEqual([{ max_rows: null, sandbox: true }, []]);
    const nameless = readDocument({ name: null }, { isPartial: true });
    expect(nameless.problems).toEqual([{ path: ["name"], message: "is missing" }]);
  });

  it("is refused with every invalid field, and with suggestions for unknown ones", () => {
    expect(
      problemsOf({
        name: "",
        query: "",
        max_row: 1,
        sandbox: "yes",
        labels: { a: 1 },
        parameters: { p: { typ: "x" } },
      }),
    ).toEqual({
      name: ["must begin with a letter or digit and go on with letters, digits, '.', '_' and '-', 128 at most"],
      query: ["must not have fewer than 1 characters"],
      max_row: ["there is no such field; did you mean max_rows?"],
      sandbox: ["must be boolean"],
      labels: ["a: must be string"],
      parameters: ["p.typ: there is no such key"],
    });
    expect(problemsOf([])).toEqual({ document: ["must be a JSON object with the fields of an endpoint"] });
    expect(problemsOf({ "": 1, __proto__x: 2 })).toHaveProperty("name");
  });
});

describe("a document in the reference's format", () => {
  it("is translated to Logweir's field names", () => {
    const { fields, problems } = readDocument({
      id: 3,
      token: id,
      name: "r",
      query: "SELECT 1",
      max_limit: 9,
      cache_duration_seconds: 0,
      proactive_requerying_seconds: 1800,
      sandboxable: true,
      language: "bq_sql",
      labels: "a = b=c , d,,",
      enable_dynamic_reservation: false,
      source_mapping: {},
    });
    expect(problems).toEqual([]);
    expect(fields).toEqual({
      id,
      name: "r",
      query: "SELECT 1",
      max_rows: 9,
      cache_seconds: 0,
      sandbox: true,
      labels: { a: "b=c", d: "" },
    });
  });

  it("is refused when it asks for unsupported features or contradicts itself", () => {
    const base = { name: "r", query: "SELECT 1" };
    expect(Object.keys(problemsOf({ ...base, language: "ch_sql" }))).toEqual(["language"]);
    expect(Object.keys(problemsOf({ ...base, enable_auth: false }))).toEqual(["enable_auth"]);
    expect(Object.keys(problemsOf({ ...base, backend_id: 1 }))).toEqual(["backend_id"]);
    expect(Object.keys(problemsOf({ ...base, sandbox: true, sandboxable: false }))).toEqual(["sandboxable"]);
    expect(problemsOf({ ...base, sandbox: true, sandboxable: true })).toEqual({});
  });
});
