import type { TableCatalog } from "../../googlesql/relation.ts";
import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import type { CompiledQuery, CompileOptions, ParameterValue } from "./query-engine.ts";

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
