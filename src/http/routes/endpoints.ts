import type { FastifyInstance } from "fastify";
import { describeEndpoint } from "../../endpoints/describe-endpoint.ts";
import { unknownEndpoint } from "../../endpoints/managed-endpoints.ts";
import type { AppDependencies } from "../app.ts";
import { entityTag, isKnownTag } from "../entity-tag.ts";
import { requirePrivate } from "../require-private.ts";
import { sendEndpoint } from "./managed-endpoints.ts";

/** `GET /api/endpoints` and `GET /api/endpoints/{uuid-or-name}`: what the endpoints are, for owners (scope `private`). */
export function addEndpointsRoutes(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const options = { onRequest: requirePrivate(authenticator) };
  app.get("/api/endpoints", options, () => endpoints.endpoints.map(describeEndpoint));
  app.get<{ Params: { name: string } }>("/api/endpoints/:name", options, async (request, reply) => {
    const endpoint = endpoints.find(request.params.name);
    if (endpoint === undefined) throw unknownEndpoint(request.params.name);
    if (!isKnownTag(request.headers["if-none-match"], entityTag(endpoint.version)))
      return sendEndpoint(reply, endpoint);
    return reply.status(304).header("ETag", entityTag(endpoint.version)).send();
  });
}
