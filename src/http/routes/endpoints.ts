import type { FastifyInstance, FastifyRequest } from "fastify";
import type { EndpointDefinition } from "../../endpoints/definition.ts";
import { ServiceError } from "../../errors.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import { urlParameters } from "../request-parameters.ts";

/** `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`). */
export function addEndpointsRoutes(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const requireOwner = async (request: FastifyRequest) => {
    const identity = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    if (!identity.scopes.includes("private")) {
      throw new ServiceError("insufficient_scope", "Endpoints are shown to tokens of the scope private only");
    }
  };
  app.get("/api/endpoints", { onRequest: requireOwner }, () =>
    endpoints.endpoints.map(({ definition, version }) => describeEndpoint(definition, version)),
  );
  app.get<{ Params: { name: string } }>("/api/endpoints/:name", { onRequest: requireOwner }, ({ params }) => {
    const endpoint = endpoints.find(params.name);
    if (endpoint !== undefined) return describeEndpoint(endpoint.definition, endpoint.version);
    throw new ServiceError("unknown_endpoint", `There is no endpoint ${params.name.slice(0, 200)}`);
  });
}

/** An endpoint in the names that files and the API share. */
function describeEndpoint(definition: EndpointDefinition, version: number): object {
  const { parameters } = definition;
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description ?? null,
    query: definition.query,
    max_rows: definition.maxRows,
    cache_seconds: definition.cacheSeconds,
    warm_every_seconds: definition.warmEverySeconds ?? null,
    sandbox: definition.isSandboxed,
    redact_pii: definition.redactsPii,
    parameters: Object.fromEntries(
      parameters.map(({ name, type, isRequired, allowed, default: value, description }) => [
        name,
        { type, required: isRequired, allowed: allowed ?? null, default: value, description: description ?? null },
      ]),
    ),
    table_aliases: definition.tableAliases,
    labels: definition.labels,
    version,
  };
}
