import { finished } from "node:stream/promises";
import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../shared/errors.ts";

/** A body that exceeds the limit by this factor is not even read to its end. */
const patience = 8;

/**
 * Refuses bodies that announce to be too large. They are read and thrown away first: most clients look for an answer
 * only once they have sent everything, and would find the connection closed instead.
 */
export function addBodySize(app: FastifyInstance, maxBodyBytes: number): void {
  app.addHook("preParsing", async (request, _reply, payload) => {
    const length = Number(request.headers["content-length"] ?? 0);
    if (!(length > maxBodyBytes)) return payload;
    if (length <= maxBodyBytes * patience) {
      payload.resume();
      await finished(payload);
    }
    throw new ServiceError("body_too_large", "The body is larger than max_body_bytes allows");
  });
}
