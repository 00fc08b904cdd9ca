import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import type { Identity } from "../access/scope.ts";
import type { Endpoint } from "../endpoints/definition.ts";
import { ageHeaders } from "./answer-headers.ts";
import type { AppDependencies } from "./app.ts";
import { isKnownTag } from "./entity-tag.ts";
import { type CountedCall, countCalls, createHitTally } from "./hit-tally.ts";
import type { Metrics } from "./metrics.ts";
import type { RunNotes } from "./plugins/audit.ts";
import { exposedHeaders } from "./plugins/cors.ts";
import { readRequestId } from "./plugins/request-id.ts";
import { isTracing, traceCall } from "./plugins/traces.ts";

/** How a call was answered from what is kept, so that the same call can be answered again without a look at anything else. */
export interface KeptReply {
  readonly identity: Identity;
  readonly endpoint: Endpoint;
  /** How the call named the endpoint. */
  readonly name: string;
  readonly route: string;
  /** Of the kept answer. */
  readonly key: string;
  /** Of that answer. It is not held on to itself: it goes when the cache lets it go. */
  readonly serial: number;
  /** Of the answer's forms; undefined for the body itself. */
  readonly form: string | undefined;
  readonly etag: string;
  /** Names and values of the headers that are the same each time. */
  readonly headers: readonly string[];
  /** False once the call would be planned otherwise. */
  readonly isCurrent: () => boolean;
  /** What the audit is told of the call. */
  readonly notes: RunNotes;
}

/** Answers calls that were answered before, ahead of the framework: as long as nothing that decided the answer has changed. */
export interface KeptReplies {
  /** Answers the call; false where it has to be looked at in full, and nothing was done. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  remember(request: IncomingMessage, reply: KeptReply): void;
  /** Tells metrics and the audit of the calls that they have not been told of. */
  flush(): void;
}

type Needs = Pick<
  AppDependencies,
  "audit" | "authenticator" | "cache" | "endpoints" | "rates" | "drain" | "logger" | "nowMs" | "runner"
>;

const maxReplies = 2_000;
/** Characters of all calls that are remembered; headers of each are counted as some more. */
const maxCharacters = 4_000_000;
const replyCharacters = 2_000;
const maxUrlLength = 8_000;

/** Headers of every answer to any origin. */
const fixedHeaders: readonly string[] = [
  "access-control-allow-origin",
  "*",
  "access-control-expose-headers",
  exposedHeaders.join(", "),
];

export function createKeptReplies(needs: Needs, metrics: Metrics): KeptReplies {
  const { audit, authenticator, cache, endpoints, rates, drain, logger, nowMs, runner } = needs;
  const replies = new LRUCache<string, Remembered>({
    max: maxReplies,
    maxSize: maxCharacters,
    sizeCalculation: (_reply, key) => key.length + replyCharacters,
  });

  const tally = createHitTally(metrics, audit);

  const find = (request: IncomingMessage): Remembered | undefined => {
    const secret = readSecret(request);
    if (secret === undefined) return undefined;
    const identity = authenticator.recall(secret);
    if (identity === undefined) return undefined;
    const reply = replies.get(keyOf(request, identity));
    return reply?.identity === identity ? reply : undefined;
  };

  return {
    answer(request, response) {
      if (request.method !== "GET" || drain.stopping.aborted || replies.size === 0 || !isPlain(request)) return false;
      const startedAt = runner.now();
      const reply = find(request);
      if (reply === undefined) return false;
      const answer = cache.recall(reply.key);
      if (answer === undefined || answer.serial !== reply.serial) return false;
      if (endpoints.find(reply.name) !== reply.endpoint || !reply.isCurrent()) return false;
      const body = reply.form === undefined ? answer.body : answer.forms.get(reply.form);
      if (!(body instanceof Uint8Array) || !mayCall(rates, reply.identity)) return false;
      const authMs = runner.now() - startedAt;
      const requestId = readRequestId(request) ?? randomUUID();
      const tags = request.headers["if-none-match"];
      const isKnown = tags !== undefined && (tags === reply.etag || isKnownTag(tags, reply.etag));
      const headers = [
        ...(isKnown ? reply.knownHeaders : reply.headers),
        ...ageHeaders(answer, reply.endpoint.definition.cacheSeconds, nowMs()),
        "x-request-id",
        requestId,
        "server-timing",
        `auth;dur=${Math.round(authMs * 1000) / 1000}`,
      ];
      if (isKnown) response.writeHead(304, headers).end();
      else {
        headers.push("content-length", String(body.length));
        response.writeHead(200, headers).end(body);
      }
      const status = isKnown ? 304 : 200;
      const elapsedMs = runner.now() - startedAt;
      const { tokenId } = reply.identity;
      const { endpoint } = reply.calls;
      tally.add(reply.calls, status, elapsedMs);
      if (isTracing()) traceHit(request, reply, status, elapsedMs, authMs);
      const ms = Math.round(elapsedMs * 10) / 10;
      const { route } = reply;
      logger.info({ reqId: requestId, method: "GET", route, status, ms, tokenId, endpoint, cache: "hit" }, "answered");
      return true;
    },

    flush: tally.flush,

    remember(request, reply) {
      if (request.method !== "GET" || !isPlain(request) || readSecret(request) === undefined) return;
      if ((request.url ?? "").length > maxUrlLength) return;
      const headers = [...fixedHeaders, ...reply.headers];
      replies.set(keyOf(request, reply.identity), {
        ...reply,
        headers,
        knownHeaders: withoutContent(headers),
        calls: countCalls(reply.notes, reply.endpoint.definition.name),
      });
    },
  };
}

interface Remembered extends KeptReply {
  /** What 304 tells: it has no body to describe (RFC 9110, section 15.4.5). */
  readonly knownHeaders: readonly string[];
  readonly calls: CountedCall;
}

function traceHit(
  { headers }: IncomingMessage,
  { route, calls }: Remembered,
  status: number,
  ms: number,
  authMs: number,
): void {
  const endedAt = performance.timeOrigin + performance.now();
  const startedAt = endedAt - ms;
  const phases = [{ phase: "auth", startMs: startedAt, endMs: startedAt + authMs }] as const;
  const notes = { endpoint: calls.endpoint, cache: "hit" } as const;
  traceCall({ method: "GET", route, status, notes, headers, startedAt, endedAt, phases });
}

function withoutContent(headers: readonly string[]): readonly string[] {
  return headers.filter((_, index) => !(headers[index - (index % 2)] ?? "").startsWith("content-"));
}

/** True for a call whose URL and the headers of `keyOf` decide its answer. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers.prefer === undefined &&
    headers["transfer-encoding"] === undefined &&
    (headers["content-length"] === undefined || headers["content-length"] === "0")
  );
}

/** The token in the headers: one in the URL would be remembered as it is. */
function readSecret({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  if (key !== undefined) return typeof key === "string" && key !== "" ? key : undefined;
  const { authorization } = headers;
  return authorization?.startsWith("Bearer ") ? authorization.slice("Bearer ".length) : undefined;
}

function keyOf({ url, headers }: IncomingMessage, { tokenId }: Identity): string {
  const redaction = headers["lf-endpoint-redact-pii"] ?? "\0";
  return `${tokenId}\n${url}\n${headers.accept ?? ""}\n${headers["accept-encoding"] ?? ""}\n${redaction}`;
}

function mayCall(rates: AppDependencies["rates"], { tokenId }: Identity): boolean {
  try {
    rates.take(tokenId);
    return true;
  } catch {
    // Refused in full, with the time after which to come again.
    return false;
  }
}
