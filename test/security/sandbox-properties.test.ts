import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CompiledQuery, EngineError, type LogEvent } from "../../src/engines/contract/query-engine.ts";
import { openDatabase } from "../../src/engines/duckdb/driver/connection.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../src/engines/duckdb/index.ts";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import type { TableCatalog } from "../../src/googlesql/relation.ts";
import { resolveQuery, resolveSandboxed } from "../../src/googlesql/resolve.ts";
import { type SqlType, STRING, TIMESTAMP } from "../../src/googlesql/types.ts";
import { loadSources } from "../../src/sources/load-sources.ts";
import { openSources, type SourceRegistry } from "../../src/sources/source-registry.ts";
import { sampleSize } from "../support/sample-size.ts";
import { consumerQueries } from "./random-queries.ts";
import { type TakenApart, takeApart } from "./take-apart.ts";

const secret = "SECRET-4711";
const runs = { seed: 20260820, numRuns: sampleSize(15, 1_000) };
const never = new AbortController().signal;

let engine: DuckDbEngine;
let sources: SourceRegistry;
let saved: string;
let database: Awaited<ReturnType<typeof openDatabase>>;
let parser: Awaited<ReturnType<typeof database.connect>>;

function makeEvent(id: string, project: string, text: string): LogEvent {
  const metadata = { project, project_ref: project, request: { path: text }, tags: [text] };
  return { id, hasGeneratedId: false, timestampUs: 1n, eventMessage: text, fields: { project, metadata } };
}

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  database = await openDatabase({ threads: 1, memoryLimitBytes: 2 ** 28 });
  parser = await database.connect();
  sources = await openSources(await loadSources(["sources"]), engine.store);
  for (const source of ["edge", "db", "realtime"]) {
    await engine.store.append(
      source,
      [makeEvent(`${source}-own`, "inside", "own"), makeEvent(`${source}-other`, "outside", secret)],
      never,
    );
  }
  const file = await readFile("endpoints/logs.all.sql", "utf8");
  saved = file.slice(file.indexOf("---*/") + 5);
});

afterAll(async () => {
  parser.close();
  database.close();
  await engine.close();
});

const parameters: ReadonlyMap<string, SqlType> = new Map([
  ["project", STRING],
  ["iso_timestamp_start", TIMESTAMP],
  ["iso_timestamp_end", TIMESTAMP],
]);

/** The saved query as it is, or with each of its tables in an endpoint that it reads. */
type Form = "its tables in place" | "its tables in endpoints";
const forms: readonly Form[] = ["its tables in place", "its tables in endpoints"];

function catalogOf({ parts }: TakenApart): TableCatalog {
  return {
    findTable: (name) => sources.findTable(name),
    tableNames: () => sources.tableNames(),
    findView(name) {
      const text = parts.get(name);
      return text === undefined ? undefined : { key: name, name, query: parseQuery(text), text, parameters };
    },
  };
}

/** The consumer's compiled query; undefined when it was refused with a position. */
function compile(text: string, form: Form): CompiledQuery | undefined {
  const apart = takeApart(saved);
  const used = form === "its tables in place" ? saved : apart.text;
  try {
    const resolved = resolveSandboxed(
      { query: parseQuery(used), text: used },
      { query: parseQuery(text), text },
      { tables: catalogOf(apart), tableAliases: new Map([["postgres_logs", "db_logs"]]), parameters },
    );
    return engine.compile(resolved, { text });
  } catch (error) {
    if (error instanceof GoogleSqlError) return undefined;
    throw error;
  }
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Relations of a statement as the engine's own parser reads them: names of tables that no WITH of the statement
 * defines.
 */
async function readRelations(sql: string): Promise<readonly string[]> {
  const [row] = await parser.all("SELECT json_serialize_sql($1::VARCHAR)", [{ value: sql }]);
  const tables = new Set<string>();
  const defined = new Set<string>();
  const visit = (json: Json | undefined): void => {
    if (typeof json !== "object" || json === null) return;
    if (!Array.isArray(json)) {
      const object = json as { readonly [key: string]: Json };
      if (object.type === "BASE_TABLE") tables.add(`${object.schema_name}${object.table_name}`);
      if (object.type === "TABLE_FUNCTION") tables.add(JSON.stringify(object.function).slice(0, 100));
      const map = (object.cte_map as { readonly map?: readonly { readonly key: string }[] } | undefined)?.map ?? [];
      for (const { key } of map) defined.add(key);
      if (typeof object.cte_name === "string") defined.add(object.cte_name);
    }
    Object.values(json).forEach(visit);
  };
  visit(JSON.parse(String(row?.[0])) as Json);
  return [...tables].filter((table) => !defined.has(table));
}

it.each(forms)("a random query compiles to relations of the endpoint only, with %s", async (form) => {
  const physical = new Set<string>();
  for (const source of ["edge", "db", "function_edge", "function", "auth", "realtime", "storage", "rest", "pooler"]) {
    const text = `SELECT id FROM ${source}`;
    const resolved = resolveQuery(parseQuery(text), text, { tables: catalogOf(takeApart(saved)) });
    for (const table of await readRelations(engine.compile(resolved, { text }).sql)) physical.add(table);
  }
  expect(physical.size).toBe(9);
  let compiled = 0;
  await fc.assert(
    fc.asyncProperty(consumerQueries, async (text) => {
      const query = compile(text, form);
      if (query === undefined) return;
      compiled++;
      const hidden = (await readRelations(query.sql)).filter((table) => !physical.has(table));
      expect(hidden).toEqual([]);
      // Each scan of a source is filtered by the project of the call.
      const readings = query.sql.match(/"events_\d+"/g)?.length ?? 0;
      const parameter = query.parameters.findIndex(({ key }) => key === "project") + 1;
      const filters = query.sql.split(`= CAST($${parameter} AS VARCHAR)`).length - 1;
      expect(filters, query.sql).toBeGreaterThanOrEqual(readings);
    }),
    runs,
  );
  expect(compiled).toBeGreaterThan(runs.numRuns / 4);
});

it.each(forms)("a random query never combines events of two projects, with %s", async (form) => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(consumerQueries, async (text) => {
      const query = compile(text, form);
      if (query === undefined) return;
      const values = query.parameters.map(({ key }) => (key === "project" ? "inside" : null));
      let rows = "";
      try {
        const limits = { timeoutMs: 5_000, maxRows: 1_000, maxResultBytes: 1_000_000 };
        const running = await engine.run({ query, values, encoding: "objects", limits, signal: never });
        for await (const batch of running.batches) rows += batch.json;
        answered++;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        expect(["query_failed", "timeout", "memory_exceeded", "result_too_large"]).toContain(error.code);
        rows = error.message;
      }
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain("-other");
    }),
    runs,
  );
  expect(answered).toBeGreaterThan(runs.numRuns / 4);
});
