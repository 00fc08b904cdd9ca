import { Agent as HttpAgent, request as requestHttp, STATUS_CODES } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Admission } from "../../shared/concurrency/admission.ts";
import { openDeadline } from "../../shared/concurrency/deadline.ts";
import {
  type AllowedDestinations,
  findAddresses,
  mayReach,
  PrivateDestinationError,
  type ResolveName,
} from "../../shared/network/private-networks.ts";
import { responseOf } from "../../shared/network/response-of.ts";

const pack = promisify(gzip);

/** A request to a destination. */
export interface DrainRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isPacked: boolean;
  /** POST unless given. */
  readonly method?: "PUT";
  /** Headers that depend on the bytes that are sent. */
  readonly sign?: (bytes: Buffer) => Readonly<Record<string, string>>;
  /** False where no status blames the events themselves. */
  readonly mayRefuse?: false;
  /** Waits for no turn behind requests that have something to send. */
  readonly isTrial?: true;
}

/** The outcome of a request. No reason holds anything of what the destination said, which may echo the request. */
export type DrainAnswer =
  | { readonly kind: "taken" }
  /** The destination will never accept these events: a retry would be refused again. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The destination did not accept them this time. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs?: number };

export type SendRequest = (request: DrainRequest, signal: AbortSignal) => Promise<DrainAnswer>;

export interface SenderOptions {
  readonly allowed: AllowedDestinations;
  readonly resolve: ResolveName;
  /** A request that takes longer has failed. */
  readonly timeoutMs?: number;
}

/** Sends requests to destinations. */
export interface Sender {
  readonly send: SendRequest;
  /** Closes connections that are kept. */
  close(): void;
}

const defaultTimeoutMs = 30_000;
/** Requests at once: each has a connection, which thousands of rules and alerts must not take from callers. */
const maxRequests = { all: 1_024, ofOrigin: 64 } as const;
/** Bytes read of an answer; the rest is ignored. */
const maxAnswerBytes = 16_384;
/** Statuses that blame the events themselves. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Sends requests over connections to addresses that are allowed at the moment of connecting. Follows no
 * redirect. `send` rejects only for the end of its signal.
 */
export function createSender(options: SenderOptions): Sender {
  const { allowed, resolve, timeoutMs = defaultTimeoutMs } = options;
  const lookup: LookupFunction = (host, { all }, callback) => {
    findAddresses(host, allowed, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
  const kept = { keepAlive: true, keepAliveMsecs: 1_000, maxFreeSockets: 256, timeout: timeoutMs, lookup };
  const agents = { "http:": new HttpAgent(kept), "https:": new HttpsAgent(kept) };
  const takeTurn = createTurns(timeoutMs);
  return {
    async send(request, signal) {
      const leave = await takeTurn(request, signal);
      if (leave === undefined) return { kind: "failed", reason: "too many other requests to the destination wait" };
      const deadline = openDeadline(signal, timeoutMs);
      try {
        const url = new URL(request.url);
        const host = url.hostname.replace(/^\[|\]$/g, "");
        // No name is looked up for an address.
        if (mayReachDirectly(host, allowed) === false) throw new PrivateDestinationError(host);
        const body = request.isPacked ? await pack(request.body) : Buffer.from(request.body, "utf8");
        const isSecure = url.protocol === "https:";
        const answer = await exchange(url, {
          method: request.method ?? "POST",
          open: isSecure ? requestHttps : requestHttp,
          agent: agents[isSecure ? "https:" : "http:"],
          headers: {
            "content-type": "application/json",
            "user-agent": "logweir",
            ...request.headers,
            ...request.sign?.(body),
            ...(request.isPacked ? { "content-encoding": "gzip" } : {}),
            "content-length": String(body.length),
          },
          body,
          signal: deadline.signal,
        });
        return toAnswer(answer, request);
      } catch (error) {
        signal.throwIfAborted();
        const reason = deadline.isOver
          ? `the destination did not answer within ${timeoutMs / 1_000} seconds`
          : describeFailure(error);
        return { kind: "failed", reason };
      } finally {
        deadline.release();
        leave();
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Takes a turn at the request's origin; undefined where it does not come in time. Rejects for the signal's end. */
function createTurns(timeoutMs: number): (request: DrainRequest, signal: AbortSignal) => Promise<Leave | undefined> {
  const turns = new Admission({
    maxRunning: maxRequests.all,
    maxRunningPerCaller: maxRequests.ofOrigin,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  return async ({ url, isTrial }, signal) => {
    const { origin } = new URL(url);
    const deadline = openDeadline(signal, timeoutMs);
    try {
      return await turns.enter(deadline.signal, isTrial === true ? `trial ${origin}` : origin);
    } catch {
      signal.throwIfAborted();
      return undefined;
    } finally {
      deadline.release();
    }
  };
}

type Leave = () => void;

/** Undefined for a name. */
function mayReachDirectly(host: string, allowed: AllowedDestinations): boolean | undefined {
  return /^[\d.]+$|:/.test(host) ? mayReach(host, host, allowed) : undefined;
}

interface Exchange {
  readonly method: string;
  readonly open: typeof requestHttp;
  readonly agent: HttpAgent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Resolves when the answer is complete, or long enough: one that is cut may be of a destination that is ending. */
async function exchange(url: URL, { method, open, agent, headers, body, signal }: Exchange): Promise<HttpAnswer> {
  const request = open(url, { method, agent, headers, signal });
  request.end(body);
  const response = await responseOf(request);
  const { statusCode: status = 0, headers: answered } = response;
  let byteCount = 0;
  // What else than that it took the events is said by the first line.
  if (status < 200 || status > 299) request.destroy();
  else {
    // An answer that is cut ends by an error.
    for await (const chunk of response) {
      byteCount += (chunk as Buffer).length;
      if (byteCount > maxAnswerBytes) break;
    }
  }
  return { status, retryAfter: answered["retry-after"] };
}

function toAnswer({ status, retryAfter }: HttpAnswer, { mayRefuse }: DrainRequest): DrainAnswer {
  if (status >= 200 && status < 300) return { kind: "taken" };
  if (status >= 300 && status < 400) {
    return {
      kind: "failed",
      reason: `the destination redirects (${status}), which is not followed: name the address itself`,
    };
  }
  const reason = `the destination answered ${`${status} ${STATUS_CODES[status] ?? ""}`.trim()}`;
  if (mayRefuse !== false && refusals.has(status)) return { kind: "refused", reason };
  const retryAfterMs = readRetryAfter(retryAfter);
  return { kind: "failed", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Only seconds: a date depends on two clocks. */
function readRetryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

/** By codes alone: texts of errors may hold a part of what was sent or answered. */
function describeFailure(error: unknown): string {
  if (error instanceof PrivateDestinationError) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return `the destination cannot be reached: ${/^[A-Z0-9_]{1,60}$/.test(code ?? "") ? code : "unknown error"}`;
}
