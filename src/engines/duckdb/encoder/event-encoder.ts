/** Events as batches of their source's table. */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import { walkEvents } from "../../schema/encode/event-walk.ts";
import type { Tenant, TenantRequests } from "../../schema/field-requests.ts";
import type { FieldTree } from "../../schema/field-tree.ts";
import { BatchBuilder } from "../batch/batch.ts";

export type EncodedEvents =
  | { readonly batch: BatchBuilder; readonly carried: Carried; readonly missing?: undefined }
  /** The schema must grow by these before the events can be encoded. */
  | { readonly batch?: undefined; readonly missing: readonly TenantRequests[] };

/**
 * Encodes the events, or tells what the schema lacks for them. `full`: tenants that may bring no further fields;
 * theirs are in the JSON alone.
 */
export function encodeEvents(tree: FieldTree, events: readonly LogEvent[], full?: ReadonlySet<Tenant>): EncodedEvents {
  const batch = new BatchBuilder();
  const walked = walkEvents(batch, tree, events, full);
  return walked.missing === undefined ? { batch, carried: walked.carried } : { missing: walked.missing };
}
