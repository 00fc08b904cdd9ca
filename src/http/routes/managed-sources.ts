import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import type { ManagedSources } from "../../sources/managed-sources.ts";
import { sourceId } from "../../sources/source.ts";
import { showSource } from "../../sources/source-document.ts";
import { readJsonBody } from "../request/json-body.ts";
import { ownerOf, requirePrivate } from "../request/require-private.ts";

/** What the routes that change sources work with. */
export interface ManagedSourceDependencies {
  readonly authenticator: Authenticator;
  readonly managedSources: ManagedSources;
  readonly audit: Pick<AuditLog, "record">;
  readonly maxBodyBytes: number;
}

interface SourceRoute {
  readonly Params: { readonly name: string };
}

/** `POST /api/sources`, and `PUT`, `PATCH` and `DELETE` of `/api/sources/{source}`, for owners (scope `private`). */
export function addManagedSourceRoutes(app: FastifyInstance, dependencies: ManagedSourceDependencies): void {
  const { authenticator, managedSources, audit, maxBodyBytes } = dependencies;
  const options = { onRequest: requirePrivate(authenticator) };
  const note = (request: FastifyRequest, action: "source.create" | "source.update" | "source.delete", name: string) =>
    audit.record({ action, actor: ownerOf(request).tokenId, target: name, targetId: sourceId(name) });

  app.post("/api/sources", options, async (request, reply) => {
    const source = await managedSources.create(await readJsonBody(request, maxBodyBytes));
    note(request, "source.create", source.name);
    return reply.status(201).header("Location", `/api/sources/${source.name}`).send(showSource(source));
  });
  const change = async (request: FastifyRequest<SourceRoute>, reply: FastifyReply) => {
    const body = await readJsonBody(request, maxBodyBytes);
    const source = await managedSources.change(request.params.name, body, request.method === "PATCH");
    note(request, "source.update", source.name);
    return reply.send(showSource(source));
  };
  app.put<SourceRoute>("/api/sources/:name", options, change);
  app.patch<SourceRoute>("/api/sources/:name", options, change);
  app.delete<SourceRoute>("/api/sources/:name", options, async (request, reply) => {
    const { name } = await managedSources.remove(request.params.name);
    note(request, "source.delete", name);
    return reply.status(204).send();
  });
}
