import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../errors.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import type { Metrics } from "../metrics.ts";
import { urlParameters } from "../request-parameters.ts";

/** `GET /metrics`: for tokens of the scope `metrics` or `private`, or for everybody. */
export function addMetricsRoute(
  app: FastifyInstance,
  { authenticator, isMetricsOpen }: AppDependencies,
  metrics: Metrics,
): void {
  app.get("/metrics", async (request, reply) => {
    if (!isMetricsOpen) {
      const { scopes } = await authenticate(authenticator, request, findSecret(request, urlParameters(request)));
      if (!scopes.includes("metrics") && !scopes.includes("private")) {
        throw new ServiceError("insufficient_scope", "Metrics are shown to tokens of the scope metrics only");
      }
    }
    const { text, mediaType } = await metrics.read();
    return reply.header("Cache-Control", "no-store").type(mediaType).send(text);
  });
}
