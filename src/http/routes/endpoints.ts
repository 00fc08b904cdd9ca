import type { FastifyInstance } from "fastify";
import { describeEndpoint } from "../../endpoints/definition/describe-endpoint.ts";
import { unknownEndpoint } from "../../endpoints/management/managed-endpoints.ts";
import type { AppDependencies } from "../app.ts";
import { requirePrivate } from "../request/require-private.ts";
import { sendEndpoint } from "./managed-endpoints.ts";

/**
 * `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`).
 */
export function addEndpointsRoutes(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const options = { onRequest: requirePrivate(authenticator) };
  app.get("/api/endpoints", options, () => endpoints.endpoints.map(describeEndpoint));
  app.get<{ Params: { name: string } }>("/api/endpoints/:name", options, async (request, reply) => {
    const endpoint = endpoints.find(request.params.name);
    if (endpoint === undefined) throw unknownEndpoint(request.params.name);
    // Never 304: its contract and problem may be others at the same version.
    return sendEndpoint(reply, endpoint);
  });
}
