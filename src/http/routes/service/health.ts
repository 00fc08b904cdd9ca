import type { FastifyInstance } from "fastify";
import { unlessAborted } from "../../../engines/contract/unless-aborted.ts";
import type { NodeState } from "../../../metadata/nodes.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { openDeadline } from "../../../shared/concurrency/deadline.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";

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
    path: "/health",
    aliases: ["/ready"],
    summary: "Report whether the service works",
    answer: anyRow,
  },
});

/**
 * `GET /health` and `/ready`, open to everybody, answer within a second. 200 while the process serves requests: `status`
 * is `ok`, or `degraded` with `reasons` where the engine does not answer, or the metadata's database is away; whatever
 * tenants' queries do to the engine is no more than that. 503 `unavailable` where this node answers no call until
 * somebody looks after it: its engine cannot be started, or the metadata has been away for too long. Where the store
 * lost acknowledged events, `store` says so.
 */
export function addHealthRoute(app: FastifyInstance, { runner, shutdown, nodeState }: AppDependencies): void {
  createRouteAdder(app)(healthRoutes.getHealth, async (_request, reply) => {
    const { engine } = runner;
    const deadline = openDeadline(shutdown.cutOff, pingTimeoutMs);
    const { signal } = deadline;
    // An engine that ignores the signal may hang all the same.
    const isEngineUp = await unlessAborted(engine.ping(signal), signal).then(
      () => true,
      () => false,
    );
    deadline.release();
    const known = nodeState?.();
    const cannotStart = engine.cannotStart?.() === true;
    const isLost = cannotStart || known === "outdated";
    const reasons = [
      ...(isEngineUp ? [] : [cannotStart ? notStarted : doesNotAnswer]),
      ...(known === undefined || known === "current" ? [] : [metadataAway]),
    ];
    reply.status(isLost ? 503 : 200);
    return {
      status: isLost ? "unavailable" : reasons.length > 0 ? "degraded" : "ok",
      engine: isEngineUp ? "ok" : "unavailable",
      ...(known === undefined ? {} : { metadata: metadataStates[known] }),
      ...(engine.store.logLoss === undefined ? {} : { store: "log_shortened" }),
      ...(reasons.length === 0 ? {} : { reasons }),
    };
  });
}

const doesNotAnswer = "The engine does not answer, or takes longer than a second to";
const notStarted = "The engine cannot be started; the service's log has the reason";
const metadataAway = "The database of the metadata is unreachable";
