import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { canQuery, type Identity, isOwner } from "../../../access/scope.ts";
import type { AuditLog } from "../../../audit/audit-log.ts";
import { sourceScopePrefix } from "../../../endpoints/explore/source-scopes.ts";
import type { EndpointRegistry } from "../../../endpoints/management/endpoint-registry.ts";
import { unknownEndpoint } from "../../../endpoints/management/managed-endpoints.ts";
import type { SavedView, ViewStore } from "../../../metadata/view-store.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { flag, inPath, listOf, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { refuseDocument } from "../../../shared/documents/document-form.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { SourceRegistry } from "../../../sources/source-registry.ts";
import { varyByToken } from "../../answer/answer-headers.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";

/** The dependencies of the routes of saved views. */
export interface ViewDependencies {
  readonly views: ViewStore;
  readonly endpoints: Pick<EndpointRegistry, "find">;
  readonly sources: Pick<SourceRegistry, "find">;
  readonly audit: Pick<AuditLog, "record">;
}

/** Views of one token. */
const maxViews = 500;

const notBlank = { title: "a text that is not empty", pattern: "\\S" } as const;
const stateDescription = "What the explorer shows, as in its address, at most 16,384 characters; stored unchanged";
const state = Type.String({ description: stateDescription });

/** A view as it is sent. */
const ViewDocument = Type.Object(
  {
    name: Type.String({ ...notBlank, maxLength: 120, description: "Not empty, at most 120 characters" }),
    endpoint: Type.String({
      ...notBlank,
      maxLength: 240,
      description: "Name of the endpoint that it explores, or source:NAME",
    }),
    state: Type.String({ ...notBlank, maxLength: 16_384, description: stateDescription }),
    is_shared: Type.Optional(Type.Boolean({ default: false, description: "For tokens of the scope private" })),
  },
  { additionalProperties: false },
);

/** A view as it is shown. */
const View = Type.Object({
  id: text,
  name: text,
  endpoint: text,
  state,
  is_shared: flag,
  is_own: Type.Boolean({ description: "True if this token saved it" }),
  created_at: text,
});

const refusal = "The view was not saved";
const ofViews = { tag: "views", scope: "query" } as const;

export const viewRoutes = describeRoutes({
  listViews: {
    ...ofViews,
    path: "/api/views",
    summary: "List the views that this token saved, and the shared ones of endpoints that it may run",
    answer: Type.Object({ views: listOf(View.properties) }),
  },
  saveView: {
    ...ofViews,
    method: "post",
    path: "/api/views",
    summary: "Save a view under a name",
    body: ViewDocument,
    refusal,
    status: 201,
    answer: View,
    errors: [...savingErrors, "unknown_endpoint"],
  },
  deleteView: {
    ...ofViews,
    method: "delete",
    path: "/api/views/{id}",
    summary: "Delete a view",
    parameters: [inPath("id", "The view's id")],
    errors: ["unknown_view"],
  },
});

/**
 * `GET` and `POST /api/views`, `DELETE /api/views/{id}`: what explorers show, under names. A token sees its own, and
 * those that owners share and whose endpoint it may run; a token with pins shares nothing, so that no tenant reads
 * another's queries.
 */
export function addViewRoutes(app: FastifyInstance, dependencies: ViewDependencies): void {
  const { views, audit } = dependencies;
  const addRoute = createRouteAdder(app);

  addRoute(viewRoutes.listViews, async (request, reply) => {
    const identity = callerOf(request);
    const seen = (await views.listFor(identity.tokenId)).filter(({ endpoint }) =>
      maySee(dependencies, identity, endpoint),
    );
    reply.header("Vary", varyByToken);
    return { views: seen.map((view) => showView(view, identity)) };
  });

  addRoute(viewRoutes.saveView, async (request, reply) => {
    const identity = callerOf(request);
    const { is_shared: isShared = false, ...view } = request.body;
    if (isShared && !isOwner(identity)) {
      throw new ServiceError("insufficient_scope", "Only tokens of the scope private share views");
    }
    if (!maySee(dependencies, identity, view.endpoint)) throw unknownEndpoint(view.endpoint);
    const saved = await views.add({ ...view, isShared, author: identity.tokenId }, maxViews);
    if (saved === undefined) {
      throw refuseDocument(refusal, { name: [`a token saves ${maxViews} views at most: delete one first`] });
    }
    audit.record({ action: "view.create", actor: identity.tokenId, target: saved.name, targetId: saved.id });
    return reply.status(201).header("Location", `/api/views/${saved.id}`).send(showView(saved, identity));
  });

  addRoute(viewRoutes.deleteView, async (request, reply) => {
    const identity = callerOf(request);
    const { id } = request.params;
    if (!(await views.remove(id, identity.tokenId, isOwner(identity)))) {
      throw new ServiceError("unknown_view", "There is no such view, or it is somebody else's");
    }
    audit.record({ action: "view.delete", actor: identity.tokenId, targetId: id });
    return reply.status(204).send();
  });
}

/** True for an existing endpoint or source that the identity may explore. */
function maySee({ endpoints, sources }: ViewDependencies, identity: Identity, name: string): boolean {
  if (name.startsWith(sourceScopePrefix)) {
    return isOwner(identity) && sources.find(name.slice(sourceScopePrefix.length)) !== undefined;
  }
  const endpoint = endpoints.find(name);
  return endpoint !== undefined && canQuery(identity, endpoint.definition);
}

function showView(
  { id, name, endpoint, state, author, isShared, createdAt }: SavedView,
  { tokenId }: Identity,
): Static<typeof View> {
  return {
    id,
    name,
    endpoint,
    state,
    is_shared: isShared,
    is_own: author === tokenId,
    created_at: new Date(createdAt).toISOString(),
  };
}
