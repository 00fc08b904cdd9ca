import type { FastifyInstance } from "fastify";
import type { Metrics } from "../observe/metrics.ts";
import { callerGoneStatus } from "./access-log.ts";

/** Counts each request once its answer is sent or its caller gone. */
export function addMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.raw.once("close", () => {
      const status = reply.raw.writableEnded ? reply.statusCode : callerGoneStatus;
      metrics.observe(request.logNotes, status, reply.elapsedTime / 1000);
    });
  });
}
