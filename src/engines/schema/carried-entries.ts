/** The fields that the events of a batch carried, by tenant. */
import type { MistypedField } from "../contract/query-engine.ts";
import type { EntrySet } from "./entry-set.ts";
import type { Tenant } from "./field-requests.ts";

export interface TenantShare {
  readonly tenant: Tenant;
  readonly eventCount: number;
  /** Microseconds since 1970. */
  readonly newestTimestampUs: bigint;
  /** Entries that its events carried. */
  readonly entries: EntrySet;
}

/** The additions of a batch to the schema. */
export interface Carried {
  readonly tenants: readonly TenantShare[];
  readonly mistyped: readonly MistypedField[];
}

/** Joins what batches carried that were encoded by the same schema, as if they were one. */
export function joinCarried(all: readonly Carried[]): Carried {
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  const tenants = new Map<Tenant, TenantShare>();
  for (const share of all.flatMap((each) => each.tenants)) {
    const known = tenants.get(share.tenant);
    tenants.set(share.tenant, known === undefined ? share : joinShares(known, share));
  }
  return { tenants: [...tenants.values()], mistyped: all.flatMap(({ mistyped }) => mistyped) };
}

function joinShares(a: TenantShare, b: TenantShare): TenantShare {
  return {
    tenant: a.tenant,
    eventCount: a.eventCount + b.eventCount,
    newestTimestampUs: a.newestTimestampUs > b.newestTimestampUs ? a.newestTimestampUs : b.newestTimestampUs,
    entries: a.entries.map((word, index) => word | (b.entries[index] ?? 0)),
  };
}
