import { canIngestAnything, canQueryAnything, type Identity, isOwner } from "./scope.ts";

/** The callers of a route: tokens with one of these scopes, any valid token, or also callers without one. */
export type RouteScope = "private" | "query" | "ingest" | "metrics" | "any" | "anybody";

/**
 * Where a route's token may be: in the usual headers and the parameter `api_key` of the URL; also in the headers that
 * senders of events have; or also as `api_key` in a short body of parameters.
 */
export type TokenPlace = "request" | "sender" | "parameters";

/** Why a token of another scope is refused, for its holder. */
export const refusals: Readonly<Record<Exclude<RouteScope, "any" | "anybody">, string>> = {
  private: "This is for tokens of the scope private only",
  query: "The access token has no scope for any endpoint",
  ingest: "The access token has no scope to write to any source",
  metrics: "Metrics are shown to tokens of the scope metrics only",
};

/** True if a route of this scope is open to the identity; which endpoint or source of it may still be refused. */
export function admits(scope: RouteScope, identity: Identity): boolean {
  switch (scope) {
    case "any":
    case "anybody":
      return true;
    case "query":
      return canQueryAnything(identity);
    case "ingest":
      return canIngestAnything(identity);
    case "metrics":
      return isOwner(identity) || identity.scopes.includes("metrics");
    case "private":
      return isOwner(identity);
  }
}
