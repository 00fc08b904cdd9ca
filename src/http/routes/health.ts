import type { FastifyInstance } from "fastify";
import { unlessAborted } from "../../engines/contract/unless-aborted.ts";
import type { NodeState } from "../../metadata/nodes.ts";
import { anyRow } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import { openDeadline } from "../../shared/deadline.ts";
import type { AppDependencies } from "../app.ts";
import { createRouteAdder } from "../request/add-route.ts";

const pingTimeoutMs = 900;

const metadataStates: Readonly<Record<NodeState, string>> = {
  current: "ok",
  behind: "behind",
  outdated: "unavailable",
};

export const healthRoutes = describeRoutes({
  getHealth: {
    tag: "service",
    scope: "anybody",
    method: "get",
    path: "/health",
    aliases: ["/ready"],
    summary: "Report whether the service works",
    status: 200,
    answer: anyRow,
  },
});

/**
 * `GET /health` and `/ready`, open to everybody: 200 when the service and its engine answer, 503 otherwise, within a
 * second. Where the store lost acknowledged events, `store` says so. Where the metadata is a database that others use
 * too, `metadata` is `ok`, `behind` while it is away, and `unavailable` with 503 where it has been away for too long.
 */
export function addHealthRoute(
  app: FastifyInstance,
  { authenticator, runner, drain, nodeState }: AppDependencies,
): void {
  createRouteAdder(app, authenticator)(healthRoutes.getHealth, async (_request, reply) => {
    const deadline = openDeadline(drain.cutOff, pingTimeoutMs);
    const { signal } = deadline;
    // An engine that ignores the signal may hang all the same.
    const isEngineUp = await unlessAborted(runner.engine.ping(signal), signal).then(
      () => true,
      () => false,
    );
    deadline.release();
    const known = nodeState?.();
    const isUp = isEngineUp && known !== "outdated";
    reply.header("Cache-Control", "no-store").status(isUp ? 200 : 503);
    const store = runner.engine.store.logLoss === undefined ? {} : { store: "log_shortened" };
    const metadata = known === undefined ? {} : { metadata: metadataStates[known] };
    return { status: stateOf(isUp), engine: stateOf(isEngineUp), ...metadata, ...store };
  });
}

function stateOf(isUp: boolean): string {
  return isUp ? "ok" : "unavailable";
}
