import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Identity } from "../../access/scope.ts";
import type { FindProxied } from "../../access/sign-in/trusted-proxy.ts";
import { ServiceError } from "../../shared/errors.ts";

/** The ways in which people sign in to the console without a token; each absent where it is not set up. */
export interface SignIn {
  readonly findProxied?: FindProxied | undefined;
}

/** A header that the console sends. Pages of other origins cannot: they would have to ask first, and are refused. */
const ownPageHeader = "x-logweir-session";

/** The person who calls without a token; undefined for nobody. Throws where they may do nothing. */
export async function findPerson(signIn: SignIn | undefined, request: FastifyRequest): Promise<Identity | undefined> {
  return signIn?.findProxied?.(request.raw);
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
