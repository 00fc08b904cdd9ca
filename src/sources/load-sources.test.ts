import { describe, expect, it } from "vitest";
import { loadSources, parseSource } from "./load-sources.ts";

const valid = `name: edge
aliases: [cdn.logs]
kind: edge
retention_days: 30
fields:
  project: STRING
  metadata.response.status_code: INT64
`;

describe("a source file", () => {
  it("gives a source with its aliases, retention and known fields", () => {
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

  it.each([
    ["an unknown key", `${valid}retention: 3\n`, "edge.yaml:8:1: retention: there is no such key"],
    ["a wrong type of a field", valid.replace("INT64", "INTEGER"), "must be one of STRING, INT64, FLOAT64, BOOL"],
    ["a field path with a dash", valid.replace("project:", "pro-ject:"), "edge.yaml:6:3: pro-ject is not a field path"],
    ["a name of the service's own", valid.replace("name: edge", "name: logweir.edge"), "are the service's own"],
    ["a missing name", valid.replace("name: edge\n", ""), "name"],
    ["broken YAML", "name: [edge\n", "edge.yaml:2:1"],
  ])("is refused for %s, with file, line, column and a caret", (_, text, message) => {
    expect(() => parseSource(text, "edge.yaml")).toThrow(message);
    expect(() => parseSource(text, "edge.yaml")).toThrow("^");
  });
});

describe("the sources that come with the project", () => {
  it("are nine, each with the name that existing clients send as an alias", async () => {
    const sources = await loadSources("sources");
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
