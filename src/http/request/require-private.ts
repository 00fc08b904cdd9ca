import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { type Identity, isOwner } from "../../access/scope.ts";
import { ServiceError } from "../../shared/errors.ts";
import { authenticate, findSecret } from "./authenticate.ts";
import { urlParameters } from "./request-parameters.ts";

/** A hook that lets only tokens of the scope `private` through, and leaves who it was in `request.identity`. */
export function requirePrivate(authenticator: Authenticator): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const identity = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    if (!isOwner(identity)) {
      throw new ServiceError("insufficient_scope", "This is for tokens of the scope private only");
    }
    request.identity = identity;
  };
}

/** Who called, once `requirePrivate` let them through. */
export function ownerOf(request: FastifyRequest): Identity {
  if (request.identity === undefined) throw new ServiceError("internal", "It was not found out who calls");
  return request.identity;
}
