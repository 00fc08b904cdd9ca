import type { FastifyInstance } from "fastify";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { AppDependencies } from "../../app-context.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { createRouteAdder } from "../../request/add-route.ts";

export const metricsRoutes = describeRoutes({
  getMetrics: {
    tag: "service",
    scope: "metrics",
    path: "/metrics",
    summary: "Metrics in the Prometheus text format",
    mediaType: "text/plain",
  },
});

/** `GET /metrics`: for tokens of the scope `metrics` or `private`, or open to all. */
export function addMetricsRoute(app: FastifyInstance, { isMetricsOpen }: AppDependencies, metrics: Metrics): void {
  const scope = isMetricsOpen ? "anybody" : metricsRoutes.getMetrics.scope;
  createRouteAdder(app)({ ...metricsRoutes.getMetrics, scope }, async (_request, reply) => {
    const { text, mediaType } = await metrics.read();
    return reply.type(mediaType).send(text);
  });
}
