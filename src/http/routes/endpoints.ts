import type { FastifyInstance } from "fastify";
import { describeEndpoint } from "../../endpoints/describe-endpoint.ts";
import { ServiceError } from "../../errors.ts";
import type { AppDependencies } from "../app.ts";
import { requirePrivate } from "../require-private.ts";

/** `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`). */
export function addEndpointsRoutes(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const options = { onRequest: requirePrivate(authenticator) };
  app.get("/api/endpoints", options, () => endpoints.endpoints.map(describeEndpoint));
  app.get<{ Params: { name: string } }>("/api/endpoints/:name", options, ({ params }) => {
    const endpoint = endpoints.find(params.name);
    if (endpoint !== undefined) return describeEndpoint(endpoint);
    throw new ServiceError("unknown_endpoint", `There is no endpoint ${params.name.slice(0, 200)}`);
  });
}
