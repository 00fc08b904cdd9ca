import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Identity } from "../../access/scope.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { TextParameters } from "./query-text.ts";

/**
 * The token of a request: `X-API-KEY`, else `Authorization: Bearer`, else the parameter `api_key`. The first that is
 * there decides, even when it is not valid.
 */
export function findSecret(request: FastifyRequest, parameters: TextParameters): string | undefined {
  const apiKey = request.headers["x-api-key"];
  if (apiKey !== undefined) return Array.isArray(apiKey) ? apiKey[0] : apiKey;
  const bearer = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? parameters.get("api_key")?.at(-1);
}

/**
 * The identity of a request. Throws `unauthorized` without a token, and with one that is unknown, expired or revoked.
 */
export async function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
  secret: string | undefined,
): Promise<Identity> {
  if (secret === undefined || secret === "") throw new ServiceError("unauthorized", "This call needs an access token");
  const identity = await authenticator.authenticate(secret);
  if (identity === undefined) throw new ServiceError("unauthorized", "The access token is not valid");
  request.logNotes.tokenId = identity.tokenId;
  return identity;
}
