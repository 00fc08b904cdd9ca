import type { FastifyInstance, FastifyReply } from "fastify";
import { elasticHandshake } from "../../ingest/protocols/elastic.ts";
import { splunkHealth } from "../../ingest/protocols/splunk.ts";
import type { AppDependencies } from "../app.ts";
import { authenticateSender } from "./find-source.ts";

/**
 * The probes of clients before they send, other than `GET /`: whether a service answers, which one, and whether the
 * token is valid.
 */
export function addHandshakes(app: FastifyInstance, dependencies: AppDependencies): void {
  const send = (reply: FastifyReply, body: object) => {
    return reply.headers(elasticHandshake.headers).header("Cache-Control", "no-store").send(body);
  };
  app.get("/_license", (_request, reply) => send(reply, elasticHandshake.license));
  app.get("/_xpack", (_request, reply) => send(reply, { ...elasticHandshake.license, features: {} }));
  for (const url of ["/services/collector/health", "/services/collector/health/1.0"]) {
    app.get(url, () => splunkHealth);
  }
  app.get("/api/v1/validate", async (request) => {
    await authenticateSender(dependencies, request);
    return { valid: true };
  });
}
