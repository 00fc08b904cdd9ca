import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AppDependencies } from "../app.ts";

const pingTimeoutMs = 900;

/**
 * `GET /health` and `/ready`, open to everybody: 200 when the service and its engine answer, 503 otherwise, within a
 * second. Where the store lost acknowledged events, `store` says so.
 */
export function addHealthRoute(app: FastifyInstance, { runner, drain }: AppDependencies): void {
  const answer = async (_request: FastifyRequest, reply: FastifyReply) => {
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
  };
  for (const url of ["/health", "/ready"]) app.get(url, answer);
}
