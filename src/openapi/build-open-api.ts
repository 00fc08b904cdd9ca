import { canIngestAnything, canQuery, canQueryAnything, type Identity, isOwner } from "../access/scope.ts";
import { tellEndpoint } from "../endpoints/definition/contract.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { endpointOperation, endpointSchemas, runPath } from "./endpoint-operation.ts";
import { errorResponses } from "./error-responses.ts";
import type { JsonSchema, OpenApiDocument, Operation, PathItem, Response } from "./open-api-document.ts";
import { operationIds } from "./operation-id.ts";
import { drainOperations } from "./tables/drains.ts";
import { exploreOperations } from "./tables/explore.ts";
import { type ManagementOperation, managementOperations, type OperationScope } from "./tables/management.ts";
import { commonHeaders, commonParameters, commonSchemas } from "./tables/schemas.ts";
import { viewOperations } from "./tables/views.ts";

const operations = [...managementOperations, ...exploreOperations, ...drainOperations, ...viewOperations];

/** The document of what a caller may do with these endpoints, and with the service. */
export function buildOpenApi(endpoints: readonly Endpoint[], caller: Identity): OpenApiDocument {
  const ids = operationIds(
    endpoints,
    operations.map(({ id }) => id),
  );
  const pinned = new Set(Object.keys(caller.pins));
  const callable = endpoints
    .filter((endpoint) => isCallable(endpoint, caller, pinned))
    .map((endpoint) => tellEndpoint(endpoint, isOwner(caller)));
  const runs = callable.map((endpoint): [string, PathItem] => {
    const { id, name } = endpoint.definition;
    return [runPath(name), { get: endpointOperation(endpoint, ids.get(id) ?? name, pinned) }];
  });
  const managed = operations.filter(({ scope }) => isAllowed(scope, caller));
  return {
    openapi: "3.1.0",
    info: {
      title: "Logweir",
      version: "1",
      description: "SQL endpoints over logs. What is told here is what the token that asked for it may do.",
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }, { bearer: [] }, { apiKeyParameter: [] }],
    tags: [
      {
        name: "endpoints",
        description: "The saved queries; a POST with the parameters as a JSON object does the same",
      },
      ...[...new Set(managed.map(({ tag }) => tag))].map((name) => ({ name, description: tagTexts[name] ?? name })),
    ],
    paths: { ...Object.fromEntries(runs), ...managementPaths(managed) },
    components: {
      schemas: Object.assign({ ...commonSchemas }, ...callable.map(endpointSchemas)) as Record<string, JsonSchema>,
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

function isAllowed(scope: OperationScope, caller: Identity): boolean {
  switch (scope) {
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

function managementPaths(operations: readonly ManagementOperation[]): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: toOperation(operation) };
  }
  return paths;
}

function toOperation(operation: ManagementOperation): Operation {
  const { id, summary, tag, scope, parameters, body, status, errors = [] } = operation;
  const isOpen = operation.path === "/health";
  return {
    operationId: id,
    summary,
    ...(scope === "anybody" ? {} : { description: `For tokens of the scope ${scope}.` }),
    tags: [tag],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: { "application/json": { schema: body } } } }),
    responses: {
      [status]: success(operation),
      ...errorResponses([...(isOpen ? [] : (["unauthorized", "insufficient_scope"] as const)), ...errors, "internal"]),
    },
    ...(isOpen ? { security: [] } : {}),
  };
}

function success({ summary, answer, mediaType = "application/json" }: ManagementOperation): Response {
  if (answer === undefined && mediaType === "application/json") return { description: summary };
  return { description: summary, content: { [mediaType]: answer === undefined ? {} : { schema: answer } } };
}
