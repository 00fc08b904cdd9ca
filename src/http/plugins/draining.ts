import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../errors.ts";

/** Once the service stops, calls that still come in over open connections are sent away. */
export function addDraining(app: FastifyInstance, stopping: AbortSignal): void {
  app.addHook("onRequest", async (_request, reply) => {
    if (!stopping.aborted) return;
    reply.header("Connection", "close");
    throw new ServiceError("shutting_down", "The service is stopping", { retryAfterSeconds: 2 });
  });
}
