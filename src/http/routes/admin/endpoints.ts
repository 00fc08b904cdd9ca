import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Endpoint as SavedEndpoint } from "../../../endpoints/definition/definition.ts";
import { describeEndpoint } from "../../../endpoints/definition/describe-endpoint.ts";
import { requireEndpoint } from "../../../endpoints/management/managed-endpoints.ts";
import { count, flag, inPath, listOf, mapOf, oneOf, orNull, reference, text, texts } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { entityTag } from "../../answer/entity-tag.ts";
import { listPageParameters, takePage } from "../../answer/list-page.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";

const parameter = {
  type: text,
  required: flag,
  allowed: Type.Unsafe<readonly unknown[] | null>({ type: ["array", "null"], items: text }),
  default: Type.Unsafe<unknown>({}),
  description: orNull(text),
};

const Contract = Type.Object({
  parameters: listOf({ name: text, ...parameter }),
  columns: listOf({ name: text, type: Type.String({ description: "In GoogleSQL's notation" }) }),
});

export const contract = reference("Contract", Contract);

const Endpoint = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: text,
  description: orNull(text),
  query: text,
  max_rows: count,
  cache_seconds: count,
  warm_every_seconds: orNull(count),
  tenant_parameter: orNull(
    Type.String({
      description:
        "The parameter that selects whose rows a call reads: a token that pins it reads no others. `none`: tokens with pins are refused",
    }),
  ),
  sandbox: flag,
  redact_pii: Type.Union([flag, texts]),
  parameters: mapOf(Type.Object(parameter)),
  table_aliases: mapOf(text),
  hidden_columns: texts,
  labels: mapOf(text),
  version: Type.Optional(count),
  origin: oneOf(["file", "api"]),
  file: orNull(text),
  contract,
  problem: Type.Optional(
    Type.String({ description: "Why it can no longer run, because something it reads has changed" }),
  ),
  warnings: Type.Optional(
    Type.Array(text, {
      description: "Probable mistakes in its query: fields that no event has carried, reads that no tenant confines",
    }),
  ),
});

export const endpointSchemas = { Endpoint, Contract };
/** An endpoint as an answer. */
export const endpoint = reference("Endpoint", Endpoint);
/** The endpoint that a path names. */
export const endpointInPath = inPath("endpoint", "Id or name");

const ofEndpoints = {
  tag: "endpoint management",
  scope: "private",
  isRedacted: true,
} as const;

export const endpointRoutes = describeRoutes({
  listEndpoints: {
    ...ofEndpoints,
    path: "/api/endpoints",
    summary: "List the endpoints",
    parameters: listPageParameters,
    answer: Type.Array(endpoint),
  },
  getEndpoint: {
    ...ofEndpoints,
    path: "/api/endpoints/{endpoint}",
    summary: "Show an endpoint",
    parameters: [endpointInPath],
    answer: endpoint,
    errors: ["unknown_endpoint"],
  },
});

/**
 * `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`).
 */
export function addEndpointsRoutes(app: FastifyInstance, { endpoints }: AppDependencies): void {
  const addRoute = createRouteAdder(app);
  addRoute(endpointRoutes.listEndpoints, (request, reply) => {
    const page = takePage(request, reply, endpoints.endpoints, ({ definition }) => definition.name);
    return reply.send(page.map(describeEndpoint));
  });
  addRoute(endpointRoutes.getEndpoint, async ({ params }, reply) => {
    // Never 304: its contract and problem may be others at the same version.
    return sendEndpoint(reply, requireEndpoint(endpoints, params.endpoint));
  });
}

/** An endpoint as an answer, with its version as its entity tag. */
export function sendEndpoint(reply: FastifyReply, endpoint: SavedEndpoint): FastifyReply {
  return reply
    .header("Cache-Control", "no-cache")
    .header("ETag", entityTag(endpoint.version))
    .send(describeEndpoint(endpoint));
}
