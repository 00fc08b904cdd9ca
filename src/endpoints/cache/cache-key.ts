import { createHash } from "node:crypto";
import { digestQuery } from "../call/plan/planned-query.ts";
import type { PreparedCall } from "../call/prepare/query-call.ts";
import type { Endpoint } from "../definition/definition.ts";

/**
 * What decides an answer, as one SHA-256: the endpoint and its version, the query in its compiled form (so that
 * spelling and white space of a consumer's query do not count), the typed values that it reads, pins among them, the
 * page size and the redaction. Parameters that the endpoint does not declare, and whether it was called by UUID or by
 * name, play no part.
 */
export function cacheKey({ definition, version }: Endpoint, call: PreparedCall): string {
  const parts = [
    definition.id,
    version,
    call.query.digest ?? digestQuery(call.query),
    call.values,
    call.maxRows,
    call.redactsPii,
    call.detectors ?? null,
    // A caller that may have less is not given what was cached for one that may have more.
    call.budget ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
