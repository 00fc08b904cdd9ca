import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { STRING } from "../../googlesql/types.ts";
import { loadSources } from "../../sources/load-sources.ts";
import { openSources } from "../../sources/source-registry.ts";
import type { Endpoint } from "./definition.ts";
import { EndpointFileError, type LoadDependencies, loadEndpoints } from "./load-endpoints.ts";

let engine: DuckDbEngine;
let dependencies: LoadDependencies;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  dependencies = { engine, tables: await openSources(await loadSources(["sources"]), engine.store) };
});

afterAll(async () => {
  await engine.close();
});

const id = "0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11";
const header = (more = "") => `/*---\nid: ${id}\n${more}---*/\n`;

async function load(files: Readonly<Record<string, string>>): Promise<readonly Endpoint[]> {
  const folder = await mkdtemp(join(tmpdir(), "logweir-endpoints-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return loadEndpoints([folder], dependencies);
}

async function problems(files: Readonly<Record<string, string>>): Promise<string> {
  const error = await load(files).catch((thrown: unknown) => thrown);
  if (!(error instanceof EndpointFileError)) throw new Error("The files are good");
  return error.message.replaceAll(/\S*logweir-endpoints-\w+\//g, "");
}

describe("an endpoint file", () => {
  it("defines an endpoint with every field of its header", async () => {
    const text = `/*---
id: ${id.toUpperCase()}
name: counts
description: How many
max_rows: 5
cache_seconds: 60
warm_every_seconds: 20
sandbox: true
redact_pii: true
parameters:
  project: { type: string, required: true, description: Whose }
  unit: { allowed: [a, b], default: a }
  n: { type: int64, default: 007 }
  since: { type: timestamp, default: 2026-08-20 }
  free:
tenant_parameter: project
table_aliases: { other: events }
labels: { team: logs }
---*/
WITH events AS (SELECT id FROM edge WHERE project = @project) SELECT COUNT(*) AS n FROM events
`;
    const [endpoint] = await load({ "x.sql": text });
    const plain = { isRequired: false, allowed: undefined, default: null, description: undefined };
    expect(endpoint?.definition).toEqual({
      id,
      name: "counts",
      description: "How many",
      query: "WITH events AS (SELECT id FROM edge WHERE project = @project) SELECT COUNT(*) AS n FROM events\n",
      maxRows: 5,
      cacheSeconds: 60,
      warmEverySeconds: 20,
      isSandboxed: true,
      redactsPii: true,
      parameters: [
        { ...plain, name: "project", type: "string", isRequired: true, description: "Whose" },
        { ...plain, name: "unit", type: "string", allowed: ["a", "b"], default: "a" },
        { ...plain, name: "n", type: "int64", default: "7" },
        { ...plain, name: "since", type: "timestamp", default: "1787184000000000" },
        { ...plain, name: "free", type: "string" },
      ],
      tenantParameter: "project",
      tableAliases: { other: "events" },
      labels: { team: "logs" },
    });
  });

  it("gets its name from the file and defaults for the other fields", async () => {
    const [endpoint] = await load({ "some.name-1.sql": `${header()}SELECT 1` });
    expect(endpoint?.definition).toMatchObject({
      name: "some.name-1",
      maxRows: 1_000,
      cacheSeconds: 0,
      isSandboxed: false,
    });
  });

  it.each([
    ["no header", "SELECT 1", "a.sql:1:1: an endpoint file begins with a header"],
    ["a header without end", "/*---\nid: x\nSELECT 1", "a.sql:1:1: an endpoint file begins with a header"],
    ["broken YAML", "/*---\nid: [1\n---*/\nSELECT 1", "a.sql:"],
    ["no id", "/*---\nname: a\n---*/\nSELECT 1", "id"],
    ["an id that is not a UUID", "/*---\nid: abc\n---*/\nSELECT 1", "a.sql:2:1: id"],
    ["an unknown key", `${header("sandboxed: true\n")}SELECT 1`, "a.sql:3:1: sandboxed: there is no such key"],
    ["a value out of range", `${header("max_rows: 0\n")}SELECT 1`, "a.sql:3:1: max_rows"],
    [
      "an unknown type",
      `${header("parameters:\n  p: { type: number }\n")}SELECT 1`,
      "must be one of string, int64, float64, bool, timestamp, date",
    ],
    [
      "a reserved parameter",
      `${header("parameters:\n  SQL: {}\n")}SELECT 1`,
      "a.sql:4:3: parameters.SQL: has a meaning of its own",
    ],
    [
      "parameters that differ in case",
      `${header("parameters:\n  a: {}\n  A: {}\n")}SELECT 1`,
      "differs from another parameter in case only",
    ],
    [
      "a default of the wrong type",
      `${header("parameters:\n  n: { type: int64, default: x }\n")}SELECT 1`,
      '"x" is not an integer',
    ],
    [
      "a default that is not allowed",
      `${header("parameters:\n  n: { allowed: [a], default: b }\n")}SELECT 1`,
      "must be one of the allowed values: a",
    ],
    [
      "a required parameter with a default",
      `${header("parameters:\n  n: { required: true, default: b }\n")}SELECT 1`,
      "a required parameter has no default",
    ],
    ["warming without a cache", `${header("warm_every_seconds: 5\n")}SELECT 1`, "only an endpoint with cache_seconds"],
    ["a name like a UUID", `${header(`name: ${id}\n`)}SELECT 1`, "of the form of a UUID"],
    ["a syntax error", `${header()}SELECT 1\nFROM FROM edge`, "a.sql:5:6: Syntax error"],
    ["an unknown table", `${header()}SELECT 1 FROM nowhere`, "a.sql:4:15: "],
    [
      "a misspelt parameter",
      `${header("parameters:\n  project:\n")}SELECT @projct`,
      "a.sql:6:8: Query parameter @projct is not declared; did you mean @project?",
    ],
    [
      "a sandbox without WITH",
      `${header("sandbox: true\n")}SELECT 1`,
      "a.sql:3:1: a sandboxed endpoint needs a WITH clause",
    ],
    [
      "an undeclared tenant parameter",
      `${header("parameters:\n  project:\ntenant_parameter: projekt\n")}SELECT @project`,
      "a.sql:5:1: there is no parameter projekt; did you mean project?",
    ],
    [
      "a tenant parameter that is not a text",
      `${header("parameters:\n  n: { type: int64 }\ntenant_parameter: n\n")}SELECT @n`,
      "a.sql:5:1: the parameter n is int64; a tenant is told by one of the type string",
    ],
    [
      "an alias of an unknown table",
      `${header("table_aliases: { b: c }\n")}WITH a AS (SELECT 1) SELECT * FROM a`,
      "has no table c",
    ],
    [
      "a hidden column that no table has",
      `${header("hidden_columns: [identifer]\n")}WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS identifier) SELECT * FROM a`,
      "a.sql:3:1: no table of the query's WITH clause has a column identifer; did you mean identifier?",
    ],
    [
      "a table without a column to show",
      `${header("hidden_columns: [x]\n")}WITH a AS (SELECT 1 AS x) SELECT * FROM a`,
      "a.sql:3:1: hides every column of a",
    ],
    [
      "an alias that hides a table",
      `${header("table_aliases: { A: a }\n")}WITH a AS (SELECT 1) SELECT * FROM a`,
      "has a table of this name",
    ],
  ])("is refused for %s, with its position and a caret", async (_name, text, message) => {
    const told = await problems({ "a.sql": text });
    expect(told).toContain(message);
    expect(told).toMatch(/^a\.sql:\d+:\d+: .*\n[\s\S]*\^$/);
  });

  it("is refused together with all problems of all files", async () => {
    const told = await problems({
      "a.sql": `${header()}SELECT 1, nope(2) FROM edge`,
      "b.sql": `${header("max_rows: -1\nfoo: 1\n")}SELECT 1`,
    });
    expect(told.match(/^[ab]\.sql:\d+:\d+/gm)).toEqual(["a.sql:4:11", "b.sql:3:1", "b.sql:4:1"]);
  });

  it("is refused for what keeps its parameters from being inferred, and not for these", async () => {
    const told = await problems({ "a.sql": `${header()}SELECT @n, nope(2) FROM nowhere WHERE id > @since` });
    expect(told.match(/^a\.sql:\d+:\d+/gm)).toEqual(["a.sql:4:12", "a.sql:4:25"]);
  });

  it("is refused when another file has its id or name", async () => {
    const told = await problems({
      "a.sql": `${header()}SELECT 1`,
      "b.sql": `${header("name: b\n")}SELECT 1`,
    });
    expect(told).toContain("b.sql:2:1: ");
    expect(told).toContain("a.sql has the same id");
  });
});

it("an endpoint file replaces one of an earlier folder with the same id or name", async () => {
  const folders = [];
  for (const files of [
    {
      "a.sql": `${header()}SELECT 1 AS n`,
      "b.sql": "/*---\nid: 0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c12\n---*/\nSELECT 2 AS n",
    },
    { "z.sql": `${header()}SELECT 3 AS n` },
    { "b.sql": "/*---\nid: 0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c13\n---*/\nSELECT 4 AS n" },
  ]) {
    const folder = await mkdtemp(join(tmpdir(), "logweir-endpoints-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    folders.push(folder);
  }
  const endpoints = await loadEndpoints(folders, dependencies);
  expect(endpoints.map(({ definition }) => [definition.name, definition.query.trim()])).toEqual([
    ["z", "SELECT 3 AS n"],
    ["b", "SELECT 4 AS n"],
  ]);
});

describe("an endpoint file that events could break", () => {
  let own: LoadDependencies;

  beforeAll(async () => {
    const source = { kind: "x", description: "", retentionDays: undefined, aliases: [] };
    const knownFields = [{ path: "project", type: STRING }];
    own = {
      engine,
      tables: await openSources(
        [
          ...["one", "two"].map((name) => ({ ...source, name, knownFields, tenantField: "project" })),
          ...["three", "four"].map((name) => ({ ...source, name, knownFields })),
        ],
        engine.store,
      ),
    };
  });

  async function open(query: string, isKnown = false): Promise<Endpoint | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "logweir-endpoints-"));
    await writeFile(join(folder, "a.sql"), header() + query);
    return (await loadEndpoints([folder], { ...own, isKnown: async () => isKnown }))[0];
  }

  const send = (source: string) => {
    const event = { id: "x", hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields: { extra: 1 } };
    return engine.store.append(source, [event], new AbortController().signal);
  };

  it("is loaded when the declared fields fit, and reports the problem with the stored events", async () => {
    const query = "SELECT * FROM one UNION ALL SELECT * FROM two";
    const before = await open(query);
    expect([before?.problem, before?.dataProblem]).toEqual([undefined, undefined]);
    await send("one");
    const after = await open(query);
    expect([after?.problem, after?.dataProblem]).toEqual([undefined, expect.stringContaining("columns")]);
    expect(after?.publicContract).toEqual(before?.publicContract);
  });

  it("is loaded with its problem when it was loaded before; a new one stops the load", async () => {
    const query = "SELECT * FROM three UNION ALL SELECT * FROM four";
    await open(query);
    await send("three");
    await expect(open(query)).rejects.toThrow("columns");
    expect((await open(query, true))?.problem).toContain("columns");
  });

  it("has names that need no quotes, unless it was loaded before with others", async () => {
    const text = "SELECT @`a b` AS x";
    await expect(open(text)).rejects.toThrow('the parameter "a b" needs a name of the form');
    expect((await open(text, true))?.contract.parameters.map(({ name }) => name)).toEqual(["a b"]);
  });

  it("is refused for an error of its author even when it was loaded before", async () => {
    await expect(open("SELECT 1 FROM gone", true)).rejects.toThrow("gone");
  });

  it("shows declared columns in the public contract, and all columns to its owner", async () => {
    await engine.store.append(
      "two",
      [{ id: "y", hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields: { project: "bbb", own: 1 } }],
      new AbortController().signal,
    );
    const endpoint = await open("SELECT * FROM two");
    expect(endpoint?.contract.columns.map(({ name }) => name)).toContain("own");
    expect(endpoint?.publicContract?.columns.map(({ name }) => name)).toEqual([
      "timestamp",
      "id",
      "event_message",
      "project",
    ]);
  });
});

it("a missing endpoint folder is reported", async () => {
  await expect(loadEndpoints(["/nowhere/at/all"], dependencies)).rejects.toThrow(EndpointFileError);
});

it("the built-in endpoints are valid", async () => {
  const endpoints = await loadEndpoints(["endpoints"], dependencies);
  const files = (await readdir("endpoints")).filter((name) => name.endsWith(".sql"));
  expect(endpoints.map(({ definition }) => `${definition.name}.sql`).sort()).toEqual(files.sort());
});
