import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * The seconds that the caller wants to wait at most (`Prefer: wait=`, RFC 7240, section 4.3), in milliseconds;
 * the caller is answered that they hold.
 */
export function readWait(request: FastifyRequest, reply: FastifyReply): number | undefined {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(
    request.headers.prefer?.toString() ?? "",
  )?.[1];
  if (seconds === undefined) return undefined;
  reply.header("Preference-Applied", `wait=${Number(seconds)}`);
  return Number(seconds) * 1000;
}
