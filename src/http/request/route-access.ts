import type { FastifyRequest } from "fastify";
import type { RouteScope, TokenPlace } from "../../access/route-scope.ts";
import type { Identity } from "../../access/scope.ts";
import { ServiceError } from "../../shared/errors.ts";

/**
 * Declares who may call a route and what of a request it reads. Every route has one in `config.access`: the app does
 * not start with a route that has none. `plugins/authentication.ts` enforces it before anything of a body is read.
 */
export interface RouteAccess {
  /** The tokens that are let through. */
  readonly scope: RouteScope;
  /** As `RouteDescription` has it. */
  readonly isRedacted?: boolean;
  readonly tokenIn: TokenPlace;
  /** False for a route that reads no body: one that is sent all the same is discarded unread. */
  readonly hasBody: boolean;
  /** True for a route that makes the connection a WebSocket. */
  readonly isWebSocket?: boolean;
}

/** A route as it was registered, under one path. */
export interface RegisteredRoute {
  readonly methods: readonly string[];
  readonly url: string;
  readonly access: RouteAccess;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly access?: RouteAccess;
  }
  interface FastifyRequest {
    identity: Identity | undefined;
  }
  interface FastifyInstance {
    /** Every route with its declaration, in the order of registration. */
    readonly registeredRoutes: readonly RegisteredRoute[];
  }
}

/** The access of a route that everybody may call, and that reads no body. */
export const openToAll: RouteAccess = { scope: "anybody", tokenIn: "request", hasBody: false };

/** The caller of a route that asks for a token. Throws `internal` where the route lets callers without one through. */
export function callerOf({ identity }: Pick<FastifyRequest, "identity">): Identity {
  if (identity === undefined) throw new ServiceError("internal", "It was not found out who calls");
  return identity;
}
