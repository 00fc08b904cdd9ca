import type { FastifyInstance } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { ownerOf, requirePrivate } from "../request/require-private.ts";

/** What the route works with. */
export interface ReloadRouteDependencies {
  readonly authenticator: Authenticator;
  /** Reads the files again, for the token of this id, and answers what changed. */
  readonly reload: (actor: string) => Promise<object>;
}

/** `POST /api/reload`: reads the files of endpoints and sources again, for owners (scope `private`). */
export function addReloadRoute(app: FastifyInstance, { authenticator, reload }: ReloadRouteDependencies): void {
  app.post("/api/reload", { onRequest: requirePrivate(authenticator) }, (request) => reload(ownerOf(request).tokenId));
}
