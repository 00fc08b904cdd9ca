import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../access/authenticator.ts";
import { ServiceError } from "../errors.ts";
import { authenticate, findSecret } from "./authenticate.ts";
import { urlParameters } from "./request-parameters.ts";

/** A hook that lets only tokens of the scope `private` through. */
export function requirePrivate(authenticator: Authenticator): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { scopes } = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    if (!scopes.includes("private")) {
      throw new ServiceError("insufficient_scope", "This is for tokens of the scope private only");
    }
  };
}
