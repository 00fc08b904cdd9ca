import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { buildOpenApi } from "../../openapi/build-open-api.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../request/authenticate.ts";
import { urlParameters } from "../request/request-parameters.ts";

/**
 * `GET /api/openapi.json`, also without the ending: what the token that is sent along may do, as an OpenAPI document.
 * Any valid token will do.
 */
export function addOpenApiRoute(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const identity = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    // The same address tells each token something else.
    reply.header("Cache-Control", "no-store").header("Vary", "X-API-KEY, Authorization");
    return buildOpenApi(endpoints.endpoints, identity);
  };
  for (const url of ["/api/openapi.json", "/api/openapi"]) app.get(url, answer);
}
