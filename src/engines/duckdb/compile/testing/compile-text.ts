/** From a GoogleSQL text to DuckDB SQL, and to rows, for tests. */
import { type Diagnostic, GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import type { CompiledQuery, ParameterValue } from "../../../contract/query-engine.ts";
import type { TableLayout } from "../../../schema/layout.ts";
import { bindQuery } from "../../bind-query.ts";
import { type MemoryDatabase, openMemoryDatabase } from "../../driver/memory-database.ts";
import { compileQuery, type PrintOptions } from "../compile.ts";
import { edgeLayout, edgeSetup } from "./edge-layout.ts";

/** Compiles a text over the tables; parameters that are not declared are inferred. */
export function compileText(
  text: string,
  layouts: readonly TableLayout[] = [edgeLayout],
  parameters: ReadonlyMap<string | number, SqlType> = new Map(),
  options: PrintOptions = {},
): CompiledQuery {
  const find = (name: string) => layouts.find((layout) => layout.definition.name.toLowerCase() === name.toLowerCase());
  const tables = {
    findTable: (name: string) => find(name)?.definition,
    tableNames: () => layouts.map((layout) => layout.definition.name),
  };
  const query = resolveQuery(parseQuery(text), text, { tables, parameters, inferParameters: true });
  return compileQuery(query, (table) => find(table.name), { text, ...options });
}

/** What a query is refused for; undefined where it is not. */
export function refusalOf(compile: () => unknown): readonly Diagnostic[] | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (error instanceof GoogleSqlError) return error.diagnostics;
    throw error;
  }
}

export interface EdgeDatabase {
  /** The rows of a text, as cells. */
  rows(text: string, values?: Readonly<Record<string, ParameterValue>>): Promise<readonly unknown[]>;
  readonly database: MemoryDatabase;
}

/** A database that holds the edge source's events. */
export async function openEdgeDatabase(): Promise<EdgeDatabase> {
  const database = await openMemoryDatabase();
  for (const statement of edgeSetup) await database.query(statement);
  return {
    database,
    rows(text, values = {}) {
      const compiled = compileText(text);
      const given = compiled.parameters.map(({ key }) => values[key] ?? null);
      const { sql, parameters } = bindQuery(compiled, given);
      return database.encode(sql, compiled.columns, "cells", parameters);
    },
  };
}
