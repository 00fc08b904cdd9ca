import type { FastifyInstance } from "fastify";
import { describeRoutes } from "../../openapi/route-description.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { AppDependencies } from "../app.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createRouteAdder } from "../request/add-route.ts";
import { authenticate, findSecret } from "../request/authenticate.ts";
import { urlParameters } from "../request/request-parameters.ts";

export const metricsRoutes = describeRoutes({
  getMetrics: {
    tag: "service",
    scope: "metrics",
    method: "get",
    path: "/metrics",
    summary: "Metrics in the Prometheus text format",
    status: 200,
    mediaType: "text/plain",
  },
});

/** `GET /metrics`: for tokens of the scope `metrics` or `private`, or open to all. */
export function addMetricsRoute(
  app: FastifyInstance,
  { authenticator, isMetricsOpen }: AppDependencies,
  metrics: Metrics,
): void {
  createRouteAdder(app, authenticator)(metricsRoutes.getMetrics, async (request, reply) => {
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
