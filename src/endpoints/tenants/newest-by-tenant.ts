import type { Engine } from "../../engines/contract/query-engine.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import type { SourceTables } from "../../sources/source-tables.ts";

/** Times of the newest events, in microseconds since 1970, by source and tenant. */
export type NewestByTenant = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

const timeoutMs = 60_000;
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Asks the engine for the newest event of each tenant in these sources; those without tenants are left out. The
 * sources are read as they are declared: there the tenant field is a single value, whatever events have carried, as
 * where events are stored.
 */
export async function readNewestByTenant(
  engine: Pick<Engine, "compile" | "run">,
  tables: SourceTables,
  sources: readonly string[],
  signal: AbortSignal,
): Promise<NewestByTenant> {
  const newest = new Map<string, ReadonlyMap<string, bigint>>();
  for (const source of sources) {
    const { tenantField } = tables.findTable(source) ?? {};
    if (tenantField !== undefined)
      newest.set(source, await readSource(engine, tables, { source, tenantField }, signal));
  }
  return newest;
}

async function readSource(
  engine: Pick<Engine, "compile" | "run">,
  tables: SourceTables,
  { source, tenantField }: { readonly source: string; readonly tenantField: string },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint>> {
  const field = tenantField
    .split(".")
    .map((name) => `\`${name}\``)
    .join(".");
  const sql = `SELECT t.${field} AS tenant, UNIX_MICROS(MAX(t.timestamp)) AS us FROM \`${source}\` AS t
WHERE t.${field} IS NOT NULL GROUP BY 1`;
  const catalog = { findTable: (name: string) => tables.findTable(name, null), tableNames: () => tables.tableNames() };
  const query = engine.compile(resolveQuery(parseQuery(sql), sql, { tables: catalog }), { text: sql });
  const limits = { timeoutMs, maxRows: noLimit, maxResultBytes: noLimit };
  const running = await engine.run({ query, values: [], encoding: "cells", limits, signal });
  const newest = new Map<string, bigint>();
  for await (const { json, rowCount } of running.batches) {
    if (rowCount === 0) continue;
    for (const [tenant, us] of JSON.parse(`[${json}]`) as [string, number | string][]) newest.set(tenant, BigInt(us));
  }
  return newest;
}
