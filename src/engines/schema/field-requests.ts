/** Fields in events that their source's schema does not have yet. */
import type { ValueType } from "./schema-entry.ts";

/** The tenant of an event; null for those without one. */
export type Tenant = string | null;

/**
 * A thing that the schema lacks an entry for. `isSingle` is false within an array of objects, where no column can
 * hold it.
 */
export type FieldRequest =
  | { readonly role: "value"; readonly path: string; readonly type: ValueType; readonly isSingle: boolean }
  | { readonly role: "record"; readonly path: string; readonly isSingle: boolean }
  | { readonly role: "repeated"; readonly path: string }
  /** The column for top-level fields that have none. */
  | { readonly role: "rest" };

/** All that one tenant's events lack. */
export interface TenantRequests {
  readonly tenant: Tenant;
  readonly requests: readonly FieldRequest[];
}

/** The same for two requests of the same entry. */
export function requestKey(request: FieldRequest): string {
  if (request.role === "rest") return "";
  return request.role === "value" ? `${request.path} ${request.type}` : `${request.path} ${request.role}`;
}

/** Collects requests by tenant, each once. */
export class RequestCollector {
  readonly #byTenant = new Map<Tenant, Map<string, FieldRequest>>();

  add(tenant: Tenant, request: FieldRequest): void {
    let requests = this.#byTenant.get(tenant);
    if (requests === undefined) {
      requests = new Map();
      this.#byTenant.set(tenant, requests);
    }
    const key = requestKey(request);
    const known = requests.get(key);
    // One value that stands alone is reason enough for a column.
    if (known === undefined || ("isSingle" in request && request.isSingle)) requests.set(key, request);
  }

  get isEmpty(): boolean {
    return this.#byTenant.size === 0;
  }

  all(): readonly TenantRequests[] {
    return [...this.#byTenant].map(([tenant, requests]) => ({ tenant, requests: [...requests.values()] }));
  }
}
