import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../shared/errors.ts";
import { CallerGoneError } from "./call-signal.ts";

/** How long bodies may take. */
export interface BodyTimes {
  /** A body of which nothing arrives for so many milliseconds is given up. */
  readonly bodyTimeoutMs: number;
  /** So is one that is slower, on the whole and not counting `bodyTimeoutMs`. */
  readonly minBodyBytesPerSecond: number;
}

/** Limits of the bodies of requests. */
export interface BodyLimits extends BodyTimes {
  readonly maxBodyBytes: number;
}

/** An announced body that exceeds the limit by this factor is not even read to its end. */
const patience = 8;
/** How often progress is checked within each time limit. */
const checks = 4;

/**
 * The body of a request as it came. Throws `body_too_large`, `request_timeout`, `invalid_body` for one that is not as
 * long as announced, `unauthorized` once the token is not valid any more, and `CallerGoneError` where the connection
 * ends within it. A body that announces to be too large is read and discarded first: most clients look for an answer
 * only once they have sent everything.
 */
export async function readBody(request: FastifyRequest, payload: Readable, limits: BodyLimits): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? Number.NaN);
  const isTooLarge = announced > limits.maxBodyBytes;
  if (isTooLarge && announced > limits.maxBodyBytes * patience) throw tooLarge();
  const chunks: Buffer[] = [];
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    const end = (error?: Error) => {
      payload.off("data", onData).off("end", onEnd).off("error", end).off("aborted", onAborted);
      clearInterval(timer);
      forget?.();
      payload.pause();
      if (error === undefined) resolve();
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (isTooLarge) return;
      if (received > limits.maxBodyBytes) end(tooLarge());
      else chunks.push(chunk);
    };
    const onEnd = () => end();
    const onAborted = () => end(new CallerGoneError());
    const forget = request.server.callWatch?.watch(request, end);
    const timer = watch(limits, () => received, end);
    payload.on("data", onData).on("end", onEnd).on("error", end).on("aborted", onAborted);
  });
  if (isTooLarge) throw tooLarge();
  if (!Number.isNaN(announced) && announced !== received) {
    throw new ServiceError("invalid_body", "The body is not as long as Content-Length says");
  }
  return Buffer.concat(chunks, received);
}

/** Gives up a body that is too slow. Time is counted in checks: those of a busy process come late, never early. */
function watch(
  { bodyTimeoutMs, minBodyBytesPerSecond }: BodyTimes,
  received: () => number,
  giveUp: (error: ServiceError) => void,
): NodeJS.Timeout {
  let [seen, quiet, passed] = [0, 0, 0];
  return setInterval(() => {
    passed++;
    quiet = received() === seen ? quiet + 1 : 0;
    seen = received();
    const allowedMs = bodyTimeoutMs + (seen / minBodyBytesPerSecond) * 1_000;
    if (quiet >= checks) giveUp(tooSlow(`Nothing more of the body came for ${bodyTimeoutMs} ms`));
    else if ((passed * bodyTimeoutMs) / checks > allowedMs) {
      giveUp(tooSlow(`The body came at less than ${minBodyBytesPerSecond} bytes a second`));
    }
  }, bodyTimeoutMs / checks).unref();
}

function tooSlow(message: string): ServiceError {
  return new ServiceError("request_timeout", message);
}

function tooLarge(): ServiceError {
  return new ServiceError("body_too_large", "The body is larger than max_body_bytes allows");
}
