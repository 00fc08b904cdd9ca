import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { SignInAttempt } from "../../../access/sign-in/issuer.ts";
import { callerId } from "../../../access/sign-in/person.ts";
import { orNull, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError, toErrorBody } from "../../../shared/errors.ts";
import type { AppDependencies } from "../../app-context.ts";
import { noteError, toServiceError } from "../../plugins/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { readCookie, setCookie } from "../../request/cookies.ts";
import { findPerson, foreignPage, isOwnPage, type OidcSignIn } from "../../request/find-person.ts";
import { detailsOf } from "../admin/access-tokens.ts";

const common = { tag: "service", scope: "anybody" } as const;

export const oidcRoutes = describeRoutes({
  beginSignIn: {
    ...common,
    path: "/api/sign-in/start",
    summary: "Send a browser to the issuer that people sign in with",
    status: 302,
    errors: ["issuer_unavailable"],
  },
  finishSignIn: {
    ...common,
    path: "/api/sign-in/callback",
    summary: "Where the issuer sends the browser back to: begins a session, and shows the console",
    status: 302,
    errors: ["unauthorized", "insufficient_scope", "issuer_unavailable"],
  },
  signOut: {
    ...common,
    method: "post",
    path: "/api/sign-out",
    summary: "End the session of the person who calls, and tell where they can sign out of the issuer",
    answer: Type.Object({ issuer_sign_out: orNull(text) }),
    errors: ["foreign_origin"],
  },
});

type Needs = Pick<AppDependencies, "signIn" | "audit" | "nowMs"> & {
  readonly runner: Pick<AppDependencies["runner"], "cursors">;
};

const attemptSeconds = 600;
const problemSeconds = 60;
/** From `/api/sign-in/start` and `/api/sign-in/callback`, also below a path of a proxy. Never a place that a request names. */
const consolePath = "../../";

/** Routes by which a browser signs in with the issuer, and out. */
export function addOidcRoutes(app: FastifyInstance, dependencies: Needs): void {
  const { signIn } = dependencies;
  const addRoute = createRouteAdder(app);
  addRoute(oidcRoutes.beginSignIn, (request, reply) =>
    answerBrowser(dependencies, request, reply, async (oidc) => {
      const { address, attempt } = await oidc.issuer.begin(addressOf(request, oidc, "api/sign-in/callback").href);
      setCookie(reply, "sign_in", sealAttempt(dependencies, attempt), attemptSeconds, oidc);
      return address.href;
    }),
  );
  addRoute(oidcRoutes.finishSignIn, (request, reply) =>
    answerBrowser(dependencies, request, reply, async (oidc) => {
      // Whatever comes of it, it cannot be used again.
      setCookie(reply, "sign_in", "", 0, oidc);
      const attempt = openAttempt(dependencies, readCookie(request, "sign_in", oidc));
      const claims = await oidc.issuer.finish(request.url.split("?")[1] ?? "", attempt);
      request.logNotes.tokenId = oidc.sessions.idOf(claims);
      await endCurrent(dependencies, oidc, request);
      const { token, secret, endsAt } = await oidc.sessions.start(claims);
      dependencies.audit.record({ action: "session.create", actor: callerId(token.id), details: detailsOf(token) });
      setCookie(reply, "session", secret, (endsAt - dependencies.nowMs()) / 1_000, oidc);
      return consolePath;
    }),
  );
  addRoute(oidcRoutes.signOut, async (request, reply) => {
    const oidc = signIn?.oidc;
    if (oidc === undefined || readCookie(request, "session", oidc) === undefined) return { issuer_sign_out: null };
    if (!isOwnPage(request)) throw foreignPage();
    if (!(await endCurrent(dependencies, oidc, request))) return { issuer_sign_out: null };
    setCookie(reply, "session", "", 0, oidc);
    const place = await oidc.issuer.findSignOut(addressOf(request, oidc, "").href).catch(() => undefined);
    return { issuer_sign_out: place?.href ?? null };
  });
}

