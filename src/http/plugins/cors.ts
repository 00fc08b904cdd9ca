import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** Request headers that browsers may send. */
const allowedHeaders = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Content-Encoding",
  "If-Match",
  "If-None-Match",
  "LF-ENDPOINT-LABELS",
  "LF-ENDPOINT-REDACT-PII",
  "Prefer",
  "X-API-KEY",
  "X-Request-Id",
  // Of senders that run in browsers.
  "X-Source",
  "X-Collection",
  "X-Requested-With",
  "Content-Length",
  "DD-API-KEY",
  "X-Splunk-Request-Channel",
  "X-Scope-OrgID",
  "traceparent",
  "tracestate",
  "ce-id",
  "ce-source",
  "ce-specversion",
  "ce-subject",
  "ce-time",
  "ce-type",
  // Of clients of MCP that run in browsers.
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
];

/** Response headers that browsers show to pages. */
export const exposedHeaders: readonly string[] = [
  "Age",
  "Cache-Status",
  "ETag",
  "Link",
  "Preference-Applied",
  "Retry-After",
  "Server-Timing",
  "X-Logweir-Data-Through",
  "X-Logweir-Next-Cursor",
  "X-Logweir-Untimed",
  "X-Request-Id",
];

/**
 * Lets pages of any origin call the service: tokens, not origins, grant access. Preflights are answered before
 * authentication, and errors carry the headers too.
 */
export async function addCors(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    allowedHeaders,
    exposedHeaders: [...exposedHeaders],
    maxAge: 86_400,
    strictPreflight: false,
  });
}
