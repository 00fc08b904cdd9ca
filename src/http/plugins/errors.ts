import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fromEngineError } from "../../endpoints/call/run/engine-error.ts";
import { BodyError, type BodyErrorCode } from "../../engines/contract/query-engine.ts";
import type { ErrorCode } from "../../shared/error-catalogue.ts";
import { ServiceError, toErrorBody } from "../../shared/errors.ts";
import { codeOf } from "../../shared/message-of.ts";
import { CallerGoneError } from "../request/call-signal.ts";
import { createMethodIndex } from "../request/method-index.ts";

/** Sends an error in one form; the form of another protocol may have statuses of its own. */
type WriteError = (error: ServiceError, reply: FastifyReply) => FastifyReply;

/** The form that errors have below some addresses, also where there is no route. */
export interface ErrorForm {
  readonly below: readonly string[];
  readonly write: WriteError;
}

/** Answers every error of every route in the common shape. */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerErrors(writeError));
}

/** Makes a handler that answers errors in the form of a protocol. */
export function answerErrors(write: WriteError) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof CallerGoneError) return dropAnswer(request, reply);
    return sendError(toServiceError(error), request, reply, write);
  };
}

/**
 * Answers unknown paths, and methods that a path does not have. To be added after the hooks for every call, and before
 * routes.
 */
export function addUnknownRoutes(app: FastifyInstance, forms: readonly ErrorForm[]): void {
  const methods = createMethodIndex();
  app.addHook("onRoute", ({ url, method }) => methods.add(url, [method].flat()));
  const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split("?")[0] ?? "";
    const allowed = methods.of(path);
    const message = `There is no route ${request.method} ${path.slice(0, 200)}`;
    const { write } = forms.find(({ below }) => below.some((start) => path.startsWith(start))) ?? {};
    if (allowed.length === 0) return sendError(new ServiceError("not_found", message), request, reply, write);
    reply.header("Allow", allowed.join(", "));
    const hint = `It takes ${allowed.join(", ")}.`;
    return sendError(new ServiceError("method_not_allowed", message, { hint }), request, reply, write);
  };
  // Before anything of a body is read.
  app.addHook("onRequest", async (request, reply) => (request.is404 ? refuse(request, reply) : undefined));
  app.setNotFoundHandler(refuse);
}

/** Answers what the framework refuses before any hook of ours ran. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.header("Access-Control-Allow-Origin", "*").header("X-Request-Id", request.id);
  sendError(toServiceError(error), request, reply);
}

/** The caller is gone and cannot read an answer. */
function dropAnswer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.logNotes.error = "caller_gone";
  return reply.send();
}

function sendError(
  error: ServiceError,
  request: FastifyRequest,
  reply: FastifyReply,
  write: WriteError = writeError,
): FastifyReply {
  noteError(error, request, reply);
  // The framework would close the connection while the caller still sends, and the answer would be lost.
  if (error.code === "body_too_large") reply.removeHeader("Connection");
  return write(error, reply.header("Cache-Control", "no-store"));
}

function writeError(error: ServiceError, reply: FastifyReply): FastifyReply {
  return reply
    .status(error.status)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(toErrorBody(error)));
}

/** Passes the log and the sender what they need to know of an error, whatever its wording. */
export function noteError(error: ServiceError, request: FastifyRequest, reply: FastifyReply): void {
  // An error before the first hook leaves no notes.
  if (request.logNotes !== undefined) request.logNotes.error = error.code;
  if (error.status === 500) request.log.error({ err: error.cause ?? error }, "fault");
  if (error.status === 401) reply.header("WWW-Authenticate", 'Bearer realm="logweir"');
  if (error.details.retryAfterSeconds !== undefined)
    reply.header("Retry-After", String(error.details.retryAfterSeconds));
}

/** Space on the disk has to be freed first. */
const diskRetrySeconds = 30;

/** The system's errors, also where another error was thrown because of one. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFull = /^(?:ENOSPC|EDQUOT)/.test(codeOf(error) ?? "");
  return isFull || /no space left on device/i.test(error.message) || isDiskFull(error.cause);
}

const ingestCodes: Readonly<Record<BodyErrorCode, ErrorCode>> = {
  invalid_body: "invalid_body",
  unsupported_media_type: "unsupported_media_type",
  unsupported_encoding: "unsupported_media_type",
  body_too_large: "body_too_large",
  too_many_events: "body_too_large",
};

/**
 * Converts any error to one of the catalogue; an unexpected one becomes `internal` and retains its cause for the log.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof BodyError) return new ServiceError(ingestCodes[error.code], error.message, { cause: error });
  const fromEngine = fromEngineError(error);
  if (fromEngine !== undefined) return fromEngine;
  const code = (error as Partial<FastifyError> | undefined)?.code;
  if (isDiskFull(error)) {
    return new ServiceError("disk_full", "The request was not completed: the disk of the data folder is full", {
      retryAfterSeconds: diskRetrySeconds,
      cause: error,
    });
  }
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ServiceError("body_too_large", "The body is larger than max_body_bytes allows", { cause: error });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new ServiceError("unsupported_media_type", "The Content-Type header is not a media type", {
        cause: error,
      });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new ServiceError("invalid_body", "The body is not as long as Content-Length says", { cause: error });
    case "FST_ERR_BAD_URL":
      return new ServiceError("malformed_request", "The path holds a broken percent escape", { cause: error });
    default:
      return new ServiceError("internal", "The service failed to answer", { cause: error });
  }
}

/** How long a client that is refused may go on sending, in milliseconds. */
const lingerMs = 2_000;

/** Answers what Node could not read as a request: its answers go straight to the socket. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new ServiceError("request_too_large", "The request line and headers are larger than 512 KB")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new ServiceError("request_timeout", "The headers of the request did not arrive in time")
        : new ServiceError("malformed_request", "What was sent is not an HTTP request");
  const body = JSON.stringify(toErrorBody(answer));
  socket.end(
    `HTTP/1.1 ${answer.status} ${answer.code}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nAccess-Control-Allow-Origin: *\r\nConnection: ` +
      `close\r\n\r\n${body}`,
  );
  // What is still on its way is read and thrown away: closing on unread bytes resets the connection, and the answer
  // is lost.
  socket.resume();
  socket.setTimeout(lingerMs, () => socket.destroy());
}
