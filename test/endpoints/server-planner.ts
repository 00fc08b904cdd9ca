/** Plans calls of the project's endpoints for ClickHouse, without a server: sources have the fields they declare. */
import { createPlanner } from "../../src/endpoints/call/plan/planner.ts";
import { lookupOf } from "../../src/endpoints/definition/check-endpoint.ts";
import type { Endpoint } from "../../src/endpoints/definition/definition.ts";
import { loadEndpoints } from "../../src/endpoints/definition/load-endpoints.ts";
import { sourceTable } from "../../src/engines/clickhouse/compile/scan/tables.ts";
import { compileQuery, planOf, type ServerPlan } from "../../src/engines/clickhouse/compile-query.ts";
import type { CompiledQuery, CompileOptions, Engine } from "../../src/engines/contract/query-engine.ts";
import { compileQuery as compileResidual } from "../../src/engines/duckdb/compile/compile.ts";
import type { EngineHost } from "../../src/engines/duckdb/host/protocol.ts";
import { DuckDbStore } from "../../src/engines/duckdb/store/store.ts";
import type { ResolvedQuery } from "../../src/googlesql/resolved.ts";
import { createAuditSource } from "../../src/sources/audit-source.ts";
import { loadSources } from "../../src/sources/load-sources.ts";
import { openSources } from "../../src/sources/source-registry.ts";

/** A host that keeps nothing but names. */
const host: Pick<EngineHost, "createSources" | "addEntries" | "defineSource"> = {
  createSources: async (sources) =>
    sources.map((source) => ({ ...source, table: `events_${source.name}`, tenants: [] })),
  addEntries: async () => undefined,
  defineSource: async (name, rules) => ({ name, table: `events_${name}`, entries: [], tenants: [], rules }),
};

export interface ServerPlanner {
  readonly endpoints: readonly Endpoint[];
  /** The plan of the endpoint's own query, or of a client's over its tables; cached by all that is given. */
  plan(endpoint: Endpoint, sql?: string, language?: "sql" | "lql", rowLimit?: number): ServerPlan;
}

/** Endpoints of the folder over the sources of another. */
export async function openServerPlanner(folder = "endpoints"): Promise<ServerPlanner> {
  const store = new DuckDbStore(() => host as EngineHost);
  store.load({ sources: [] });
  const known = [...(await loadSources(["sources"])), createAuditSource(undefined)];
  const tables = await openSources(known, store);
  const residual = {
    compile: (query: ResolvedQuery, options?: CompileOptions) => compileResidual(query, () => undefined, options),
  };
  const target = {
    tables: (table: Parameters<typeof store.layoutOf>[0]) => {
      const layout = store.layoutOf(table);
      return layout === undefined ? undefined : sourceTable(layout);
    },
    residual,
  };
  const engine: Pick<Engine, "compile"> = {
    compile: (query, options): CompiledQuery => compileQuery(query, target, options),
  };
  const loading = engine as Engine;
  const endpoints = await loadEndpoints([folder], { engine: loading, tables });
  const planner = createPlanner({ engine, tables, endpoints: lookupOf(endpoints), nowMs: () => 1_787_000_000_000 });
  return {
    endpoints,
    plan(endpoint, sql, language = "sql", rowLimit = undefined) {
      const consumer = sql === undefined ? undefined : ({ language, text: sql } as const);
      return planOf(planner.plan(endpoint, consumer, rowLimit));
    },
  };
}
