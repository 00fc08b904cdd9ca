import type { FastifyReply } from "fastify";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";

/** A client may show an answer that has just expired while it asks for a new one. */
const staleSeconds = 60;

/** The cache lifetime of an answer for HTTP caches: it is private, because it depends on the token. */
export function cacheControl(cacheSeconds: number): string {
  return `private, max-age=${cacheSeconds}, stale-while-revalidate=${Math.min(staleSeconds, cacheSeconds)}`;
}

/** Names and values of the headers that give a cached answer's age (RFC 9111; Cache-Status is RFC 9211). */
export function ageHeaders(ageSeconds: number, cacheSeconds: number): string[] {
  return ["age", String(ageSeconds), "cache-status", `logweir; hit; ttl=${Math.max(0, cacheSeconds - ageSeconds)}`];
}

/** In seconds. */
export function ageOf(computedAtMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - computedAtMs) / 1000));
}

/** The newest event that an answer covers. */
export function addDataThrough(reply: FastifyReply, us: bigint | undefined): void {
  if (us !== undefined) reply.header("X-Logweir-Data-Through", formatIsoTimestamp(us));
}

/** The request headers that name a token: who calls by another must not be answered from a browser's cache. */
export const varyByToken = "X-API-KEY, Authorization";

/** The request headers that an answer depends on, besides the URL. */
export const varyHeader = `Accept, Accept-Encoding, LF-ENDPOINT-REDACT-PII, ${varyByToken}`;

/**
 * Clients and proxies refuse headers that are much larger: Node's fetch all that have 16 KB together, nginx those
 * beyond 4 KB.
 */
const maxLinkCharacters = 2_000;

/** Carries the next page's cursor alone, when the call's URL is too long to be repeated. */
export const nextCursorHeader = "X-Logweir-Next-Cursor";

/**
 * The header, by name and value, that says where the next page is: `Link` (RFC 8288), or the cursor alone behind a
 * long URL.
 */
export function nextPageHeader(requestUrl: string, cursor: string): readonly [name: string, value: string] {
  const link = makeNextPageLink(requestUrl, cursor);
  return link.length <= maxLinkCharacters ? ["Link", link] : [nextCursorHeader, cursor];
}

/** The same call with a cursor. */
function makeNextPageLink(requestUrl: string, cursor: string): string {
  const [path = "", query = ""] = requestUrl.split("?", 2);
  const parameters = query.split("&").filter((part) => part !== "" && !/^cursor(=|$)/.test(part));
  const url = `${path}?${[...parameters, `cursor=${cursor}`].join("&")}`;
  // Characters that would end the reference, or the header, early.
  const safe = url.replaceAll(/[<>"\s\u0080-\uffff]/g, (character) => encodeURIComponent(character));
  return `<${safe}>; rel="next"`;
}
