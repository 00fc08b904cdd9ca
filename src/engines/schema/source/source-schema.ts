/** A source's schema as the store keeps it, and reports it to the service when it is opened. */
import { liveColumn, type SchemaEntry, type ValueType } from "../schema-entry.ts";

export interface SourceSchema {
  readonly name: string;
  /** Physical table, unquoted. */
  readonly table: string;
  readonly entries: readonly SchemaEntry[];
  /** Which entries each tenant's events carried; a tenant may stand here several times. */
  readonly tenants: readonly TenantEntries[];
  /** As they were reported last; absent in a store of an earlier format, until they are reported. */
  readonly rules?: SourceRules | undefined;
}

/** A tenant (null: none), and numbers of entries as `formatEntries` writes them. */
export type TenantEntries = readonly [tenant: string | null, entries: string];

/** The tenants of each name, from rows of a name, a tenant and its entries. */
export function groupTenants(rows: readonly (readonly unknown[])[]): ReadonlyMap<string, readonly TenantEntries[]> {
  const byName = new Map<string, TenantEntries[]>();
  for (const [name, tenant, entries] of rows) {
    const list = byName.get(String(name)) ?? [];
    list.push([tenant === null ? null : String(tenant), String(entries)]);
    byName.set(String(name), list);
  }
  return byName;
}

/** The service's rules for a source, which the store needs. */
export interface SourceRules {
  /** Dotted path of the field that identifies the tenant; null where nothing does. */
  readonly tenantField: string | null;
  /** Declared fields, records apart: dotted path and type. */
  readonly fields: readonly (readonly [path: string, type: ValueType])[];
}

/** A source that the store is to know. */
export interface NewSource {
  readonly name: string;
  readonly entries: readonly SchemaEntry[];
  readonly rules: SourceRules;
}

/** The column of the text that identifies the tenant; undefined for a source without tenants. */
export function tenantColumnOf({ entries, rules }: Pick<SourceSchema, "entries" | "rules">): string | undefined {
  const columns = entries.flatMap((entry) => {
    const isTenant = entry.role === "value" && entry.type === "STRING" && entry.path === rules?.tenantField;
    return isTenant ? (liveColumn(entry) ?? []) : [];
  });
  return columns[0];
}
