import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { personOf } from "../../../access/sign-in/person.ts";
import { flag, orNull, text } from "../../../openapi/forms.ts";
import { type AnswerOf, describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError, toErrorBody } from "../../../shared/errors.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { findPerson, isOwnPage } from "../../request/find-person.ts";

/** Somebody who signed in without a token. */
export const ShownPerson = orNull(
  Type.Object({ name: text, way: Type.String({ description: "`proxy`: by a trusted proxy" }) }),
);

const Problem = orNull(Type.Object({ code: text, message: text, hint: Type.Optional(text) }));

export const signInRoutes = describeRoutes({
  getSignIn: {
    method: "get",
    path: "/api/sign-in",
    summary: "Whether the caller is signed in without a token, and why not where that was refused",
    tag: "service",
    scope: "anybody",
    status: 200,
    answer: Type.Object({ is_signed_in: flag, problem: Problem }),
  },
});

type SignInState = AnswerOf<typeof signInRoutes.getSignIn>;

/** `GET /api/sign-in`: for the console, before there is a token. */
export function addSignInRoutes(app: FastifyInstance, { signIn }: Pick<AppDependencies, "signIn">): void {
  createRouteAdder(app)(signInRoutes.getSignIn, async (request, reply) => {
    reply.header("Cache-Control", "no-store");
    return await readState(signIn, request);
  });
}

async function readState(signIn: AppDependencies["signIn"], request: FastifyRequest): Promise<SignInState> {
  // Other pages learn nothing of who reads them.
  if (!isOwnPage(request)) return { is_signed_in: false, problem: null };
  try {
    return { is_signed_in: (await findPerson(signIn, request)) !== undefined, problem: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, hint } = toErrorBody(error).error;
    return { is_signed_in: false, problem: { code, message, ...(hint === undefined ? {} : { hint }) } };
  }
}

/** A person as the session shows them; null for a token. */
export function showPerson(tokenId: string): { readonly name: string; readonly way: string } | null {
  return personOf(tokenId) ?? null;
}
