import type { FastifyInstance, FastifyReply } from "fastify";
import { elasticHandshake } from "../../ingest/protocols/elastic.ts";
import { splunkHealth } from "../../ingest/protocols/splunk.ts";
import { openToAll } from "../request/route-access.ts";
import { senderAccess } from "./add-ingest-route.ts";

/**
 * The probes of clients before they send, other than `GET /`: whether a service answers, which one, and whether the
 * token is valid.
 */
export function addHandshakes(app: FastifyInstance): void {
  const send = (reply: FastifyReply, body: object) => {
    return reply.headers(elasticHandshake.headers).send(body);
  };
  const config = { access: openToAll };
  app.get("/_license", { config }, (_request, reply) => send(reply, elasticHandshake.license));
  app.get("/_xpack", { config }, (_request, reply) => send(reply, { ...elasticHandshake.license, features: {} }));
  for (const url of ["/services/collector/health", "/services/collector/health/1.0"]) {
    app.get(url, { config }, () => splunkHealth);
  }
  app.get("/api/v1/validate", { config: { access: senderAccess } }, () => ({ valid: true }));
}
