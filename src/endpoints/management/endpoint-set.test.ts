import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { plainSource as source } from "../../../test/support/sources/plain-source.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import type { Source } from "../../sources/source.ts";
import { openSources } from "../../sources/source-registry.ts";
import type { SourceTables } from "../../sources/source-tables.ts";
import { checkEndpoint, lookupOf } from "../definition/check-endpoint.ts";
import type { Endpoint } from "../definition/definition.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { toDefinition } from "../definition/to-definition.ts";
import { checkReaders, findBroken, recheckReaders } from "./endpoint-set.ts";
import { readStored, toNewVersion } from "./stored-endpoints.ts";

let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
});

afterAll(() => engine.close());

const withField = (name: string, field: string): Source => ({
  ...source(name, `${name}.alias`),
  knownFields: [{ path: field, type: { kind: "INT64" } }],
});

/** Endpoints over tables, checked; and what counts the checks of those that are checked again. */
async function open(sources: readonly Source[], queries: Readonly<Record<string, string>>) {
  const tables = await openSources(sources, engine.store);
  const drafts = Object.entries(queries).map(([name, query], index) => {
    const id = `00000000-0000-4000-8000-00000000000${index}`;
    return { ...draftEndpoint(toDefinition({ id }, name, query).definition), problem: "not checked" };
  });
  const { endpoints: first } = await checkReaders(drafts, new Set(), { engine, tables });
  return { tables, endpoints: (await checkReaders(first, new Set(), { engine, tables })).endpoints };
}

/** The names of the endpoints that are compiled. */
function watch(): { readonly engine: Pick<DuckDbEngine, "compile">; readonly compiled: string[] } {
  const compiled: string[] = [];
  const compile: DuckDbEngine["compile"] = (query, options) => {
    compiled.push(String(query.columns[0]?.name));
    return engine.compile(query, options);
  };
  return { engine: { compile }, compiled };
}

const queries = {
  one: "SELECT n AS one FROM `a.alias`",
  two: "WITH w AS (SELECT n FROM b) SELECT n AS two FROM w",
  three: "SELECT one AS three FROM one",
  four: "SELECT x AS four FROM later",
  five: "SELECT 1 AS five",
};

const problemOf = (endpoints: readonly Endpoint[]) =>
  endpoints.map(({ definition, problem }) => [definition.name, problem !== undefined]);

it("a change of sources checks the endpoints that read them, directly or not, and those that could not run", async () => {
  const { tables, endpoints } = await open([withField("a", "n"), withField("b", "n")], queries);
  expect(problemOf(endpoints)).toEqual([
    ["one", false],
    ["two", false],
    ["three", false],
    ["four", true],
    ["five", false],
  ]);
  const { engine: watched, compiled } = watch();
  const rechecked = await recheckReaders(endpoints, new Set(["a.alias", "a"]), { engine: watched, tables });
  expect(new Set(compiled)).toEqual(new Set(["one", "three"]));
  expect(rechecked.map((endpoint, index) => endpoint === endpoints[index])).toEqual(endpoints.map(() => true));
});

it("an endpoint runs once the source that it reads is there, and a source is not taken from one that reads it", async () => {
  const { endpoints } = await open([withField("a", "n"), withField("b", "n")], queries);
  const more: SourceTables = await openSources([withField("a", "n"), withField("later", "x")], engine.store);
  const changed = new Set(["b", "b.alias", "later", "later.alias"]);
  const rechecked = await recheckReaders(endpoints, changed, { engine, tables: more });
  expect(problemOf(rechecked)).toEqual([
    ["one", false],
    ["two", true],
    ["three", false],
    ["four", false],
    ["five", false],
  ]);
  const dependencies = { engine, tables: more, endpoints: lookupOf(endpoints) };
  expect(await findBroken(endpoints, changed, dependencies)).toEqual(["two"]);
  expect(await findBroken(endpoints, new Set(["later"]), dependencies)).toEqual([]);
  const [one] = endpoints;
  expect(one && checkEndpoint(one, dependencies).problems).toBeUndefined();
});

it("others have their turn between any two endpoints that are read from the store, or checked", async () => {
  const { tables, endpoints } = await open([withField("a", "n"), withField("b", "n")], queries);
  const stored = endpoints.map((endpoint) => {
    const { endpointId: id, ...version } = toNewVersion(endpoint, { author: "me", action: "create", changed: [] });
    return { ...version, id, number: 1 };
  });
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 20));
  const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await work;
    isOver = true;
    return turns;
  };
  const enough = expect.toSatisfy((turns: number) => turns >= endpoints.length - 1);
  const all = new Set(["a", "b"]);
  expect(await turnsDuring(checkReaders(endpoints, new Set(), { engine, tables }))).toEqual(enough);
  expect(await turnsDuring(recheckReaders(endpoints, all, { engine, tables }))).toEqual(enough);
  expect(await turnsDuring(readStored({ list: async () => stored }))).toEqual(enough);
  clock.mockRestore();
});
