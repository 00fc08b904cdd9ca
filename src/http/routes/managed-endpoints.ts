import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { AuditedChange } from "../../audit/audit-event.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { describeEndpoint } from "../../endpoints/definition/describe-endpoint.ts";
import type { ChangeRequest, ManagedEndpoints } from "../../endpoints/management/managed-endpoints.ts";
import { ServiceError } from "../../shared/errors.ts";
import { entityTag, readIfMatch } from "../answer/entity-tag.ts";
import { readJsonBody } from "../request/json-body.ts";
import { ownerOf, requirePrivate } from "../request/require-private.ts";

/** What the routes that change endpoints work with. */
export interface ManagedEndpointDependencies {
  readonly authenticator: Authenticator;
  readonly managed: ManagedEndpoints;
  readonly audit: Pick<AuditLog, "record">;
  readonly maxBodyBytes: number;
}

interface EndpointRoute {
  readonly Params: { readonly name: string };
}

/** `POST /api/endpoints`, and `PUT`, `PATCH` and `DELETE /api/endpoints/{id-or-name}` (scope `private`). */
export function addManagedEndpointRoutes(app: FastifyInstance, dependencies: ManagedEndpointDependencies): void {
  const { authenticator, managed, maxBodyBytes } = dependencies;
  const options = { onRequest: requirePrivate(authenticator) };
  app.post("/api/endpoints", options, async (request, reply) => {
    const document = await readJsonBody(request, maxBodyBytes);
    const endpoint = await audited(dependencies, request, "endpoint.create", nameOf(document), () =>
      managed.create(document, changeRequest(request)),
    );
    reply.status(201).header("Location", `/api/endpoints/${endpoint.definition.id}`);
    return sendEndpoint(reply, endpoint);
  });
  app.post("/api/endpoints/validate", options, async (request) => {
    const { version: _, ...shown } = describeEndpoint(managed.validate(await readJsonBody(request, maxBodyBytes)));
    return shown;
  });
  app.put<EndpointRoute>("/api/endpoints/:name", options, async (request, reply) => {
    const { name } = request.params;
    const document = await readJsonBody(request, maxBodyBytes);
    const endpoint = await audited(dependencies, request, "endpoint.update", name, async () => {
      const changed = await managed.replace(name, document, changeRequest(request));
      return changed.isChanged ? changed.endpoint : new Unchanged(changed.endpoint);
    });
    return sendEndpoint(reply, endpoint);
  });
  app.patch<EndpointRoute>("/api/endpoints/:name", options, async (request, reply) => {
    const { name } = request.params;
    const fields = await readJsonBody(request, maxBodyBytes);
    const { version } = await audited(dependencies, request, "endpoint.update", name, async () => {
      const changed = await managed.patch(name, fields, changeRequest(request));
      return changed.isChanged ? changed.endpoint : new Unchanged(changed.endpoint);
    });
    return reply.status(204).header("ETag", entityTag(version)).send();
  });
  app.delete<EndpointRoute>("/api/endpoints/:name", options, async (request, reply) => {
    const { name } = request.params;
    await audited(dependencies, request, "endpoint.delete", name, () => managed.remove(name, changeRequest(request)));
    return reply.status(204).send();
  });
}

/** An endpoint whose document was what it is: there is nothing to record. */
export class Unchanged {
  readonly endpoint: Endpoint;
  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }
}

/** Makes a change and records it, also where it is refused. */
export async function audited(
  { audit }: Pick<ManagedEndpointDependencies, "audit">,
  request: FastifyRequest,
  action: AuditedChange,
  name: string | undefined,
  change: () => Promise<Endpoint | Unchanged>,
): Promise<Endpoint> {
  const actor = ownerOf(request).tokenId;
  try {
    const changed = await change();
    if (changed instanceof Unchanged) return changed.endpoint;
    const { definition, version } = changed;
    audit.record({ action, actor, target: definition.name, targetId: definition.id, version });
    return changed;
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : "internal";
    audit.record({ action, actor, error: code, ...(name === undefined ? {} : { target: name.slice(0, 200) }) });
    throw error;
  }
}

/** Who changes something, and on what. */
export function changeRequest(request: FastifyRequest): ChangeRequest {
  return { author: ownerOf(request).tokenId, accepts: readIfMatch(request.headers["if-match"]) };
}

/** An endpoint as an answer, with its version as its entity tag. */
export function sendEndpoint(reply: FastifyReply, endpoint: Endpoint): FastifyReply {
  return reply
    .header("Cache-Control", "no-cache")
    .header("ETag", entityTag(endpoint.version))
    .send(describeEndpoint(endpoint));
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === "string" ? name : undefined;
}
