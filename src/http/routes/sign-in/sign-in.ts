import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { personOf } from "../../../access/sign-in/person.ts";
import { flag, orNull, text } from "../../../openapi/forms.ts";
import { type AnswerOf, describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError, toErrorBody } from "../../../shared/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { findPerson, isOwnPage } from "../../request/find-person.ts";
import { takeProblem } from "./oidc.ts";

/** Somebody who signed in without a token. */
export const ShownPerson = orNull(
  Type.Object({ name: text, way: Type.String({ description: "`oidc`: with an issuer; `proxy`: by a trusted proxy" }) }),
);

const Problem = orNull(Type.Object({ code: text, message: text, hint: Type.Optional(text) }));

export const signInRoutes = describeRoutes({
  getSignIn: {
    path: "/api/sign-in",
    summary: "How people sign in without a token, whether the caller has, and why not where that was refused",
    tag: "service",
    scope: "anybody",
    answer: Type.Object({
      issuer: Type.Unsafe<string | null>({ ...orNull(text), description: "The host of the issuer to sign in with" }),
      is_signed_in: flag,
      problem: Problem,
    }),
  },
});

type SignInState = AnswerOf<typeof signInRoutes.getSignIn>;

type Needs = Parameters<typeof takeProblem>[0];

/** `GET /api/sign-in`: for the console, before there is a token. */
export function addSignInRoutes(app: FastifyInstance, dependencies: Needs): void {
  createRouteAdder(app)(signInRoutes.getSignIn, async (request, reply) => {
    const issuer = dependencies.signIn?.oidc?.issuer.name ?? null;
    // Other pages learn nothing of who reads them.
    if (!isOwnPage(request)) return { issuer, is_signed_in: false, problem: null };
    const problem = takeProblem(dependencies, request, reply);
    return { issuer, ...(await findState(dependencies, request)), ...(problem === null ? {} : { problem }) };
  });
}

async function findState({ signIn }: Needs, request: FastifyRequest): Promise<Omit<SignInState, "issuer">> {
  try {
    const person = signIn === undefined ? undefined : await findPerson(signIn, request);
    return { is_signed_in: person !== undefined, problem: null };
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
