import type { FastifyInstance } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { anyRow } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import { createRouteAdder } from "../request/add-route.ts";
import { ownerOf } from "../request/require-private.ts";

/** What the route works with. */
export interface ReloadRouteDependencies {
  readonly authenticator: Authenticator;
  /** Reads the files again on behalf of the token with this id, and returns the changes. */
  readonly reload: (actor: string) => Promise<object>;
}

export const reloadRoutes = describeRoutes({
  reloadFiles: {
    tag: "service",
    scope: "private",
    method: "post",
    path: "/api/reload",
    summary: "Reload the files of endpoints and sources",
    status: 200,
    answer: anyRow,
  },
});

/** `POST /api/reload`: reads the files of endpoints and sources again, for owners (scope `private`). */
export function addReloadRoute(app: FastifyInstance, { authenticator, reload }: ReloadRouteDependencies): void {
  createRouteAdder(app, authenticator)(reloadRoutes.reloadFiles, (request) => reload(ownerOf(request).tokenId));
}
