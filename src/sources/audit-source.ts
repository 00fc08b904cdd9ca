import type { ScalarKind } from "../googlesql/types.ts";
import type { Source } from "./source.ts";

/** Under which name queries read what was recorded. Nobody but the service writes there. */
export const auditSourceName = "logweir.audit";

const fields: Readonly<Record<string, ScalarKind>> = {
  action: "STRING",
  actor: "STRING",
  outcome: "STRING",
  status: "INT64",
  count: "INT64",
  endpoint: "STRING",
  endpoint_id: "STRING",
  version: "INT64",
  surface: "STRING",
  parameters: "STRING",
  query_language: "STRING",
  query_digest: "STRING",
  redacted: "BOOL",
  cache: "STRING",
  rows: "INT64",
  duration_ms: "FLOAT64",
  target: "STRING",
  target_id: "STRING",
  details: "STRING",
  method: "STRING",
  route: "STRING",
};

/** The source of the audit; events are stored for `retentionDays`, permanently when that is undefined. */
export function createAuditSource(retentionDays: number | undefined): Source {
  return {
    name: auditSourceName,
    aliases: [],
    kind: "audit",
    description: "Who changed what, and who ran which endpoint; written by the service",
    retentionDays,
    knownFields: Object.entries(fields).map(([name, kind]) => ({ path: `metadata.${name}`, type: { kind } })),
    origin: { kind: "service" },
  };
}
