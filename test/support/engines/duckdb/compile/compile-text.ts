/** From a GoogleSQL text to DuckDB SQL, and to rows, for tests. */

import type { CompiledQuery, ParameterValue } from "../../../../../src/engines/contract/query-engine.ts";
import { compileQuery, type PrintOptions } from "../../../../../src/engines/duckdb/compile/compile.ts";
import type { TableLayout } from "../../../../../src/engines/schema/layout.ts";
import { type Diagnostic, GoogleSqlError } from "../../../../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../../../../src/googlesql/parse.ts";
import type { ResolvedQuery } from "../../../../../src/googlesql/resolved.ts";
import { resolveQuery } from "../../../../../src/googlesql/resolver/resolve.ts";
import type { SqlType } from "../../../../../src/googlesql/types.ts";
import { type MemoryDatabase, openMemoryDatabase } from "../driver/memory-database.ts";
import { bindCall } from "./bind-call.ts";
import { edgeLayout, edgeSetup } from "./edge-layout.ts";

/** Resolves a text over the tables; parameters that are not declared are inferred. */
export function resolveOver(
  text: string,
  layouts: readonly TableLayout[] = [edgeLayout],
  parameters: ReadonlyMap<string | number, SqlType> = new Map(),
): ResolvedQuery {
  const tables = {
    findTable: (name: string) => findLayout(layouts, name)?.definition,
    tableNames: () => layouts.map((layout) => layout.definition.name),
  };
  return resolveQuery(parseQuery(text), text, { tables, parameters, inferParameters: true });
}

/** Compiles what is resolved so. */
export function compileText(
  text: string,
  layouts: readonly TableLayout[] = [edgeLayout],
  parameters: ReadonlyMap<string | number, SqlType> = new Map(),
  options: PrintOptions = {},
): CompiledQuery {
  const query = resolveOver(text, layouts, parameters);
  return compileQuery(query, (table) => findLayout(layouts, table.name), { text, ...options });
}

function findLayout(layouts: readonly TableLayout[], name: string): TableLayout | undefined {
  return layouts.find(({ definition }) => definition.name.toLowerCase() === name.toLowerCase());
}

/** Returns the diagnostics of a refused query; undefined if it is accepted. */
export function refusalOf(compile: () => unknown): readonly Diagnostic[] | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (error instanceof GoogleSqlError) return error.diagnostics;
    throw error;
  }
}

/** Tables with rows that queries are answered over. */
export interface TestDatabase {
  /** The rows of a text, as cells. */
  rows(text: string, values?: Readonly<Record<string, ParameterValue>>): Promise<readonly unknown[]>;
  readonly database: MemoryDatabase;
}

/** A database that holds the edge source's events. */
export async function openEdgeDatabase(): Promise<TestDatabase> {
  const database = await openMemoryDatabase();
  for (const statement of edgeSetup) await database.query(statement);
  return {
    database,
    async rows(text, values = {}) {
      const compiled = compileText(text);
      const given = compiled.parameters.map(({ key }) => values[key] ?? null);
      const { sql, parameters } = await bindCall(database.all, compiled, given);
      return database.encode(sql, compiled.columns, "cells", parameters);
    },
  };
}
