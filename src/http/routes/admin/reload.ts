import type { FastifyInstance } from "fastify";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";

/** The dependencies of the route. */
export interface ReloadRouteDependencies {
  /** Reads the files again on behalf of the token with this id, and returns the changes. */
  readonly reload: (actor: string) => Promise<object>;
}

export const reloadRoutes = describeRoutes({
  reloadFiles: {
    tag: "service",
    scope: "private",
    isRedacted: true,
    method: "post",
    path: "/api/reload",
    summary: "Reload the files of endpoints, sources and alerts",
    answer: anyRow,
  },
});

/** `POST /api/reload`: reads the files of endpoints, sources and alerts again, for owners (scope `private`). */
export function addReloadRoute(app: FastifyInstance, { reload }: ReloadRouteDependencies): void {
  createRouteAdder(app)(reloadRoutes.reloadFiles, (request) => reload(callerOf(request).tokenId));
}
