import type { FastifyInstance } from "fastify";
import { writeOpenApi } from "../../../openapi/build-open-api.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes, type ServiceDescription } from "../../../openapi/route-description.ts";
import { varyByToken } from "../../answer/answer-headers.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";

export const openApiRoutes = describeRoutes({
  getOpenApi: {
    tag: "service",
    scope: "any",
    path: "/api/openapi.json",
    aliases: ["/api/openapi"],
    summary: "This document, which describes what the token may do",
    answer: anyRow,
  },
});

/**
 * `GET /api/openapi.json`, also without the ending: what the token that is sent along may do, as an OpenAPI document.
 * Any valid token will do.
 */
export function addOpenApiRoute(
  app: FastifyInstance,
  { endpoints }: AppDependencies,
  service: ServiceDescription,
): void {
  createRouteAdder(app)(openApiRoutes.getOpenApi, async (request, reply) => {
    // The same address answers each token something else.
    reply.header("Cache-Control", "no-store").header("Vary", varyByToken);
    reply.type("application/json; charset=utf-8");
    return reply.send(await writeOpenApi(service, endpoints.endpoints, callerOf(request)));
  });
}
