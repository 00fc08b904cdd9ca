import type { FastifyInstance, FastifyReply } from "fastify";

/** A route's notes about a request for its log line. Never a token, a parameter's value or an address. */
export interface LogNotes {
  tokenId?: string;
  endpoint?: string;
  /** Whether a cached answer was there; absent for answers that are not cached. */
  cache?: "hit" | "miss";
  source?: string;
  /** The code of the error that was answered. */
  error?: string;
  events?: number;
  /** Events that were not stored. */
  rejected?: number;
  /** Events whose timestamp could not be read. */
  untimed?: number;
  /** Events without a tenant, of a source that has tenants. */
  tenantless?: number;
}

declare module "fastify" {
  interface FastifyRequest {
    logNotes: LogNotes;
  }
}

/** For the log and metrics only: the caller was gone before an answer was sent. */
export const callerGoneStatus = 499;

/** Calls back once an answer is sent, or its caller gone. */
export function whenAnswered(reply: FastifyReply, callback: (status: number) => void): void {
  const { raw } = reply;
  raw.once("close", () => callback(raw.writableEnded ? reply.statusCode : callerGoneStatus));
}

/**
 * Writes one line for each request once its answer is sent or its caller gone, with the route's pattern instead of
 * the URL.
 */
export function addAccessLog(app: FastifyInstance): void {
  app.decorateRequest("logNotes");
  app.addHook("onRequest", async (request, reply) => {
    request.logNotes = {};
    reply.header("X-Request-Id", request.id);
    whenAnswered(reply, (status) => {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      const route = request.routeOptions.url ?? "none";
      request.log.info({ method: request.method, route, status, ms, ...request.logNotes }, "answered");
    });
  });
}
