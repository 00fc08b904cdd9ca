import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Identity } from "../../access/scope.ts";
import type { Issuer } from "../../access/sign-in/issuer.ts";
import { isSession, type Sessions } from "../../access/sign-in/sessions.ts";
import type { FindProxied } from "../../access/sign-in/trusted-proxy.ts";
import { ServiceError } from "../../shared/errors.ts";
import { readCookie } from "./cookies.ts";

/** The ways in which people sign in to the console without a token; each absent where it is not set up. */
export interface SignIn {
  readonly findProxied?: FindProxied | undefined;
  readonly oidc?: OidcSignIn | undefined;
}

/** People sign in with an issuer, and have a session then. */
export interface OidcSignIn {
  readonly issuer: Issuer;
  readonly sessions: Sessions;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  /** Where people reach the console; as they call it unless set. */
  readonly publicUrl: URL | undefined;
}

/** Somebody who calls without sending a token. */
export interface CallingPerson {
  readonly identity: Identity;
  /** The value of the session; undefined for somebody whom a proxy names. */
  readonly secret?: string;
}

/** A header that the console sends. Pages of other origins cannot: they would have to ask first, and are refused. */
const ownPageHeader = "x-logweir-session";

const sessionForm = /^lw_[0-9a-f]{64}$/;

/**
 * The person who calls without a token; undefined for nobody, and for a session that has ended. Throws where they may
 * do nothing, and `metadata_unavailable`.
 */
export async function findPerson(signIn: SignIn, request: FastifyRequest): Promise<CallingPerson | undefined> {
  const proxied = signIn.findProxied?.(request.raw);
  if (proxied !== undefined) return { identity: proxied };
  if (signIn.oidc === undefined) return undefined;
  const secret = readCookie(request, "session", signIn.oidc);
  if (secret === undefined || !sessionForm.test(secret)) return undefined;
  const identity = await signIn.oidc.authenticator.authenticate(secret);
  return identity !== undefined && isSession(identity) ? { identity, secret } : undefined;
}

/**
 * True where no page of another origin made a person's browser send this: it has the console's own header, or it only
 * reads, and nothing says that another page asked for it. Browsers name the origin of every page that could read the
 * answer, or that sends anything else.
 */
export function isOwnPage({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
  if (headers[ownPageHeader] !== undefined) return true;
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const isRead = method === "GET" || method === "HEAD";
  return isRead && origin === undefined && (site === "none" || site === "same-origin");
}

/** The error of a call that another page may have made. */
export function foreignPage(): ServiceError {
  return new ServiceError("foreign_origin", `A person's call needs the header ${ownPageHeader}`, {
    hint: `The console sends it. Programs send it too (${ownPageHeader}: 1), or an access token.`,
  });
}
