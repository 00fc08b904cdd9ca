/** From a GoogleSQL text to the plan of a run, for tests. */

import { sourceTable } from "../../../../src/engines/clickhouse/compile/scan/tables.ts";
import { compileQuery } from "../../../../src/engines/clickhouse/compile-query.ts";
import type { CompiledQuery } from "../../../../src/engines/contract/query-engine.ts";
import { compileQuery as compileForDuckDb } from "../../../../src/engines/duckdb/compile/compile.ts";
import { parseQuery } from "../../../../src/googlesql/parse.ts";
import { resolveQuery } from "../../../../src/googlesql/resolver/resolve.ts";
import type { SqlType } from "../../../../src/googlesql/types.ts";
import { edgeLayout } from "../duckdb/compile/edge-layout.ts";

export interface CompileTextOptions {
  readonly pushesConstants?: boolean;
  readonly parameters?: ReadonlyMap<string | number, SqlType>;
}

const { definition } = edgeLayout;

/** Compiles a text over the edge source's table; parameters that are not declared are inferred. */
export function compileText(text: string, options: CompileTextOptions = {}): CompiledQuery {
  return prepareText(text, options)();
}

/** Resolves a text as `compileText` does; the answer compiles it, each time anew. */
export function prepareText(text: string, options: CompileTextOptions = {}): () => CompiledQuery {
  const tables = {
    findTable: (name: string) => (name.toLowerCase() === definition.name ? definition : undefined),
    tableNames: () => [definition.name],
  };
  const { parameters = new Map<string | number, SqlType>(), pushesConstants = false } = options;
  const query = resolveQuery(parseQuery(text), text, { tables, parameters, inferParameters: true });
  const target = {
    tables: (table: typeof definition) => (table === definition ? sourceTable(edgeLayout) : undefined),
    residual: { compile: (...given: Parameters<typeof compileForResidual>) => compileForResidual(...given) },
    pushesConstants,
  };
  return () => compileQuery(query, target, { text });
}

function compileForResidual(
  query: Parameters<typeof compileForDuckDb>[0],
  options?: Parameters<typeof compileForDuckDb>[2],
): CompiledQuery {
  return compileForDuckDb(query, () => undefined, options);
}
