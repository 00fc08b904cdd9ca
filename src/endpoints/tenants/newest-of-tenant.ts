import type { Engine } from "../../engines/contract/query-engine.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import type { SqlType } from "../../googlesql/types.ts";
import type { SourceTables } from "../../sources/source-tables.ts";

const HOUR_US = 3_600_000_000n;
/** How far before the source's newest event a tenant's is looked for, one after the other; at last everywhere. */
const WINDOWS_US = [HOUR_US, 24n * HOUR_US];
/** The first time that there is, 0001-01-01. */
const OLDEST_US = -62_135_596_800_000_000n;

const limits = { timeoutMs: 60_000, maxRows: 1, maxResultBytes: 1024 };
const parameters = new Map<string, SqlType>([
  ["tenant", { kind: "STRING" }],
  ["since", { kind: "INT64" }],
]);

/** A tenant of a source, and the time of the source's newest event in microseconds since 1970. */
export interface TenantOfSource {
  readonly source: string;
  readonly tenant: string;
  readonly sourceNewestUs: bigint;
}

/**
 * Asks the engine for a tenant's newest event in a source, in microseconds since 1970; undefined where there is none,
 * or the source has no tenants. The source is read as it is declared: there the tenant field is a single value,
 * whatever events have carried, as where events are stored.
 */
export async function readNewestOfTenant(
  engine: Pick<Engine, "compile" | "run">,
  tables: SourceTables,
  { source, tenant, sourceNewestUs }: TenantOfSource,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const { tenantField } = tables.findTable(source) ?? {};
  if (tenantField === undefined) return undefined;
  const field = tenantField
    .split(".")
    .map((name) => `\`${name}\``)
    .join(".");
  const sql = `SELECT UNIX_MICROS(MAX(t.timestamp)) AS us FROM \`${source}\` AS t
WHERE t.${field} = @tenant AND t.timestamp >= TIMESTAMP_MICROS(@since)`;
  const catalog = { findTable: (name: string) => tables.findTable(name, null), tableNames: () => tables.tableNames() };
  const query = engine.compile(resolveQuery(parseQuery(sql), sql, { tables: catalog, parameters }), { text: sql });
  for (const since of [...WINDOWS_US.map((window) => sourceNewestUs - window), OLDEST_US]) {
    const given = { tenant, since: String(since > OLDEST_US ? since : OLDEST_US) };
    const values = query.parameters.map(({ key }) => given[key as keyof typeof given]);
    const { batches } = await engine.run({ query, values, encoding: "cells", limits, signal });
    for await (const { json } of batches) {
      const [[us] = [null]] = JSON.parse(`[${json}]`) as [number | string | null][];
      if (us !== null) return BigInt(us);
    }
  }
  return undefined;
}
