/** Which entries of a source's schema each tenant has. Tenants with equal sets share one. */
import { countEntries, type EntrySet, entrySetKey, NO_ENTRIES, withEntries } from "../entry-set.ts";
import type { Tenant } from "../field-requests.ts";

export interface TenantSet {
  readonly entries: EntrySet;
  readonly count: number;
}

interface SharedSet extends TenantSet {
  readonly key: string;
  tenantCount: number;
}

const NOTHING: TenantSet = { entries: NO_ENTRIES, count: 0 };

export class TenantSets {
  readonly #byTenant = new Map<Tenant, SharedSet>();
  readonly #shared = new Map<string, SharedSet>();

  get(tenant: Tenant): TenantSet {
    return this.#byTenant.get(tenant) ?? NOTHING;
  }

  add(tenant: Tenant, entries: readonly number[]): void {
    const before = this.#byTenant.get(tenant);
    const set = withEntries(before?.entries ?? NO_ENTRIES, entries);
    const key = entrySetKey(set);
    if (before?.key === key) return;
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = { key, entries: set, count: countEntries(set), tenantCount: 0 };
      this.#shared.set(key, shared);
    }
    shared.tenantCount++;
    this.#byTenant.set(tenant, shared);
    if (before !== undefined && --before.tenantCount === 0) this.#shared.delete(before.key);
  }

  clear(): void {
    this.#byTenant.clear();
    this.#shared.clear();
  }
}
