import type { Tenant } from "../field-requests.ts";

/** What a walk gathers of one tenant. */
export interface WalkShare {
  readonly tenant: Tenant;
  readonly entries: Uint32Array;
  /** Has all the fields that a tenant may have: further ones are not asked for. */
  readonly isFull: boolean;
  eventCount: number;
  newestTimestampUs: bigint;
}
