import { fitPins } from "../access/pins.ts";
import { admits } from "../access/route-scope.ts";
import { canQuery, type Identity, isOwner } from "../access/scope.ts";
import { showEndpoint } from "../endpoints/definition/contract.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { createWay } from "../shared/concurrency/give-way.ts";
import { commonHeaders, commonParameters, commonSchemas } from "./common-components.ts";
import { endpointOperation, endpointSchemas, runPath } from "./endpoint-operation.ts";
import { errorResponses } from "./error-responses.ts";
import { toJsonSchema } from "./forms.ts";
import type { JsonSchema, OpenApiDocument, Operation, PathItem, Response } from "./open-api-document.ts";
import type { RouteDescription, ServiceDescription } from "./route-description.ts";

/** `logs.all` as a name that programs can give a function: `logsAll`. */
function toFunctionName(name: string): string {
  const [first = "", ...others] = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const joined = lowerFirst(first) + others.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
  return /^[a-z]/i.test(joined) ? joined : `endpoint${joined}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * The ids of the operations that run these endpoints, by endpoint id. Where two would be the same, or one is `taken`,
 * they end with the beginning of the endpoint's id. So an operation has the same id for every caller.
 */
function operationIds(endpoints: readonly Endpoint[], taken: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map(taken.map((id) => [id, 1]));
  const plain = endpoints.map(({ definition }) => [definition.id, toFunctionName(definition.name)] as const);
  for (const [, name] of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(plain.map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name}_${id.slice(0, 8)}`]));
}

/** The document of what a caller may do with the service, and with these endpoints of it. */
export function buildOpenApi(
  { routes, schemas }: ServiceDescription,
  endpoints: readonly Endpoint[],
  caller: Identity,
): OpenApiDocument {
  const runs = [...describeRuns(routes, endpoints, caller)];
  const allowed = routes.filter(({ scope }) => admits(scope, caller));
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
    paths: { ...Object.fromEntries(runs.map(({ path, item }) => [path, item])), ...routePaths(allowed) },
    components: {
      schemas: {
        ...commonSchemas,
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)])),
        ...Object.fromEntries(runs.flatMap((run) => Object.entries(run.schemas))),
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

/** The same as JSON: others have their turn while it is written, however many endpoints there are. */
export async function writeOpenApi(
  service: ServiceDescription,
  endpoints: readonly Endpoint[],
  caller: Identity,
): Promise<Buffer> {
  const { paths, components, ...rest } = buildOpenApi(service, [], caller);
  const { schemas, ...others } = components;
  const [writtenPaths, writtenSchemas] = [[members(paths)], [members(schemas)]];
  const giveWay = createWay();
  for (const { path, item, schemas: own } of describeRuns(service.routes, endpoints, caller)) {
    writtenPaths.push(members({ [path]: item }));
    writtenSchemas.push(members(own));
    await giveWay();
  }
  const pieces = [
    [`{${members(rest)},"paths":{`],
    separated(writtenPaths),
    [`},"components":{${members(others)},"schemas":{`],
    separated(writtenSchemas),
    ["}}}"],
  ];
  const buffers: Buffer[] = [];
  for (const piece of pieces.flat()) {
    buffers.push(Buffer.from(piece));
    await giveWay();
  }
  return Buffer.concat(buffers);
}

/** The members of an object as JSON, without its braces. */
const members = (object: object): string => JSON.stringify(object).slice(1, -1);
const separated = (texts: readonly string[]): readonly string[] =>
  texts.map((text, index) => (index === 0 ? text : `,${text}`));

/** The operations that run endpoints, one after the other, and the schemas that they name. */
function* describeRuns(
  routes: ServiceDescription["routes"],
  endpoints: readonly Endpoint[],
  caller: Identity,
): Generator<{
  readonly path: string;
  readonly item: PathItem;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}> {
  const taken = routes.map(({ id }) => id);
  const ids = operationIds(endpoints, taken);
  for (const endpoint of callableEndpoints(endpoints, caller)) {
    const { id, name } = endpoint.definition;
    const item = { get: endpointOperation(endpoint, ids.get(id) ?? name, caller.pins) };
    yield { path: runPath(name), item, schemas: endpointSchemas(endpoint) };
  }
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

/**
 * The endpoints that a caller may run, as shown to it. One that lacks a parameter which the token pins is refused, and
 * one that has a problem does not run.
 */
export function callableEndpoints(endpoints: readonly Endpoint[], caller: Identity): readonly Endpoint[] {
  return endpoints
    .filter((endpoint) => isCallable(endpoint, caller))
    .map((endpoint) => showEndpoint(endpoint, isOwner(caller)));
}

function isCallable({ definition, contract, problem }: Endpoint, caller: Identity): boolean {
  if (problem !== undefined || !canQuery(caller, definition)) return false;
  if (Object.keys(caller.pins).length === 0) return true;
  return fitPins(caller.pins, new Map(contract.parameters.map(({ name, type }) => [name, type])));
}

function routePaths(routes: readonly RouteDescription[]): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: toOperation(route) };
  return paths;
}

function toOperation(route: RouteDescription): Operation {
  const { id, summary, tag, scope, parameters, body, bodyType, status, errors = [] } = route;
  const isOpen = scope === "anybody";
  return {
    operationId: id,
    summary,
    ...(isOpen || scope === "any" ? {} : { description: `For tokens of the scope ${scope}.` }),
    tags: [tag],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: { "application/json": { schema: toJsonSchema(body) } } } }),
    ...(bodyType === undefined ? {} : { requestBody: { content: { [bodyType]: {} } } }),
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
