import { canIngestAnything, canQuery, canQueryAnything, type Identity, isOwner } from "../access/scope.ts";
import { tellEndpoint } from "../endpoints/definition/contract.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { commonHeaders, commonParameters, commonSchemas } from "./common-components.ts";
import { endpointOperation, endpointSchemas, runPath } from "./endpoint-operation.ts";
import { errorResponses } from "./error-responses.ts";
import { toJsonSchema } from "./forms.ts";
import type { OpenApiDocument, Operation, PathItem, Response } from "./open-api-document.ts";
import { operationIds } from "./operation-id.ts";
import type { RouteDescription, RouteScope, ServiceDescription } from "./route-description.ts";

/** The document of what a caller may do with the service, and with these endpoints of it. */
export function buildOpenApi(
  { routes, schemas }: ServiceDescription,
  endpoints: readonly Endpoint[],
  caller: Identity,
): OpenApiDocument {
  const ids = operationIds(
    endpoints,
    routes.map(({ id }) => id),
  );
  const pinned = new Set(Object.keys(caller.pins));
  const callable = endpoints
    .filter((endpoint) => isCallable(endpoint, caller, pinned))
    .map((endpoint) => tellEndpoint(endpoint, isOwner(caller)));
  const runs = callable.map((endpoint): [string, PathItem] => {
    const { id, name } = endpoint.definition;
    return [runPath(name), { get: endpointOperation(endpoint, ids.get(id) ?? name, pinned) }];
  });
  const allowed = routes.filter(({ scope }) => isAllowed(scope, caller));
  return {
    openapi: "3.1.0",
    info: {
      title: "Logweir",
      version: "1",
      description: "SQL endpoints over logs. This document describes what the requesting token may do.",
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }, { bearer: [] }, { apiKeyParameter: [] }],
    tags: [
      {
        name: "endpoints",
        description: "The saved queries; they can also be called by POST, with the parameters as a JSON object",
      },
      ...[...new Set(allowed.map(({ tag }) => tag))].map((name) => ({ name, description: tagTexts[name] ?? name })),
    ],
    paths: { ...Object.fromEntries(runs), ...routePaths(allowed) },
    components: {
      schemas: {
        ...commonSchemas,
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)])),
        ...Object.assign({}, ...callable.map(endpointSchemas)),
      },
      parameters: commonParameters,
      headers: commonHeaders,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-KEY" },
        bearer: { type: "http", scheme: "bearer" },
        apiKeyParameter: { type: "apiKey", in: "query", name: "api_key" },
      },
    },
  };
}

const tagTexts: Readonly<Record<string, string>> = {
  explore: "What explorers ask about the tables of an endpoint",
  views: "What explorers show, under names",
  statistics: "Calls of endpoints, and what came of what was sent",
  "endpoint management": "Endpoints, their versions, and queries of an owner's own",
  sources: "Where events come from",
  "access tokens": "Who may do what",
  store: "Cached answers, and the store's state",
  ingest: "Sending events",
  service: "The service itself",
};

/** An endpoint that lacks a parameter which the token pins is refused, and one that has a problem does not run. */
function isCallable(endpoint: Endpoint, caller: Identity, pinned: ReadonlySet<string>): boolean {
  if (endpoint.problem !== undefined || !canQuery(caller, endpoint.definition)) return false;
  const declared = new Set(endpoint.contract.parameters.map(({ name }) => name));
  return [...pinned].every((name) => declared.has(name));
}

function isAllowed(scope: RouteScope, caller: Identity): boolean {
  switch (scope) {
    case "any":
    case "anybody":
      return true;
    case "query":
      return canQueryAnything(caller);
    case "ingest":
      return canIngestAnything(caller);
    case "metrics":
    case "private":
      return isOwner(caller) || caller.scopes.includes(scope);
  }
}

function routePaths(routes: readonly RouteDescription[]): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: toOperation(route) };
  return paths;
}

function toOperation(route: RouteDescription): Operation {
  const { id, summary, tag, scope, parameters, body, status, errors = [] } = route;
  const isOpen = scope === "anybody";
  return {
    operationId: id,
    summary,
    ...(isOpen || scope === "any" ? {} : { description: `For tokens of the scope ${scope}.` }),
    tags: [tag],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: { "application/json": { schema: toJsonSchema(body) } } } }),
    responses: {
      [status]: success(route),
      ...errorResponses([...(isOpen ? [] : (["unauthorized", "insufficient_scope"] as const)), ...errors, "internal"]),
    },
    ...(isOpen ? { security: [] } : {}),
  };
}

function success({ summary, answer, mediaType = "application/json" }: RouteDescription): Response {
  if (answer === undefined && mediaType === "application/json") return { description: summary };
  const content = answer === undefined ? {} : { schema: toJsonSchema(answer) };
  return { description: summary, content: { [mediaType]: content } };
}
