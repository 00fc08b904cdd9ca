import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { count, inQuery } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError } from "../../../shared/errors.ts";
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
    const name = (await readParameters(request, maxBodyBytes)).get("endpoint")?.at(-1);
    const actor = callerOf(request).tokenId;
    if (name === undefined || name === null || name === "") {
      const cleared = cache.clear();
      await clearElsewhere?.();
      audit.record({ action: "cache.clear", actor, details: { cleared } });
      return { cleared };
    }
    const endpoint = endpoints.find(String(name));
    if (endpoint === undefined) {
      throw new ServiceError("unknown_endpoint", `There is no endpoint ${String(name).slice(0, 200)}`);
    }
    const { id, name: target } = endpoint.definition;
    const cleared = cache.clear(id);
    await clearElsewhere?.();
    audit.record({ action: "cache.clear", actor, target, targetId: id, details: { cleared } });
    return { cleared };
  });
}
