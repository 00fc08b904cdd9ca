import type { FastifyInstance } from "fastify";
import { buildOpenApi } from "../../openapi/build-open-api.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import { urlParameters } from "../request-parameters.ts";

/** `GET /api/openapi.json`: what the token that is sent along may do, as an OpenAPI document. Any valid token will do. */
export function addOpenApiRoute(app: FastifyInstance, { authenticator, endpoints }: AppDependencies): void {
  app.get("/api/openapi.json", async (request, reply) => {
    const identity = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    // The same address tells each token something else.
    reply.header("Cache-Control", "no-store").header("Vary", "X-API-KEY, Authorization");
    return buildOpenApi(endpoints.endpoints, identity);
  });
}
