import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { AuditLog } from "../../../audit/audit-log.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { orNull, reference } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { ErrorCode } from "../../../shared/error-catalogue.ts";
import type { ManagedSources } from "../../../sources/managed-sources.ts";
import { sourceId } from "../../../sources/source.ts";
import { RetentionOrNull, SourceDocument, showSource } from "../../../sources/source-document.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";
import { source, sourceInPath } from "./sources.ts";

/** The dependencies of the routes that change sources. */
export interface ManagedSourceDependencies {
  readonly managedSources: ManagedSources;
  readonly audit: Pick<AuditLog, "record">;
}

/** A source's document as it is sent: `kind` may be left out, a change leaves out more, and null takes a field away. */
const SentSource = Type.Partial(
  Type.Object({
    ...SourceDocument.properties,
    tenant: orNull(Type.String()),
    retention_days: RetentionOrNull,
  }),
);

export const managedSourceSchemas = { SourceDocument: SentSource };
const ofSources = { tag: "sources", scope: "private", isRedacted: true } as const;
const ofOne = { ...ofSources, path: "/api/sources/{source}", parameters: [sourceInPath] } as const;
const saving = { body: reference("SourceDocument", SentSource), isCheckedByHandler: true, answer: source } as const;
const changingErrors: readonly ErrorCode[] = [...savingErrors, "unknown_source", "source_read_only", "source_in_use"];

export const managedSourceRoutes = describeRoutes({
  createSource: {
    ...ofSources,
    ...saving,
    method: "post",
    path: "/api/sources",
    summary: "Create a source",
    status: 201,
    errors: savingErrors,
  },
  replaceSource: {
    ...ofOne,
    ...saving,
    method: "put",
    summary: "Replace a source's document",
    errors: changingErrors,
  },
  changeSource: {
    ...ofOne,
    ...saving,
    method: "patch",
    summary: "Change fields of a source",
    errors: changingErrors,
  },
  setRetention: {
    ...ofSources,
    path: "/api/sources/{source}/retention",
    parameters: [sourceInPath],
    method: "put",
    summary: "Set how long a source's events are kept, by tenant if it has tenants",
    body: RetentionOrNull,
    isCheckedByHandler: true,
    answer: source,
    errors: changingErrors,
  },
  deleteSource: {
    ...ofOne,
    method: "delete",
    summary: "Delete a source",
    errors: ["unknown_source", "source_read_only", "source_in_use"],
  },
});

/**
 * `POST /api/sources`, `PUT`, `PATCH` and `DELETE` of `/api/sources/{source}`, and `PUT` of its `/retention`, for owners
 * (scope `private`).
 */
export function addManagedSourceRoutes(app: FastifyInstance, dependencies: ManagedSourceDependencies): void {
  const { managedSources, audit } = dependencies;
  const addRoute = createRouteAdder(app);
  const note = (request: FastifyRequest, action: "source.create" | "source.update" | "source.delete", name: string) =>
    audit.record({ action, actor: callerOf(request).tokenId, target: name, targetId: sourceId(name) });

  addRoute(managedSourceRoutes.createSource, async (request, reply) => {
    const source = await managedSources.create(request.body);
    note(request, "source.create", source.name);
    return reply.status(201).header("Location", `/api/sources/${source.name}`).send(showSource(source));
  });
  const change = async (request: RequestOf<typeof managedSourceRoutes.changeSource>, reply: FastifyReply) => {
    const source = await managedSources.change(request.params.source, request.body, request.method === "PATCH");
    note(request, "source.update", source.name);
    return reply.send(showSource(source));
  };
  addRoute(managedSourceRoutes.replaceSource, change);
  addRoute(managedSourceRoutes.changeSource, change);
  addRoute(managedSourceRoutes.setRetention, async (request, reply) => {
    const source = await managedSources.change(request.params.source, { retention_days: request.body }, true);
    note(request, "source.update", source.name);
    return reply.send(showSource(source));
  });
  addRoute(managedSourceRoutes.deleteSource, async (request, reply) => {
    const { name } = await managedSources.remove(request.params.source);
    note(request, "source.delete", name);
    return reply.status(204).send();
  });
}
