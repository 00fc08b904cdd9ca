import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbEngine, openMemoryEngine } from "../../../engines/duckdb/index.ts";
import { openSources } from "../../../sources/source-registry.ts";
import { lookupOf } from "../../definition/check-endpoint.ts";
import { draftEndpoint } from "../../definition/draft-endpoint.ts";
import { toDefinition } from "../../definition/to-definition.ts";
import { inspectOwnerQuery, type OwnerDependencies, type OwnerQuery, prepareOwnerQuery } from "./owner-query.ts";

let engine: DuckDbEngine;
let dependencies: OwnerDependencies;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  const source = { kind: "x", description: "", retentionDays: undefined, aliases: [] };
  const knownFields = [{ path: "n", type: { kind: "INT64" as const } }];
  const tables = await openSources([{ ...source, name: "edge", knownFields }], engine.store);
  const header = { id: "00000000-0000-4000-8000-00000000000a", parameters: { since: { type: "timestamp" as const } } };
  const { definition } = toDefinition(header, "recent", "SELECT id, n FROM edge WHERE timestamp > @since");
  const endpoints = lookupOf([draftEndpoint(definition)]);
  dependencies = { engine, tables, endpoints, nowMs: Date.parse("2026-08-20T09:00:00Z"), budget: {} };
});

afterAll(() => engine.close());

const sql = (text: string): OwnerQuery => ({ language: "sql", text });
const lql = (text: string): OwnerQuery => ({ language: "lql", text });
const prepare = (asked: OwnerQuery, parameters: Record<string, string> = {}, budget = {}) =>
  prepareOwnerQuery(asked, new Map(Object.entries(parameters)), true, { ...dependencies, budget });
const inspect = (asked: OwnerQuery) => inspectOwnerQuery(asked, new Map(), dependencies);

describe("an owner's query", () => {
  it("has the values of its parameters in the types that it requires, and of those of endpoints it reads", () => {
    const call = prepare(sql("SELECT id FROM recent WHERE n = @N AND id = @id"), {
      N: "7",
      id: "x",
      since: "2026-01-01T00:00:00Z",
    });
    expect(call.query.parameters.map(({ key }) => String(key).toLowerCase()).sort()).toEqual(["id", "n", "since"]);
    expect(call.values).toHaveLength(3);
    expect(call.values.map(String)).toEqual(expect.arrayContaining(["7", "x"]));
    expect([call.redactsPii, call.cursorScope]).toEqual([true, ""]);
    expect(() => prepare(sql("SELECT @a"))).toThrow(expect.objectContaining({ code: "missing_parameter" }));
  });

  it("is explained with the values of its parameters where those are valid", async () => {
    const explain: NonNullable<OwnerDependencies["engine"]["explain"]> = async (_, values) => [
      { runsOn: "x", sql: `${values}` },
    ];
    const { compile } = engine;
    const explained = async (parameters: Record<string, string>) => {
      const { report } = await inspectOwnerQuery(
        sql("SELECT id FROM edge WHERE n = @n"),
        new Map(Object.entries(parameters)),
        { ...dependencies, engine: { compile: compile.bind(engine), explain } },
      );
      return report.explain;
    };
    expect(await explained({ n: "7", m: "8" })).toEqual([{ runs_on: "x", sql: "7" }]);
    expect(await explained({ n: "seven" })).toEqual([{ runs_on: "x", sql: "undefined" }]);
    expect(await explained({})).toEqual([{ runs_on: "x", sql: "undefined" }]);
  });

  it("has at most 10000 rows, or fewer where limits or the caller say so", () => {
    const rowsOf = (parameters: Record<string, string>, budget = {}) => {
      const { maxRows, budget: used } = prepare(sql("SELECT id FROM edge"), parameters, budget);
      return [maxRows, used?.max_rows];
    };
    expect(rowsOf({})).toEqual([10_000, 10_000]);
    expect(rowsOf({ limit: "7" })).toEqual([7, 10_000]);
    expect(rowsOf({}, { max_rows: 5 })).toEqual([5, 5]);
    expect(rowsOf({}, { max_rows: 20_000 })).toEqual([10_000, 10_000]);
  });

  it.each([
    [sql("SELECT ?"), "unsupported", "Parameters are named here: write @name instead of ?"],
    [
      sql("SELECT id FROM edge WHERE id IN UNNEST(@a)"),
      "unsupported",
      "The parameter @a would be ARRAY, which cannot be sent; send another type and CAST it",
    ],
    [sql("SELECT idd(1) FROM edge"), "unknown_function", "idd"],
    [lql("id:1"), "invalid_lql", "Name the source or endpoint to read with f:"],
  ])("%j is refused as %s, to run and in its report", async (asked, code, message) => {
    expect(() => prepare(asked)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
    const { report, error } = await inspect(asked);
    expect(error?.code).toBe(code);
    expect(report).toMatchObject({ columns: [], tables: [], endpoints: [], compiled_sql: null, explain: [] });
    expect(report.diagnostics.map((problem) => problem.message).join()).toContain(message);
    expect(report.diagnostics[0]).toMatchObject({ line: 1 });
  });

  it("that is too long or too deep is refused by the limits", () => {
    expect(() => prepare(sql("SELECT 1 -- long"), {}, { max_query_characters: 5 })).toThrow("5");
    expect(() => prepare(sql("SELECT ((((((1))))))"), {}, { max_query_depth: 3 })).toThrow(
      expect.objectContaining({ code: "too_complex", details: expect.objectContaining({ limit: "max_query_depth" }) }),
    );
  });
});

describe("the report of an owner's query", () => {
  it("has parameters, columns, what it reads, and its SQL", async () => {
    const { report, error } = await inspect(
      sql("SELECT id, n + @plus AS m, @text AS t FROM recent JOIN edge USING (id, n)"),
    );
    expect(error).toBeUndefined();
    expect(report).toMatchObject({
      columns: [
        { name: "id", type: "STRING" },
        { name: "m", type: "INT64" },
        { name: "t", type: "STRING" },
      ],
      tables: ["edge"],
      endpoints: ["recent"],
      diagnostics: [],
      warnings: [],
      compiled_sql: expect.stringMatching(/^\s*(?:SELECT|WITH)/i),
    });
    expect(report.parameters).toEqual([
      { name: "plus", type: "INT64" },
      { name: "text", type: "STRING" },
      { name: "since", type: "TIMESTAMP" },
    ]);
  });

  it("names the parameters of a query with problems as far as it can be parsed", async () => {
    expect((await inspect(sql("SELECT nosuch(@a), @b"))).report.parameters).toEqual([
      { name: "a", type: null },
      { name: "b", type: null },
    ]);
    expect((await inspect(sql("SELECT @a +"))).report).toMatchObject({
      parameters: [],
      diagnostics: [{ line: 1, column: 12 }],
    });
    expect((await inspect(lql("f:edge m.level:"))).report).toMatchObject({
      parameters: [],
      diagnostics: [{ column: 16 }],
    });
  });

  it("of LQL has the columns of its table", async () => {
    const { report } = await inspect(lql("f:edge id:a s:id s:n"));
    expect(report.columns).toEqual([
      { name: "id", type: "STRING" },
      { name: "n", type: "INT64" },
    ]);
    expect(report.tables).toEqual(["edge"]);
  });
});
