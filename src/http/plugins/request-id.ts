import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { redactText } from "../../redaction/redact-text.ts";

/** The caller's `X-Request-Id` where it is short and plain, else a new one. */
export function chooseRequestId(request: IncomingMessage | Http2ServerRequest): string {
  return readRequestId(request) ?? randomUUID();
}

/** The caller's `X-Request-Id` where it is short and plain, and is no address and no token: the log has it. */
export function readRequestId({ headers }: IncomingMessage | Http2ServerRequest): string | undefined {
  const sent = headers["x-request-id"];
  if (typeof sent !== "string" || !/^[\w.-]{1,64}$/.test(sent) || sent.startsWith("lw_")) return undefined;
  const isSecret = headers["x-api-key"] === sent || headers.authorization?.endsWith(sent) === true;
  return isSecret || redactText(sent) !== sent ? undefined : sent;
}
