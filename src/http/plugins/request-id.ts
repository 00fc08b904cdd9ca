import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";

/** The caller's `X-Request-Id` where it is short and plain, else a new one. */
export function chooseRequestId(request: IncomingMessage | Http2ServerRequest): string {
  return readRequestId(request) ?? randomUUID();
}

/** The caller's `X-Request-Id` where it is short and plain. */
export function readRequestId(request: IncomingMessage | Http2ServerRequest): string | undefined {
  const sent = request.headers["x-request-id"];
  return typeof sent === "string" && /^[\w.-]{1,64}$/.test(sent) ? sent : undefined;
}
