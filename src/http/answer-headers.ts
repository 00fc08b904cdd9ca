import type { FastifyReply, FastifyRequest } from "fastify";
import type { CachedAnswer } from "../endpoints/cache/result-cache.ts";
import type { CursorSealer, PagePlace } from "../endpoints/paging/cursor.ts";
import { formatIsoTimestamp } from "../iso-timestamp.ts";
import type { AnswerFormat } from "./formats/answer-format.ts";

/** A client may show an answer that has just expired while it asks for a new one. */
const staleSeconds = 60;

/** How a kept answer was found. */
export interface CachedReply {
  readonly answer: CachedAnswer;
  readonly isHit: boolean;
  readonly cacheSeconds: number;
  readonly format: AnswerFormat;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Tells HTTP caches of a kept answer what they need to know (RFC 9111; Cache-Status is RFC 9211): private, since it depends on
 * the token, its age, and a strong entity tag. True where the caller has it already, and 304 is the answer.
 */
export function addCachedHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, isHit, cacheSeconds, format, nowMs }: CachedReply,
): boolean {
  const ageSeconds = Math.max(0, Math.floor((nowMs - answer.computedAtMs) / 1000));
  const status = isHit ? `hit; ttl=${Math.max(0, cacheSeconds - ageSeconds)}` : "fwd=miss; stored";
  const etag = format.name === "json" ? answer.etag : answer.etag.replace(/"$/, `.${format.name}"`);
  reply.headers({
    "Cache-Control": `private, max-age=${cacheSeconds}, stale-while-revalidate=${Math.min(staleSeconds, cacheSeconds)}`,
    Age: ageSeconds,
    "Cache-Status": `logweir; ${status}`,
    ETag: etag,
  });
  return matches(request.headers["if-none-match"], etag);
}

/** Weak comparison, as If-None-Match asks for (RFC 9110, section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}

/** The newest event that an answer covers. */
export function addDataThrough(reply: FastifyReply, us: bigint | undefined): void {
  if (us !== undefined) reply.header("X-Logweir-Data-Through", formatIsoTimestamp(us));
}

/** Where the next page is (RFC 8288): the same call with a cursor. */
export function addNextPage(
  request: FastifyRequest,
  reply: FastifyReply,
  cursors: CursorSealer,
  identity: string,
  next: PagePlace | undefined,
): void {
  if (next === undefined) return;
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = query.split("&").filter((part) => part !== "" && !/^cursor(=|$)/.test(part));
  const url = `${path}?${[...parameters, `cursor=${cursors.seal(identity, next)}`].join("&")}`;
  // What would end the reference, or the header, early.
  const safe = url.replaceAll(/[<>"\s\u0080-\uffff]/g, (character) => encodeURIComponent(character));
  reply.header("Link", `<${safe}>; rel="next"`);
}
