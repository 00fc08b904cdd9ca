import type { FastifyInstance, FastifyRequest } from "fastify";

/** What a route tells about a request for its line in the log. Never a token, a parameter's value or an address. */
export interface LogNotes {
  tokenId?: string;
  endpoint?: string;
  source?: string;
  /** The code of the error that was answered. */
  error?: string;
  events?: number;
}

declare module "fastify" {
  interface FastifyRequest {
    logNotes: LogNotes;
  }
}

/** Writes one line for each request once it is answered, with the route's pattern instead of the URL. */
export function addAccessLog(app: FastifyInstance): void {
  app.decorateRequest("logNotes");
  app.addHook("onRequest", async (request, reply) => {
    request.logNotes = {};
    reply.header("X-Request-Id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { route, ms } = { route: routeOf(request), ms: Math.round(reply.elapsedTime * 10) / 10 };
    const line = { method: request.method, route, status: reply.statusCode, ms, ...request.logNotes };
    request.log.info(line, "answered");
  });
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "none";
}
