import type { FastifyInstance } from "fastify";
import { anyRow } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import type { AppDependencies } from "../app.ts";
import { createRouteAdder } from "../request/add-route.ts";

const pingTimeoutMs = 900;

export const healthRoutes = describeRoutes({
  getHealth: {
    tag: "service",
    scope: "anybody",
    method: "get",
    path: "/health",
    aliases: ["/ready"],
    summary: "Tell whether the service works",
    status: 200,
    answer: anyRow,
  },
});

/**
 * `GET /health` and `/ready`, open to everybody: 200 when the service and its engine answer, 503 otherwise, within a
 * second. Where the store lost acknowledged events, `store` says so.
 */
export function addHealthRoute(app: FastifyInstance, { authenticator, runner, drain }: AppDependencies): void {
  createRouteAdder(app, authenticator)(healthRoutes.getHealth, async (_request, reply) => {
    const isEngineUp = await runner.engine
      .ping(AbortSignal.any([drain.cutOff, AbortSignal.timeout(pingTimeoutMs)]))
      .then(
        () => true,
        () => false,
      );
    reply.header("Cache-Control", "no-store").status(isEngineUp ? 200 : 503);
    const store = runner.engine.store.logLoss === undefined ? {} : { store: "log_shortened" };
    const state = isEngineUp ? "ok" : "unavailable";
    return { status: state, engine: state, ...store };
  });
}
