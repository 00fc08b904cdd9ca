import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { LRUCache } from "lru-cache";
import type { Identity } from "../../access/scope.ts";
import type { CachedAnswer } from "../../endpoints/cache/cached-answer.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { isKnownTag } from "../answer/entity-tag.ts";
import type { AppDependencies } from "../app-context.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { RunNotes } from "../plugins/audit.ts";
import { exposedHeaders } from "../plugins/cors.ts";
import { isTracing, traceCall } from "../plugins/traces.ts";
import { callerKey, createRememberedCallers, type RememberedCaller, type RememberedCallers } from "./cached-callers.ts";
import { type CachedHeaders, createCachedHeaders } from "./cached-headers.ts";
import { type CountedCall, countCalls, createHitTally, type HitTally } from "./hit-tally.ts";

/** How a call was answered from the cache, so that an equal call can be answered again without further checks. */
export interface CachedReply {
  readonly identity: Identity;
  readonly endpoint: Endpoint;
  /** How the call named the endpoint. */
  readonly name: string;
  readonly route: string;
  /** The key of the cached answer. */
  readonly key: string;
  /** The answer's serial number. The answer itself is not referenced, so that the cache can release it. */
  readonly serial: number;
  /** The form of the answer; undefined for the body itself. */
  readonly form: string | undefined;
  readonly etag: string;
  /** Names and values of the headers that are the same each time. */
  readonly headers: readonly string[];
  /** False once the call would be planned differently. */
  readonly isCurrent: () => boolean;
  /** The audit's data about the call. */
  readonly notes: RunNotes;
}

type Needs = Pick<
  AppDependencies,
  "audit" | "authenticator" | "cache" | "endpoints" | "rates" | "shutdown" | "logger" | "nowMs" | "runner"
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

interface Remembered extends CachedReply {
  readonly url: string;
  readonly calls: CountedCall;
  /** True once another is remembered in its place, or none. */
  isReplaced: boolean;
  /** The endpoints among which the reply's was found last. */
  foundAmong: readonly Endpoint[] | undefined;
  /** Made when they are first sent: most replies are asked for once. */
  whole: CachedHeaders | undefined;
  unchanged: CachedHeaders | undefined;
  /** The logger with the fields that are the same in every line. */
  log: FastifyBaseLogger | undefined;
}

/**
 * Answers repeated calls from the cache, ahead of all other hooks, as long as nothing that determined the answer has
 * changed.
 */
export class CachedReplies {
  readonly #needs: Needs;
  readonly #replies = new LRUCache<string, Remembered>({
    max: maxReplies,
    maxSize: maxCharacters,
    sizeCalculation: (_reply, key) => key.length + replyCharacters,
    dispose: (reply) => {
      reply.isReplaced = true;
    },
  });
  readonly #callers: RememberedCallers<Remembered>;
  readonly #tally: HitTally;

  constructor(needs: Needs, metrics: Metrics) {
    this.#needs = needs;
    this.#callers = createRememberedCallers<Remembered>(needs.authenticator);
    this.#tally = createHitTally(metrics, needs.audit);
  }

  /** Answers the call; false, without effect, when it has to be processed in full. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { shutdown, rates, runner } = this.#needs;
    if (request.method !== "GET" || shutdown.stopping.aborted || this.#replies.size === 0) return false;
    const startedAt = runner.now();
    const caller = this.#callers.find(request);
    const reply = caller === undefined ? undefined : this.#find(caller, request.url);
    if (caller === undefined || reply === undefined) return false;
    const answer = this.#recall(reply);
    const body = reply.form === undefined ? answer?.body : answer?.forms.get(reply.form);
    if (answer === undefined || !(body instanceof Uint8Array) || !mayCall(rates, reply.identity)) return false;
    const authMs = runner.now() - startedAt;
    const requestId = caller.requestId ?? randomUUID();
    const call = { nowMs: this.#needs.nowMs(), requestId, authMs };
    const status = isKnownTo(caller, reply) ? 304 : 200;
    if (status === 304) {
      reply.unchanged ??= headersOf(reply, answer, undefined);
      response.writeHead(304, reply.unchanged.fill(call)).end();
    } else {
      reply.whole ??= headersOf(reply, answer, body.length);
      response.writeHead(200, reply.whole.fill(call)).end(body);
    }
    const elapsedMs = runner.now() - startedAt;
    this.#tally.add(reply.calls, status, elapsedMs);
    if (isTracing()) traceHit(request, reply, status, elapsedMs, authMs);
    reply.log ??= logOf(this.#needs.logger, reply);
    reply.log.info({ reqId: requestId, status, ms: Math.round(elapsedMs * 10) / 10 }, "answered");
    return true;
  }

  remember(request: IncomingMessage, reply: CachedReply): void {
    const { url = "", method } = request;
    const key = method === "GET" ? callerKey(request, reply.identity) : undefined;
    if (key === undefined || url.length > maxUrlLength) return;
    this.#replies.set(`${url}\n${key}`, {
      ...reply,
      url,
      calls: countCalls(reply.notes, reply.endpoint.definition.name),
      isReplaced: false,
      foundAmong: undefined,
      whole: undefined,
      unchanged: undefined,
      log: undefined,
    });
  }

  /** Reports calls to metrics and the audit that were not reported yet. */
  flush(): void {
    this.#tally.flush();
  }

  #find(caller: RememberedCaller<Remembered>, url = ""): Remembered | undefined {
    const { last } = caller;
    const reply = last?.url === url && !last.isReplaced ? last : this.#replies.get(`${url}\n${caller.key}`);
    caller.last = reply;
    return reply?.identity === caller.identity ? reply : undefined;
  }

  /** The answer that the reply was made of, where it is the one that the whole way would lead to. */
  #recall(reply: Remembered): CachedAnswer | undefined {
    const { cache, endpoints } = this.#needs;
    const answer = cache.recall(reply.key);
    if (answer === undefined || answer.serial !== reply.serial || !reply.isCurrent()) return undefined;
    // The list is another one after each change of an endpoint.
    if (reply.foundAmong !== endpoints.endpoints) {
      if (endpoints.find(reply.name) !== reply.endpoint) return undefined;
      reply.foundAmong = endpoints.endpoints;
    }
    return answer;
  }
}

function isKnownTo({ tags }: RememberedCaller<Remembered>, { etag }: Remembered): boolean {
  return tags !== undefined && (tags === etag || isKnownTag(tags, etag));
}

/** `bodyBytes` undefined: for 304, which has no body to describe (RFC 9110, section 15.4.5). */
function headersOf(
  { headers, endpoint }: Remembered,
  { computedAtMs }: CachedAnswer,
  bodyBytes: number | undefined,
): CachedHeaders {
  const fixed = [...fixedHeaders, ...headers];
  const { cacheSeconds } = endpoint.definition;
  const sent = bodyBytes === undefined ? withoutContent(fixed) : fixed;
  return createCachedHeaders(sent, { computedAtMs, cacheSeconds, bodyBytes });
}

function logOf(logger: FastifyBaseLogger, { route, identity, calls }: Remembered): FastifyBaseLogger {
  const { tokenId } = identity;
  return logger.child({ method: "GET", route, tokenId, endpoint: calls.endpoint, cache: "hit" });
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

function mayCall(rates: AppDependencies["rates"], { tokenId }: Identity): boolean {
  try {
    rates.take(tokenId);
    return true;
  } catch {
    // Refused in full, with the time after which to come again.
    return false;
  }
}
