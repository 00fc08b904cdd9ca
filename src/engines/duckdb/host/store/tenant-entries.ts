/**
 * Which tenant's events have which entries of their source's schema: stored with the rows, and derived from them
 * once.
 */

import { formatEntries } from "../../../schema/entry-set.ts";
import type { SchemaEntry, ValueType } from "../../../schema/schema-entry.ts";
import { groupTenants, type TenantEntries, tenantColumnOf } from "../../../schema/source/source-schema.ts";
import type { Connection } from "../../driver/connection.ts";
import { quoteIdentifier, quoteString } from "../../sql-text.ts";
import { jsonPlace } from "./json-paths.ts";
import type { StoredSource } from "./stored-source.ts";

/** Conditions that one statement looks at. */
const CONDITIONS_PER_PASS = 200;

/** Stores the new entries of tenants in the caller's transaction. */
export async function keepTenants(
  connection: Connection,
  source: string,
  tenants: readonly TenantEntries[],
): Promise<void> {
  const MAX_ROWS = 500;
  for (let from = 0; from < tenants.length; from += MAX_ROWS) {
    const part = tenants.slice(from, from + MAX_ROWS);
    const list = part.map((_, index) => `($1, $${2 * index + 2}, $${2 * index + 3})`).join(", ");
    const values = [source, ...part.flat()].map((value) => ({ value }));
    await connection.all(`INSERT INTO lw_tenants VALUES ${list}`, values);
  }
}

/** All stored entries, by source. */
export async function readTenants(connection: Connection): Promise<ReadonlyMap<string, readonly TenantEntries[]>> {
  const rows = await connection.all(
    "SELECT source, tenant, string_agg(entries, ',') FROM lw_tenants GROUP BY source, tenant ORDER BY source, tenant",
  );
  return groupTenants(rows);
}

const jsonTypes: Readonly<Record<"INT64" | "FLOAT64" | "WIDE" | "BOOL" | "STRING", string>> = {
  INT64: "['BIGINT', 'UBIGINT']",
  FLOAT64: "['DOUBLE']",
  WIDE: "['UBIGINT', 'DOUBLE']",
  BOOL: "['BOOLEAN']",
  STRING: "['VARCHAR']",
};

function jsonTypesOf(type: ValueType): string {
  return type.endsWith("[]") ? "['ARRAY']" : jsonTypes[type as keyof typeof jsonTypes];
}

/** True for rows that carry the entry; undefined for entries that no row carries. */
function conditionOf(source: StoredSource, entry: SchemaEntry): string | undefined {
  if (entry.role === "json" || entry.role === "open") return undefined;
  if (entry.role !== "repeated" && entry.column !== null && entry.isStale !== true) {
    return `${quoteIdentifier(entry.column)} IS NOT NULL`;
  }
  const place = jsonPlace(source.entries, entry.path, true);
  if (place === undefined) return undefined;
  const argument = place.path === undefined ? place.column : `${place.column}, ${place.path}`;
  const listed = (call: string) => (place.path === undefined ? `[${call}(${argument})]` : `${call}(${argument})`);
  if (entry.role === "repeated") return `coalesce(list_max(${listed("json_array_length")}), 0) > 1`;
  const types = entry.role === "record" ? "['ARRAY', 'OBJECT']" : jsonTypesOf(entry.type);
  return `list_has_any(${listed("json_type")}, ${types})`;
}

/** Looks at all rows of the source. */
export async function findTenants(connection: Connection, source: StoredSource): Promise<readonly TenantEntries[]> {
  const tenantColumn = tenantColumnOf(source);
  const tenant = tenantColumn === undefined ? "NULL::VARCHAR" : quoteIdentifier(tenantColumn);
  const conditions: { readonly entry: number; readonly sql: string }[] = [];
  for (const [entry, value] of source.entries.entries()) {
    const sql = conditionOf(source, value);
    if (sql !== undefined) conditions.push({ entry, sql });
  }
  const found = new Map<string | null, number[]>();
  for (let from = 0; from < conditions.length; from += CONDITIONS_PER_PASS) {
    const part = conditions.slice(from, from + CONDITIONS_PER_PASS);
    const list = part.map(({ sql }) => `coalesce(bool_or(${sql}), false)`).join(", ");
    const rows = await connection.all(`SELECT ${tenant}, ${list} FROM ${quoteIdentifier(source.table)} GROUP BY 1`);
    for (const [name, ...carried] of rows) {
      const key = name === null ? null : String(name);
      const entries = found.get(key) ?? [];
      part.forEach(({ entry }, index) => {
        if (carried[index] === true) entries.push(entry);
      });
      found.set(key, entries);
    }
  }
  return [...found].map(([name, entries]) => [name, formatEntries(entries)]);
}

/** Replaces the stored entries by those that were found. */
export async function replaceTenants(
  connection: Connection,
  source: string,
  tenants: readonly TenantEntries[],
): Promise<void> {
  await connection.all(`DELETE FROM lw_tenants WHERE source = ${quoteString(source)}`);
  await keepTenants(connection, source, tenants);
}
