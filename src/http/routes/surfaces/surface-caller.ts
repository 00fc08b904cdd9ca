import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuditSurface } from "../../../audit/audit-event.ts";
import type { QueryCall } from "../../../endpoints/call/prepare/query-call.ts";
import type { AppContext } from "../../app-context.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { noteRun, openNamedCall } from "../../request/endpoint-call.ts";
import type { RateLimiter } from "../../request/rate-limiter.ts";
import { callerOf } from "../../request/route-access.ts";
import { runOptions } from "../query/run-endpoint.ts";

/**
 * A request as it lets another protocol call endpoints, under the rules of an endpoint's own address. However often it
 * opens a call, it is one call for the token's rate. The rooms of the protocols say in their own types what they need
 * of it.
 */
export function createSurfaceCaller(
  dependencies: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  surface: AuditSurface,
) {
  const { runner, cache, dataThrough, endpoints } = dependencies;
  const identity = callerOf(request);
  let signal: AbortSignal | undefined;
  let isCounted = false;
  const rates: RateLimiter = {
    take(tokenId) {
      if (!isCounted) dependencies.rates.take(tokenId);
      isCounted = true;
    },
  };
  const openSignal = () => {
    signal ??= createCallSignal(reply, dependencies.shutdown);
    return signal;
  };
  return {
    runner,
    cache,
    dataThrough,
    identity,
    endpoints: endpoints.endpoints,
    async openCall(name: string, sent: ReadonlyMap<string, unknown>, isRun: boolean): Promise<QueryCall> {
      const each = new Map([...sent].map(([key, value]) => [key, [value]]));
      const call = { ...(await openNamedCall({ ...dependencies, rates }, request, name, each)), openSignal };
      if (isRun) noteRun(request, identity, call, surface);
      return call;
    },
    runOptions: () => runOptions(request, identity),
    noteCache(isHit: boolean) {
      request.logNotes.cache = isHit ? "hit" : "miss";
    },
  };
}
