import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../shared/errors.ts";
import type { Drain } from "../request/drain.ts";

/** Counts calls, and refuses new ones once the service stops. */
export function addDraining(app: FastifyInstance, drain: Drain): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.raw.once("close", drain.enter());
    if (!drain.stopping.aborted) return;
    reply.header("Connection", "close");
    throw new ServiceError("shutting_down", "The service is stopping", { retryAfterSeconds: 2 });
  });
}
