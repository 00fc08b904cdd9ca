import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../shared/errors.ts";
import type { Shutdown } from "../request/shutdown.ts";

/** Counts calls, and refuses new ones once the service stops. */
export function addShutdown(app: FastifyInstance, shutdown: Shutdown): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.raw.once("close", shutdown.enter());
    if (!shutdown.stopping.aborted) return;
    reply.header("Connection", "close");
    throw new ServiceError("shutting_down", "The service is stopping", { retryAfterSeconds: 2 });
  });
}
