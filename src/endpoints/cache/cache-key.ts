import { createHash } from "node:crypto";
import { digestQuery } from "../call/plan/planned-query.ts";
import type { PreparedCall } from "../call/prepare/query-call.ts";
import type { Endpoint } from "../definition/definition.ts";

/**
 * Everything that determines an answer, as one SHA-256: the endpoint and its version, the compiled query (so that
 * spelling and white space of a consumer's query do not matter), its typed values including pins, the page size and the
 * redaction. Undeclared parameters, and whether the endpoint was called by UUID or by name, do not matter.
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
    // A caller with stricter limits does not get an answer that was cached for one with wider limits.
    call.budget ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
