import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Authenticator } from "../../access/authenticator.ts";
import { canQuery, canQueryAnything, type Identity, isOwner } from "../../access/scope.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { sourceScopePrefix } from "../../endpoints/explore/source-scopes.ts";
import type { EndpointRegistry } from "../../endpoints/management/endpoint-registry.ts";
import type { SavedView, ViewStore } from "../../metadata/view-store.ts";
import { savingErrors } from "../../openapi/error-responses.ts";
import { flag, inPath, listOf, text } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { SourceRegistry } from "../../sources/source-registry.ts";
import { createRouteAdder } from "../request/add-route.ts";
import { authenticate, findSecret } from "../request/authenticate.ts";
import { readJsonBody } from "../request/json-body.ts";
import { urlParameters } from "../request/request-parameters.ts";

/** What the routes of saved views work with. */
export interface ViewDependencies {
  readonly authenticator: Authenticator;
  readonly views: ViewStore;
  readonly endpoints: Pick<EndpointRegistry, "find">;
  readonly sources: Pick<SourceRegistry, "find">;
  readonly audit: Pick<AuditLog, "record">;
  readonly maxBodyBytes: number;
}

/** Views of one token. */
const maxViews = 500;

/** Characters of each field. */
const maxLengths = { name: 120, endpoint: 240, state: 16_384 };

const state = Type.String({
  maxLength: maxLengths.state,
  description: "What the explorer shows, as in its address, at most 16,384 characters; stored unchanged",
});

/** A view as it is sent. */
const ViewDocument = Type.Object({
  name: Type.String({ maxLength: maxLengths.name, description: "Not empty, at most 120 characters" }),
  endpoint: Type.String({
    maxLength: maxLengths.endpoint,
    description: "Name of the endpoint that it explores, or source:NAME",
  }),
  state,
  is_shared: Type.Optional(Type.Boolean({ default: false, description: "For tokens of the scope private" })),
});

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

const ofViews = { tag: "views", scope: "query" } as const;

export const viewRoutes = describeRoutes({
  listViews: {
    ...ofViews,
    method: "get",
    path: "/api/views",
    summary: "List the views that this token saved, and the shared ones of endpoints that it may run",
    status: 200,
    answer: Type.Object({ views: listOf(View.properties) }),
  },
  saveView: {
    ...ofViews,
    method: "post",
    path: "/api/views",
    summary: "Save a view under a name",
    body: ViewDocument,
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
    status: 204,
    errors: ["unknown_view"],
  },
});

/**
 * `GET` and `POST /api/views`, `DELETE /api/views/{id}`: what explorers show, under names. A token sees its own, and
 * those that owners share and whose endpoint it may run; a token with pins shares nothing, so that no tenant reads
 * another's queries.
 */
export function addViewRoutes(app: FastifyInstance, dependencies: ViewDependencies): void {
  const { views, audit, maxBodyBytes } = dependencies;
  const addRoute = createRouteAdder(app, dependencies.authenticator);
  const open = async (request: FastifyRequest): Promise<Identity> => {
    const secret = findSecret(request, urlParameters(request));
    const identity = await authenticate(dependencies.authenticator, request, secret);
    if (!canQueryAnything(identity)) {
      throw new ServiceError("insufficient_scope", "The access token has no scope for any endpoint");
    }
    return identity;
  };

  addRoute(viewRoutes.listViews, async (request, reply) => {
    const identity = await open(request);
    const seen = (await views.listFor(identity.tokenId)).filter(({ endpoint }) =>
      maySee(dependencies, identity, endpoint),
    );
    reply.header("Cache-Control", "no-store").header("Vary", "X-API-KEY, Authorization");
    return { views: seen.map((view) => showView(view, identity)) };
  });

  addRoute(viewRoutes.saveView, async (request, reply) => {
    const identity = await open(request);
    const view = readView(await readJsonBody(request, maxBodyBytes), identity);
    if (!maySee(dependencies, identity, view.endpoint)) {
      throw new ServiceError("unknown_endpoint", `There is no endpoint ${view.endpoint.slice(0, 200)}`);
    }
    const saved = await views.add({ ...view, author: identity.tokenId }, maxViews);
    if (saved === undefined) throw invalid("name", `a token saves ${maxViews} views at most: delete one first`);
    audit.record({ action: "view.create", actor: identity.tokenId, target: saved.name, targetId: saved.id });
    return reply.status(201).header("Location", `/api/views/${saved.id}`).send(showView(saved, identity));
  });

  addRoute(viewRoutes.deleteView, async (request, reply) => {
    const identity = await open(request);
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

function readView(
  body: Readonly<Record<string, unknown>>,
  identity: Identity,
): Pick<SavedView, "name" | "endpoint" | "state" | "isShared"> {
  const strange = Object.keys(body).find((key) => !Object.hasOwn(ViewDocument.properties, key));
  if (strange !== undefined) throw invalid(strange.slice(0, 100), "is no field of a view");
  const name = readText(body, "name");
  const endpoint = readText(body, "endpoint");
  const state = readText(body, "state");
  const { is_shared: isShared = false } = body;
  if (typeof isShared !== "boolean") throw invalid("is_shared", "must be true or false");
  if (isShared && !isOwner(identity)) {
    throw new ServiceError("insufficient_scope", "Only tokens of the scope private share views");
  }
  return { name, endpoint, state, isShared };
}

function readText(body: Readonly<Record<string, unknown>>, field: keyof typeof maxLengths): string {
  const maxLength = maxLengths[field];
  const value = body[field];
  if (typeof value !== "string" || value.trim() === "") throw invalid(field, "must be a text that is not empty");
  if (value.length > maxLength) throw invalid(field, `must have ${maxLength} characters at most`);
  return value;
}

function invalid(field: string, problem: string): ServiceError {
  return new ServiceError("validation_failed", `The view was not saved: ${field}: ${problem}`, {
    fields: { [field]: [problem] },
  });
}
