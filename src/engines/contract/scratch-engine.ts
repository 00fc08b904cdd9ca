import type { TableCatalog, TableDefinition } from "../../googlesql/relation.ts";
import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import type { CompiledQuery, CompileOptions, ParameterValue, RunningQuery, RunRequest } from "./query-engine.ts";

const MAX_ROWS = 1_000_000;
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/** An engine over temporary tables in memory: for the `sql` command and for conformance runs. */
export interface ScratchEngine {
  /** The tables made so far. */
  readonly tables: TableCatalog;
  /** Throws `GoogleSqlError` with positions where the engine cannot express the query. */
  compile(query: ResolvedQuery, options?: CompileOptions): CompiledQuery;
  /** Makes a table of a query's rows. Throws `EngineError`. */
  createTable(name: string, query: CompiledQuery): Promise<void>;
  /** The rows as JSON text, each an array of cells. Throws `EngineError`. */
  run(query: CompiledQuery, values: readonly ParameterValue[], timeoutMs: number): Promise<string>;
  /** Removes every table. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** The tables by their names, which are found in any case. */
export function scratchCatalog(tables: ReadonlyMap<string, { readonly definition: TableDefinition }>): TableCatalog {
  return {
    findTable(name) {
      const folded = name.toLowerCase();
      const found =
        tables.get(name) ?? [...tables.values()].find((table) => table.definition.name.toLowerCase() === folded);
      return found?.definition;
    },
    tableNames: () => [...tables.keys()],
  };
}

/** A run of a scratch engine by the engine's own. */
export async function runScratch(
  [query, values, timeoutMs]: Parameters<ScratchEngine["run"]>,
  run: (request: RunRequest) => Promise<RunningQuery>,
): Promise<string> {
  const limits = { timeoutMs, maxRows: MAX_ROWS, maxResultBytes: MAX_RESULT_BYTES };
  const running = await run({ query, values, encoding: "cells", limits, signal: new AbortController().signal });
  const batches: string[] = [];
  for await (const batch of running.batches) if (batch.rowCount > 0) batches.push(batch.json);
  return `[${batches.join(",")}]`;
}
