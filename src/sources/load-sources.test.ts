import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSources, parseSource, SourceFileError } from "./load-sources.ts";

const valid = `name: edge
aliases: [cdn.logs]
kind: edge
retention_days: 30
fields:
  project: STRING
  metadata.response.status_code: INT64
`;

describe("a source file", () => {
  it("defines a source with aliases, retention and known fields", () => {
    expect(parseSource(valid, "edge.yaml")).toEqual({
      name: "edge",
      aliases: ["cdn.logs"],
      kind: "edge",
      description: "Events of edge.yaml",
      retentionDays: 30,
      knownFields: [
        { path: "project", type: { kind: "STRING" } },
        { path: "metadata.response.status_code", type: { kind: "INT64" } },
      ],
      origin: { kind: "file", path: "edge.yaml" },
    });
  });

  it("names its tenant field, which is a STRING when undeclared", () => {
    const text = "name: jobs\nkind: jobs\ntenant: metadata.owner\nfields:\n  metadata.n: INT64\n";
    expect(parseSource(text, "jobs.yaml")).toMatchObject({
      tenantField: "metadata.owner",
      knownFields: [
        { path: "metadata.owner", type: { kind: "STRING" } },
        { path: "metadata.n", type: { kind: "INT64" } },
      ],
    });
  });

  it.each([
    ["a tenant that is not a path", "tenant: pro-ject\n", "edge.yaml:8:1: pro-ject is not a field path"],
    ["a tenant that every event has", "tenant: ID\n", "ID is a field of every event"],
    ["a tenant of another type", "tenant: metadata.response.status_code\n", "is declared INT64; a tenant is a STRING"],
    ["a tenant above a field", "tenant: metadata\n", "metadata cannot be a text beside the field metadata.response"],
    ["an unknown key", "retention: 3\n", "edge.yaml:8:1: retention: there is no such key"],
  ])("is refused for %s in an added line, with file, line, column and a caret", (_, line, message) => {
    expect(() => parseSource(valid + line, "edge.yaml")).toThrow(message);
    expect(() => parseSource(valid + line, "edge.yaml")).toThrow("^");
  });

  it.each([
    ["a wrong type of a field", valid.replace("INT64", "INTEGER"), "must be one of STRING, INT64, FLOAT64, BOOL"],
    ["a field path with a dash", valid.replace("project:", "pro-ject:"), "edge.yaml:6:3: pro-ject is not a field path"],
    ["a name of the service's own", valid.replace("name: edge", "name: logweir.edge"), "are the service's own"],
    ["a missing name", valid.replace("name: edge\n", ""), "name"],
    ["broken YAML", "name: [edge\n", "edge.yaml:1:7"],
  ])("is refused for %s, with file, line, column and a caret", (_, text, message) => {
    expect(() => parseSource(text, "edge.yaml")).toThrow(message);
    expect(() => parseSource(text, "edge.yaml")).toThrow("^");
  });
});

it("a source replaces one of an earlier folder that shares a name with it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "logweir-sources-"));
  await writeFile(join(folder, "own.yaml"), "name: own\naliases: [postgres.logs]\nkind: x\n");
  const names = (await loadSources(["sources", folder])).map(({ name }) => name);
  expect(names).toContain("own");
  expect(names).toContain("edge");
  expect(names).not.toContain("db");
});

it("loadSources returns no sources without a folder", async () => {
  expect(await loadSources([])).toEqual([]);
});

it("loadSources names the folders when they contain no source file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "logweir-sources-"));
  await writeFile(join(folder, "a.yaml.bak"), "no: source");
  await expect(loadSources([folder, folder])).rejects.toThrow(`${folder}, ${folder}: no source file (*.yaml) in it`);
  const nowhere = loadSources([folder, join(folder, "nowhere")]);
  await expect(nowhere).rejects.toThrow(SourceFileError);
  await expect(nowhere).rejects.toThrow("The folder of sources cannot be read: ENOENT");
});

it("loadSources reads the files of a folder by their names, and reports the problems of all together", async () => {
  const folder = await mkdtemp(join(tmpdir(), "logweir-sources-"));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  for (const name of ["b", "d", "a", "c"])
    await write(`${name}.${name === "c" ? "yml" : "yaml"}`, `name: ${name}\nkind: x\n`);
  expect((await loadSources([folder])).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  await write("e.yaml", "name: A\nkind: x\n");
  await write("f.yaml", "name: logweir.f\nkind: x\naliases: [f, LOGWEIR.g]\nfields: {a-b: BOOL, c: BOOL, d-: BOOL}\n");
  const path = join(folder, "f.yaml");
  const own = "names that begin with logweir. are the service's own";
  const field = "is not a field path: letters, digits and _, parts joined with dots";
  const error: unknown = await loadSources([folder]).catch((problem: unknown) => problem);
  expect(String(error).split("\n")).toEqual(
    expect.arrayContaining([
      `SourceFileError: ${path}:1:1: logweir.f: ${own}`,
      `${path}:1:1: LOGWEIR.g: ${own}`,
      `${path}:4:10: a-b ${field}`,
      `${path}:4:30: d- ${field}`,
      "Sources a and A both have the name or alias a",
    ]),
  );
});

const forOtherTables = ["auth_audit", "etl_replication", "multigres", "pg_upgrade", "supamonitor", "workflow_run"];
const forProtocols = "datadog elastic journald loki otel otel_metrics otel_traces splunk syslog webhooks".split(" ");

describe("the built-in sources", () => {
  it("declare the project field as their tenant", async () => {
    const sources = await loadSources(["sources"]);
    expect(Object.fromEntries(sources.map(({ name, tenantField }) => [name, tenantField]))).toEqual({
      ...Object.fromEntries([...forOtherTables, ...forProtocols].map((name) => [name, "project"])),
      auth: "project",
      db: "project",
      edge: "project",
      function: "metadata.project_ref",
      function_edge: "metadata.project_ref",
      pooler: "project",
      realtime: "metadata.project",
      rest: "project",
      storage: "metadata.project",
    });
  });

  it("are nine with aliases for existing clients, those of other tables, and those of protocols", async () => {
    const all = await loadSources(["sources"]);
    const sources = all.filter(({ aliases }) => aliases.length > 0);
    const others = all.filter((source) => !sources.includes(source)).map(({ name }) => name);
    expect(others.sort()).toEqual([...forOtherTables, ...forProtocols].sort());
    expect(sources.map((source) => [source.name, ...source.aliases])).toEqual([
      ["auth", "gotrue.logs.prod"],
      ["db", "postgres.logs"],
      ["edge", "cloudflare.logs.prod"],
      ["function", "deno-subhosting-events"],
      ["function_edge", "deno-relay-logs"],
      ["pooler", "pgbouncer.logs.prod"],
      ["realtime", "realtime.logs.prod"],
      ["rest", "postgREST.logs.prod"],
      ["storage", "storage.logs.prod.2"],
    ]);
  });
});
