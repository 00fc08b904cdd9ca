import type { FastifyReply, FastifyRequest } from "fastify";
import type { CachedAnswer } from "../endpoints/cache/result-cache.ts";

/** A kept answer on its way out. */
export interface CachedReply {
  readonly answer: CachedAnswer;
  readonly isHit: boolean;
  readonly cacheSeconds: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Sends a kept answer with what HTTP caches need to know of it (RFC 9111; Cache-Status is RFC 9211): private, since it depends on
 * the token, its age, and a strong entity tag; 304 to a caller that has it already.
 */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, isHit, cacheSeconds, nowMs }: CachedReply,
): FastifyReply {
  const ageSeconds = Math.max(0, Math.floor((nowMs - answer.computedAtMs) / 1000));
  const status = isHit ? `hit; ttl=${Math.max(0, cacheSeconds - ageSeconds)}` : "fwd=miss; stored";
  reply.headers({
    "Cache-Control": `private, max-age=${cacheSeconds}`,
    Age: ageSeconds,
    "Cache-Status": `logweir; ${status}`,
    ETag: answer.etag,
    Vary: "Accept, Accept-Encoding, LF-ENDPOINT-REDACT-PII",
  });
  if (matches(request.headers["if-none-match"], answer.etag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(answer.body);
}

/** Weak comparison, as If-None-Match asks for (RFC 9110, section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
