import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { tokenPath } from "../../../access/key-file.ts";
import { mediaTypeOf } from "../../../ingest/parse-events.ts";
import { count, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { ErrorCode } from "../../../shared/error-catalogue.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { AppContext } from "../../app-context.ts";
import { answerErrors } from "../../plugins/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export const keyGrantRoutes = describeRoutes({
  grantAccessToken: {
    method: "post",
    path: tokenPath,
    summary: "BigQuery: exchange what a key file signed for an access token; the body is a form",
    tag: "service",
    scope: "anybody",
    hasBodyParameters: true,
    answer: Type.Object({ access_token: text, expires_in: count, token_type: text }),
    errors: ["invalid_body", "body_too_large", "rate_limited", "metadata_unavailable"],
  },
});

/**
 * The token endpoint of key files: the JWT bearer grant (RFC 7523) with errors as OAuth has them (RFC 6749, section
 * 5.2). Each grant counts as a call of its token.
 */
export function addKeyGrantRoute(app: FastifyInstance, { keyGrants, rates }: AppContext): void {
  app.register(async (scope) => {
    scope.setErrorHandler(answerErrors(writeError));
    createRouteAdder(scope)(keyGrantRoutes.grantAccessToken, async (request) => {
      const { tokenId, accessToken, lifetimeSeconds } = await keyGrants.exchange(readAssertion(request));
      request.logNotes.tokenId = tokenId;
      rates.take(tokenId);
      return { access_token: accessToken, expires_in: lifetimeSeconds, token_type: "Bearer" };
    });
  });
}

function readAssertion({ body, headers }: FastifyRequest): string {
  if (mediaTypeOf(headers["content-type"]) !== "application/x-www-form-urlencoded") {
    throw new ServiceError("invalid_body", "The body must be application/x-www-form-urlencoded");
  }
  const form = new URLSearchParams(body instanceof Uint8Array ? Buffer.from(body).toString() : "");
  if (readOnly(form, "grant_type") !== grantType) {
    throw new ServiceError("unsupported", `grant_type must be ${grantType}`);
  }
  return readOnly(form, "assertion");
}

/** A parameter that must be there once. */
function readOnly(form: URLSearchParams, name: string): string {
  const [value, second] = form.getAll(name);
  if (value === undefined || value === "" || second !== undefined) {
    throw new ServiceError("invalid_body", `The body must have ${name} once`);
  }
  return value;
}

const oauthErrors: Readonly<Partial<Record<ErrorCode, readonly [status: number, error: string]>>> = {
  unauthorized: [400, "invalid_grant"],
  unsupported: [400, "unsupported_grant_type"],
  rate_limited: [429, "temporarily_unavailable"],
  metadata_unavailable: [503, "temporarily_unavailable"],
};

function writeError(error: ServiceError, reply: FastifyReply): FastifyReply {
  const isOurs = error.status >= 500;
  const [status, name] = oauthErrors[error.code] ?? [error.status, isOurs ? "server_error" : "invalid_request"];
  const { hint } = error.details;
  const description = hint === undefined ? error.message : `${error.message}. ${hint}`;
  return reply.removeHeader("WWW-Authenticate").status(status).send({ error: name, error_description: description });
}
