import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AuditRefusal, AuditRun } from "../../audit/audit-event.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { type ErrorCode, errorCatalogue } from "../../shared/error-catalogue.ts";
import { callerGoneStatus, whenAnswered } from "./access-log.ts";

/**
 * Data about a call that its route records as soon as it knows them; the outcome is added when the call is answered.
 */
export interface RunNotes
  extends Pick<AuditRun, "action" | "surface" | "actor" | "endpoint" | "version" | "parameters" | "redactsPii"> {
  rows?: number;
}

declare module "fastify" {
  interface FastifyRequest {
    auditRun: RunNotes | undefined;
  }
}

/** Codes of answers to calls that were not let in. */
const refusals: ReadonlySet<string> = new Set([
  "unauthorized",
  "insufficient_scope",
  "pinned_parameter",
  "rate_limited",
]);

const isErrorCode = (error: string | undefined): error is ErrorCode => error !== undefined && error in errorCatalogue;

/**
 * Records each run once its answer is sent or its caller gone, calls that were refused, and changes of which the
 * metadata's database did not confirm whether they were made.
 */
export function addAudit(app: FastifyInstance, audit: Pick<AuditLog, "level" | "record">): void {
  app.decorateRequest("auditRun");
  if (audit.level === "off") return;
  app.addHook("onRequest", async (request, reply) => {
    whenAnswered(reply, (sent) => {
      const { auditRun } = request;
      const { error } = request.logNotes;
      const status = sent !== callerGoneStatus && isErrorCode(error) ? errorCatalogue[error].status : sent;
      if (auditRun !== undefined && error !== "pinned_parameter") {
        audit.record(describeRun(request, auditRun, status, reply.elapsedTime));
      } else if (error !== undefined && refusals.has(error)) {
        audit.record(describeRefusal("access.refused", request, error, status));
      } else if (error === "metadata_unavailable" && request.identity !== undefined && !isRead(request)) {
        audit.record(describeRefusal("change.unconfirmed", request, error, status));
      }
    });
  });
}

function describeRun({ logNotes }: FastifyRequest, notes: RunNotes, status: number, durationMs: number): AuditRun {
  const cache: AuditRun["cache"] = logNotes.cache ?? "none";
  const { error = status === callerGoneStatus ? "caller_gone" : undefined } = logNotes;
  const run = { ...notes, cache, status, durationMs, ...(error === undefined ? {} : { error }) };
  return cache === "hit" ? { ...run, callKey: callKeyOf(notes) } : run;
}

/** The same for calls of one actor that get the same answer. */
export function callKeyOf({ surface, endpoint, version, parameters, redactsPii }: RunNotes): string {
  const names = [...(endpoint?.parameters ?? []).map(({ name }) => name), "sql", "lql", "limit", "cursor"];
  return JSON.stringify([
    surface,
    endpoint?.id,
    version,
    redactsPii,
    names.map((name) => parameters.get(name) ?? null),
  ]);
}

function isRead({ method }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function describeRefusal(
  action: AuditRefusal["action"],
  { logNotes, method, routeOptions }: FastifyRequest,
  error: string,
  status: number,
): AuditRefusal {
  const { tokenId } = logNotes;
  const route = routeOptions.url ?? "none";
  return {
    action,
    error,
    status,
    method,
    route,
    ...(tokenId === undefined ? {} : { actor: tokenId }),
  };
}
