import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../access/authenticator.ts";
import type { Identity } from "../access/scope.ts";
import { ServiceError } from "../errors.ts";
import { authenticate, findSecret } from "./authenticate.ts";
import { urlParameters } from "./request-parameters.ts";

/** A hook that lets only tokens of the scope `private` through, and leaves who it was in `request.identity`. */
export function requirePrivate(authenticator: Authenticator): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const identity = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
    if (!identity.scopes.includes("private")) {
      throw new ServiceError("insufficient_scope", "This is for tokens of the scope private only");
    }
    request.identity = identity;
  };
}

/** Throws `pinned_parameter` for a token that is pinned where it asks for what no parameter narrows. */
export function refusePinned({ pins }: Identity): void {
  const [pinned] = Object.keys(pins);
  if (pinned === undefined) return;
  throw new ServiceError("pinned_parameter", `This token is bound by ${pinned}, which nothing here takes`, {
    parameter: pinned,
    hint: "Use an endpoint that declares the parameter, or a token without the pin.",
  });
}

/** Who called, once `requirePrivate` let them through. */
export function ownerOf(request: FastifyRequest): Identity {
  if (request.identity === undefined) throw new ServiceError("internal", "It was not found out who calls");
  return request.identity;
}
