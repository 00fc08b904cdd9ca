import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import type { Backend, DrainRule } from "../../drains/backend.ts";
import { showBackend } from "../../drains/backend-document.ts";
import type { Drains, RuleStatus } from "../../drains/drains.ts";
import { showRule } from "../../drains/rule-document.ts";
import { readJsonBody } from "../request/json-body.ts";
import { urlParameters } from "../request/request-parameters.ts";
import { ownerOf, requirePrivate } from "../request/require-private.ts";

/** What the routes of log drains work with. */
export interface DrainDependencies {
  readonly authenticator: Authenticator;
  readonly drains: Drains;
  readonly audit: Pick<AuditLog, "record">;
  readonly maxBodyBytes: number;
}

interface IdRoute {
  readonly Params: { readonly id: string };
}

/**
 * `/api/backends` and `/api/rules` (scope `private`): list, make, show, change and delete. Nothing that is answered
 * holds a secret.
 */
export function addDrainRoutes(app: FastifyInstance, dependencies: DrainDependencies): void {
  addBackendRoutes(app, dependencies);
  addRuleRoutes(app, dependencies);
}

function addBackendRoutes(
  app: FastifyInstance,
  { authenticator, drains, audit, maxBodyBytes }: DrainDependencies,
): void {
  const options = { onRequest: requirePrivate(authenticator) };
  const show = (backend: Backend) => {
    const rules = drains.status().filter(({ rule }) => rule.backendId === backend.id);
    return { ...showBackend(backend), status: rules.map(showStatus) };
  };
  const note = (request: FastifyRequest, action: `backend.${"create" | "update" | "delete"}`, { id, name }: Backend) =>
    audit.record({ action, actor: ownerOf(request).tokenId, target: name, targetId: id });

  app.get("/api/backends", options, (request) => {
    const wanted = urlParameters(request).get("metadata[type]")?.at(-1);
    return drains.backends.filter(({ metadata }) => wanted === undefined || metadata.type === wanted).map(show);
  });
  app.post("/api/backends", options, async (request, reply) => {
    const backend = await drains.saveBackend(await readJsonBody(request, maxBodyBytes));
    note(request, "backend.create", backend);
    return reply.status(201).header("Location", `/api/backends/${backend.id}`).send(show(backend));
  });
  app.get<IdRoute>("/api/backends/:id", options, ({ params }) => show(drains.findBackend(params.id)));
  const change = async (request: FastifyRequest<IdRoute>, reply: FastifyReply) => {
    const backend = await drains.saveBackend(await readJsonBody(request, maxBodyBytes), request.params.id);
    note(request, "backend.update", backend);
    return reply.send(show(backend));
  };
  app.put<IdRoute>("/api/backends/:id", options, change);
  app.patch<IdRoute>("/api/backends/:id", options, change);
  app.delete<IdRoute>("/api/backends/:id", options, async (request, reply) => {
    note(request, "backend.delete", await drains.removeBackend(request.params.id));
    return reply.status(204).send();
  });
}

function addRuleRoutes(app: FastifyInstance, { authenticator, drains, audit, maxBodyBytes }: DrainDependencies): void {
  const options = { onRequest: requirePrivate(authenticator) };
  const note = (request: FastifyRequest, action: `rule.${"create" | "update" | "delete"}`, rule: DrainRule) => {
    const details = { backend: rule.backendId };
    audit.record({ action, actor: ownerOf(request).tokenId, target: rule.source, targetId: rule.id, details });
  };

  app.get("/api/rules", options, (request) => {
    const wanted = urlParameters(request).get("backend_id")?.at(-1);
    return drains.rules.filter(({ backendId }) => wanted === undefined || backendId === wanted).map(showRule);
  });
  app.post("/api/rules", options, async (request, reply) => {
    const rule = await drains.saveRule(await readJsonBody(request, maxBodyBytes));
    note(request, "rule.create", rule);
    return reply.status(201).header("Location", `/api/rules/${rule.id}`).send(showRule(rule));
  });
  app.get<IdRoute>("/api/rules/:id", options, ({ params }) => showRule(drains.findRule(params.id)));
  const change = async (request: FastifyRequest<IdRoute>, reply: FastifyReply) => {
    const rule = await drains.saveRule(await readJsonBody(request, maxBodyBytes), request.params.id);
    note(request, "rule.update", rule);
    return reply.send(showRule(rule));
  };
  app.put<IdRoute>("/api/rules/:id", options, change);
  app.patch<IdRoute>("/api/rules/:id", options, change);
  app.delete<IdRoute>("/api/rules/:id", options, async (request, reply) => {
    note(request, "rule.delete", await drains.removeRule(request.params.id));
    return reply.status(204).send();
  });
}

function showStatus(status: RuleStatus): Record<string, unknown> {
  const { rule, waiting, delivered, refused, dropped, failures, lastError, lastDeliveredAtMs } = status;
  return {
    rule_id: rule.id,
    source: rule.source,
    waiting,
    delivered,
    refused,
    dropped,
    failures,
    last_error: lastError ?? null,
    last_delivered_at: lastDeliveredAtMs === undefined ? null : new Date(lastDeliveredAtMs).toISOString(),
  };
}
