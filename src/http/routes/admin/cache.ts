import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireEndpoint } from "../../../endpoints/management/managed-endpoints.ts";
import { count, inQuery } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { readParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";

export const cacheRoutes = describeRoutes({
  clearCache: {
    tag: "store",
    scope: "private",
    isRedacted: true,
    method: "post",
    path: "/api/cache/clear",
    hasBodyParameters: true,
    summary: "Drop cached answers",
    parameters: [inQuery("endpoint", "Id or name; all endpoints by default")],
    answer: Type.Object({ cleared: count }),
    errors: ["unknown_endpoint"],
  },
});

/**
 * `POST /api/cache/clear`: drops the cached answers of the endpoint that the parameter `endpoint` names, else all, at
 * once. Other services on the same metadata drop all of theirs.
 */
export function addCacheRoute(
  app: FastifyInstance,
  { audit, endpoints, cache, clearElsewhere, maxBodyBytes }: AppDependencies,
): void {
  createRouteAdder(app)(cacheRoutes.clearCache, async (request) => {
    const name = String((await readParameters(request, maxBodyBytes)).get("endpoint")?.at(-1) ?? "");
    const { id, name: target } = name === "" ? {} : requireEndpoint(endpoints, name).definition;
    const cleared = cache.clear(id);
    await clearElsewhere?.();
    const actor = callerOf(request).tokenId;
    audit.record({ action: "cache.clear", actor, ...omitUndefined({ target, targetId: id }), details: { cleared } });
    return { cleared };
  });
}
