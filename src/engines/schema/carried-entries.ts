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
