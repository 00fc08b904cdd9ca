import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openDeadline } from "../../shared/deadline.ts";

const pack = promisify(gzip);

/** A request to a destination. */
export interface DrainRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isPacked: boolean;
}

/** The outcome of a request. */
export type DrainAnswer =
  | { readonly kind: "taken" }
  /** The destination will never accept these events: a retry would be refused again. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The destination did not accept them this time. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs?: number };

export type SendRequest = (request: DrainRequest, signal: AbortSignal) => Promise<DrainAnswer>;

/** A request that takes longer has failed. */
const timeoutMs = 30_000;
/** The number of bytes read from a response that refuses events. */
const maxAnswerBytes = 16_384;
const maxReasonCharacters = 300;
/** Statuses that blame the events themselves. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Sends a request by POST. Follows no redirect, reads no more than 16 KB of the answer, and never rejects but for the
 * end of the signal.
 */
export async function sendRequest(request: DrainRequest, signal: AbortSignal): Promise<DrainAnswer> {
  const deadline = openDeadline(signal, timeoutMs);
  try {
    const body = request.isPacked ? await pack(request.body) : request.body;
    const response = await fetch(request.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "logweir",
        ...request.headers,
        ...(request.isPacked ? { "content-encoding": "gzip" } : {}),
      },
      body,
      redirect: "manual",
      signal: deadline.signal,
    });
    return await readAnswer(response);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", reason: describeFailure(error) };
  } finally {
    deadline.release();
  }
}

async function readAnswer(response: Response): Promise<DrainAnswer> {
  const { status } = response;
  if (status >= 200 && status < 300) {
    await response.body?.cancel();
    return { kind: "taken" };
  }
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return {
      kind: "failed",
      reason: `the destination redirects (${status}), which is not followed: name the address itself`,
    };
  }
  const said = await readStart(response);
  const reason = `the destination answered ${status}${said === "" ? "" : `: ${said}`}`;
  if (refusals.has(status)) return { kind: "refused", reason };
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  return { kind: "failed", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** The beginning of a response as one line. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  // Leaving the loop cancels the request, so nothing more of the response arrives.
  for await (const chunk of body) {
    chunks.push(chunk);
    byteCount += chunk.length;
    if (byteCount >= maxAnswerBytes) break;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, maxReasonCharacters);
}

/** Only seconds: a date depends on two clocks. */
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `the destination did not answer within ${timeoutMs / 1_000} seconds`;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return `the destination cannot be reached: ${code ?? (cause instanceof Error ? cause.message : error.message)}`;
}
