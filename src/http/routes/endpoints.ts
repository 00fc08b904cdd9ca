import type { FastifyInstance } from "fastify";
import type { EndpointDefinition } from "../../endpoints/definition.ts";
import { ServiceError } from "../../errors.ts";
import type { AppDependencies } from "../app.ts";
import { requirePrivate } from "../require-private.ts";

/** `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`). */
export function addEndpointsRoutes(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const options = { onRequest: requirePrivate(authenticator) };
  app.get("/api/endpoints", options, () =>
    endpoints.endpoints.map(({ definition, version }) => describeEndpoint(definition, version)),
  );
  app.get<{ Params: { name: string } }>("/api/endpoints/:name", options, ({ params }) => {
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
