import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { canQuery, canQueryAnything, type Identity, isOwner } from "../../access/scope.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { sourceScopePrefix } from "../../endpoints/explore/source-scopes.ts";
import type { EndpointRegistry } from "../../endpoints/management/endpoint-registry.ts";
import type { SavedView, ViewStore } from "../../metadata/view-store.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { SourceRegistry } from "../../sources/source-registry.ts";
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

const maxNameLength = 120;
const maxStateLength = 16_384;
/** Views of one token. */
const maxViews = 500;

/**
 * `GET` and `POST /api/views`, `DELETE /api/views/{id}`: what explorers show, under names. A token sees its own, and
 * those that owners share and whose endpoint it may run; a token with pins shares nothing, so that no tenant reads
 * another's queries.
 */
export function addViewRoutes(app: FastifyInstance, dependencies: ViewDependencies): void {
  const { views, audit, maxBodyBytes } = dependencies;
  const open = async (request: FastifyRequest): Promise<Identity> => {
    const secret = findSecret(request, urlParameters(request));
    const identity = await authenticate(dependencies.authenticator, request, secret);
    if (!canQueryAnything(identity)) {
      throw new ServiceError("insufficient_scope", "The access token has no scope for any endpoint");
    }
    return identity;
  };

  app.get("/api/views", async (request, reply) => {
    const identity = await open(request);
    const seen = (await views.listFor(identity.tokenId)).filter(({ endpoint }) =>
      maySee(dependencies, identity, endpoint),
    );
    reply.header("Cache-Control", "no-store").header("Vary", "X-API-KEY, Authorization");
    return { views: seen.map((view) => showView(view, identity)) };
  });

  app.post("/api/views", async (request, reply) => {
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

  app.delete<{ Params: { readonly id: string } }>("/api/views/:id", async (request, reply) => {
    const identity = await open(request);
    const { id } = request.params;
    if (!(await views.remove(id, identity.tokenId, isOwner(identity)))) {
      throw new ServiceError("unknown_view", "There is no such view, or it is somebody else's");
    }
    audit.record({ action: "view.delete", actor: identity.tokenId, targetId: id });
    return reply.status(204).send();
  });
}

/** True for what the identity may explore, and for endpoints that are there. */
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
): object {
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
  const strange = Object.keys(body).find((key) => !["name", "endpoint", "state", "is_shared"].includes(key));
  if (strange !== undefined) throw invalid(strange.slice(0, 100), "is no field of a view");
  const name = readText(body, "name", maxNameLength);
  const endpoint = readText(body, "endpoint", maxNameLength * 2);
  const state = readText(body, "state", maxStateLength);
  const { is_shared: isShared = false } = body;
  if (typeof isShared !== "boolean") throw invalid("is_shared", "must be true or false");
  if (isShared && !isOwner(identity)) {
    throw new ServiceError("insufficient_scope", "Only tokens of the scope private share views");
  }
  return { name, endpoint, state, isShared };
}

function readText(body: Readonly<Record<string, unknown>>, field: string, maxLength: number): string {
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
