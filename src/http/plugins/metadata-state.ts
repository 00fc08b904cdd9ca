import type { FastifyInstance } from "fastify";
import type { NodeState } from "../../metadata/nodes.ts";
import { ServiceError } from "../../shared/errors.ts";

const retryAfterSeconds = 5;

/** Paths that report the service's state, and are always answered. */
const told: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics"]);

/** Sends calls away where tokens and endpoints may long be others than those last known. */
export function addMetadataState(app: FastifyInstance, nodeState: () => NodeState): void {
  app.addHook("onRequest", async (request) => {
    if (nodeState() !== "outdated" || told.has(request.url.split("?")[0] ?? "")) return;
    throw new ServiceError("metadata_unavailable", "The database of the metadata has been away for too long", {
      retryAfterSeconds,
    });
  });
}
