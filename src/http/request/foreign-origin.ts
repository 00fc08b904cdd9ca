import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../shared/errors.ts";

/**
 * Refuses pages of other machines, for protocols that browsers do not ask about first. A page on the same machine may
 * call: any other could have been led here by its DNS.
 */
export function refuseForeignOrigin({ headers: { origin } }: FastifyRequest): void {
  if (origin === undefined || /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(origin)) return;
  throw new ServiceError("foreign_origin", `Pages of ${origin.slice(0, 200)} may not call this`);
}
