import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { parseLifetime } from "../../../access/expiry.ts";
import { hashSecret } from "../../../access/secret.ts";
import { isSession } from "../../../access/sign-in/sessions.ts";
import type { Token, TokenStore } from "../../../access/token.ts";
import {
  describeToken,
  exceedsRights,
  NewTokenDocument,
  readNewToken,
  ShownPin,
} from "../../../access/token-document.ts";
import type { AuditLog } from "../../../audit/audit-log.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { inPath, inQuery, mapOf, reference, text, texts } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { refuseDocument } from "../../../shared/documents/document-form.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { listPageParameters, takePage } from "../../answer/list-page.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";

/** The dependencies of the routes of access tokens. */
export interface AccessTokenDependencies {
  readonly tokens: TokenStore;
  readonly audit: Pick<AuditLog, "record">;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

const maxGraceMs = 7 * 86_400_000;

/** A token as it is shown: more may come. */
const shown = {
  id: text,
  description: text,
  scopes: texts,
  pins: mapOf(ShownPin),
  budget: Type.Object({ ...NewTokenDocument.properties.budget.properties }, { additionalProperties: true }),
};
const ShownToken = Type.Object(shown, { additionalProperties: true });
const CreatedToken = Type.Object(
  { ...shown, token: Type.String({ description: "Shown only once" }) },
  { additionalProperties: true },
);

/** The form of a rotation's grace period. */
const lifetimeTitle = "a number and s, m, h or d, such as 10m, of 7 days at most";
const Rotation = Type.Object(
  { grace: Type.Optional(Type.String({ title: lifetimeTitle, description: "Such as 10m; none by default" })) },
  { additionalProperties: false },
);
const rotationRefusal = "The token was not rotated";

export const accessTokenSchemas = {
  NewAccessToken: NewTokenDocument,
  AccessToken: ShownToken,
  CreatedAccessToken: CreatedToken,
};
const ofTokens = { tag: "access tokens", scope: "private", isRedacted: true } as const;
const ofOne = { ...ofTokens, path: "/api/access-tokens/{id}", parameters: [inPath("id", "The token's id")] } as const;
const token = reference("AccessToken", ShownToken);
const createdToken = reference("CreatedAccessToken", CreatedToken);

export const accessTokenRoutes = describeRoutes({
  listAccessTokens: {
    ...ofTokens,
    path: "/api/access-tokens",
    summary: "List the tokens, without their values",
    parameters: [inQuery("revoked", "true to include revoked ones"), ...listPageParameters],
    answer: Type.Array(token),
  },
  createAccessToken: {
    ...ofTokens,
    method: "post",
    path: "/api/access-tokens",
    summary: "Create a token; only this answer has its value",
    body: reference("NewAccessToken", NewTokenDocument),
    isCheckedByHandler: true,
    status: 201,
    answer: createdToken,
    errors: [...savingErrors, "insufficient_scope"],
  },
  getAccessToken: {
    ...ofOne,
    summary: "Show a token, without its value",
    answer: token,
    errors: ["unknown_token"],
  },
  rotateAccessToken: {
    ...ofOne,
    method: "post",
    path: "/api/access-tokens/{id}/rotate",
    summary: "Give a token a new value; the old one remains valid for the grace period",
    body: Rotation,
    refusal: rotationRefusal,
    answer: createdToken,
    errors: [...savingErrors, "unknown_token", "insufficient_scope"],
  },
  revokeAccessToken: {
    ...ofOne,
    method: "delete",
    summary: "Revoke a token at once",
    errors: ["unknown_token"],
  },
});

/**
 * `/api/access-tokens` (scope `private`): list, make, show, rotate and revoke. A token's value is in the answer that
 * makes it and in no other.
 */
export function addAccessTokenRoutes(app: FastifyInstance, dependencies: AccessTokenDependencies): void {
  const { tokens, audit, nowMs } = dependencies;
  const addRoute = createRouteAdder(app);
  addRoute(accessTokenRoutes.listAccessTokens, async (request, reply) => {
    const isAll = urlParameters(request).get("revoked")?.at(-1) === "true";
    const listed = (await tokens.list()).filter(({ revokedAt }) => isAll || revokedAt === undefined);
    return takePage(request, reply, listed, ({ id }) => id).map((token) => describeToken(token, nowMs()));
  });
  addRoute(accessTokenRoutes.createAccessToken, async (request, reply) => {
    const owner = callerOf(request);
    const read = readNewToken(request.body, owner, nowMs());
    if ("problems" in read) throw refuseDocument("The token was not made", read.problems);
    const { token, secret } = await tokens.create(read.token);
    audit.record({ action: "token.create", actor: owner.tokenId, target: token.id, details: detailsOf(token) });
    return reply
      .status(201)
      .header("Location", `/api/access-tokens/${token.id}`)
      .send({ ...describeToken(token, nowMs()), token: secret });
  });
  addRoute(accessTokenRoutes.getAccessToken, async ({ params }) =>
    describeToken(await findToken(tokens, params.id), nowMs()),
  );
  addRoute(accessTokenRoutes.rotateAccessToken, async (request, reply) => {
    const owner = callerOf(request);
    const graceMs = readGrace(request.body);
    const { id, ...old } = await findToken(tokens, request.params.id);
    if (exceedsRights({ id, ...old }, owner)) {
      throw new ServiceError("insufficient_scope", "This token may not get the value of one that may do more");
    }
    if (isSession({ tokenId: id })) {
      throw new ServiceError("insufficient_scope", "A session's value is its person's alone: it can only be revoked");
    }
    const rotated = await tokens.rotate(id, graceMs);
    if (rotated === undefined) throw unknownToken();
    audit.record({
      action: "token.rotate",
      actor: owner.tokenId,
      target: id,
      details: { grace_seconds: graceMs / 1000 },
    });
    return reply.send({ ...describeToken(rotated.token, nowMs()), token: rotated.secret });
  });
  addRoute(accessTokenRoutes.revokeAccessToken, async (request, reply) => {
    const { id } = await findToken(tokens, request.params.id);
    await tokens.revoke(id);
    audit.record({ action: "token.revoke", actor: callerOf(request).tokenId, target: id });
    return reply.status(204).send();
  });
}

/** By id, or by its value. One that was revoked is gone. */
async function findToken(tokens: TokenStore, idOrValue: string): Promise<Token> {
  const hash = hashSecret(idOrValue);
  const found = (await tokens.list()).find((token) => token.id === idOrValue || token.hash.equals(hash));
  if (found === undefined || found.revokedAt !== undefined) throw unknownToken();
  return found;
}

function unknownToken(): ServiceError {
  // What was sent may be a token's value, and is not shown.
  return new ServiceError("unknown_token", "There is no such token, or it was revoked");
}

/** The audit's details of a token: never the values of its pins. */
export function detailsOf({ scopes, pins, expiresAt, redaction }: Token): Readonly<Record<string, string>> {
  const pinned = Object.keys(pins);
  return {
    scopes: scopes.join(" "),
    redaction,
    ...(pinned.length === 0 ? {} : { pinned: pinned.join(" ") }),
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  };
}

/** How long the old value remains valid: not at all unless `grace` is set. */
function readGrace({ grace }: Static<typeof Rotation>): number {
  const graceMs = grace === undefined ? 0 : parseLifetime(grace);
  if (graceMs !== undefined && graceMs <= maxGraceMs) return graceMs;
  throw refuseDocument(rotationRefusal, { grace: [`must be ${lifetimeTitle}`] });
}