/** Ends the session that the request belongs to, if any. */
async function endCurrent({ audit }: Needs, oidc: OidcSignIn, request: FastifyRequest): Promise<boolean> {
  const { identity, secret } = (await findPerson({ oidc }, request)) ?? {};
  if (identity === undefined || secret === undefined) return false;
  await oidc.sessions.end(secret);
  audit.record({ action: "session.end", actor: identity.tokenId });
  return true;
}

/** Where people reach a path of the service. Throws `invalid_parameter` for a request that names no host. */
function addressOf({ headers }: FastifyRequest, { publicUrl }: OidcSignIn, path: string): URL {
  const base = publicUrl?.href ?? `http://${headers.host ?? ""}/`;
  if (/[/?#@\\]/.test(headers.host ?? "") || !URL.canParse(base)) {
    throw new ServiceError("malformed_request", "The header Host is not the name of a host");
  }
  return new URL(path, base.endsWith("/") ? base : `${base}/`);
}

/**
 * Sends a browser on. Where that fails, pages get the console, which shows why (`takeProblem`), and programs the error.
 */
async function answerBrowser(
  dependencies: Needs,
  request: FastifyRequest,
  reply: FastifyReply,
  findPlace: (oidc: OidcSignIn) => Promise<string>,
): Promise<FastifyReply> {
  const oidc = dependencies.signIn?.oidc;
  if (oidc === undefined) {
    const hint = "Sign in with an access token; LOGWEIR_OIDC_ISSUER sets an issuer.";
    throw new ServiceError("issuer_unavailable", "Nobody signs in with an issuer here", { hint });
  }
  reply.header("Referrer-Policy", "no-referrer");
  try {
    return reply.redirect(await findPlace(oidc), 302);
  } catch (thrown) {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? "")) throw thrown;
    const error = toServiceError(thrown);
    noteError(error, request, reply);
    setCookie(reply, "sign_in", sealProblem(dependencies, error), problemSeconds, oidc);
    return reply.redirect(consolePath, 302);
  }
}

const attemptPurpose = "sign-in attempt";
const problemPurpose = "sign-in problem";

function sealAttempt({ runner, nowMs }: Needs, { state, nonce, verifier, redirectUri }: SignInAttempt): string {
  const until = String(nowMs() + attemptSeconds * 1_000);
  return runner.cursors.seal(attemptPurpose, [state, nonce, verifier, redirectUri, until]);
}

function openAttempt(needs: Needs, sealed: string | undefined): SignInAttempt {
  const [state, nonce, verifier, redirectUri] = openSealed(needs, attemptPurpose, sealed) ?? [];
  if (state == null || nonce == null || verifier == null || redirectUri == null) {
    throw new ServiceError("unauthorized", "This sign-in was not begun in this browser, or took too long", {
      hint: "Sign in again.",
    });
  }
  return { state, nonce, verifier, redirectUri };
}

function sealProblem({ runner, nowMs }: Needs, error: ServiceError): string {
  const { code, message, hint = null } = toErrorBody(error).error;
  return runner.cursors.seal(problemPurpose, [
    code,
    message.slice(0, 500),
    hint,
    String(nowMs() + problemSeconds * 1_000),
  ]);
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Why the browser's last sign-in failed; reported once. */
export function takeProblem(needs: Needs, request: FastifyRequest, reply: FastifyReply): Problem | null {
  const oidc = needs.signIn?.oidc;
  const sealed = oidc === undefined ? undefined : readCookie(request, "sign_in", oidc);
  const [code, message, hint] = openSealed(needs, problemPurpose, sealed) ?? [];
  if (oidc === undefined || code == null || message == null) return null;
  setCookie(reply, "sign_in", "", 0, oidc);
  return { code, message, ...(hint == null ? {} : { hint }) };
}

/** The sealed values, of which the last is the time until which they count; undefined for anything else. */
function openSealed({ runner, nowMs }: Needs, purpose: string, sealed = ""): readonly (string | null)[] | undefined {
  try {
    const values = runner.cursors.open(purpose, sealed);
    return Number(values.at(-1)) > nowMs() ? values.slice(0, -1) : undefined;
  } catch {
    return undefined;
  }
}
