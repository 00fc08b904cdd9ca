import { type ErrorCode, errorCatalogue } from "../shared/error-catalogue.ts";
import { groupBy } from "../shared/group-by.ts";
import type { JsonSchema, Response } from "./open-api-document.ts";

/** The one shape of errors. */
export const errorSchema: JsonSchema = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string", description: "Never changes its meaning" },
        message: { type: "string", description: "For people; may be reworded" },
        status: { type: "integer", description: "The HTTP status" },
        parameter: { type: "string", description: "The invalid request parameter" },
        allowed: { type: "array", items: { type: "string" }, description: "The values that it may have" },
        fields: {
          type: "object",
          additionalProperties: { type: "array", items: { type: "string" } },
          description: "Messages by field, if something could not be saved",
        },
        line: { type: "integer", minimum: 1, description: "Position in the caller's query" },
        column: { type: "integer", minimum: 1, description: "In code points" },
        limit: { type: "string", description: "The limit that was reached, by its name" },
        hint: { type: "string", description: "What the caller may do about it" },
      },
      required: ["code", "message", "status"],
    },
  },
  required: ["error"],
};

/** Errors of calls that name an endpoint, before anything runs. */
export const callErrors: readonly ErrorCode[] = [
  "invalid_parameter",
  "unauthorized",
  "insufficient_scope",
  "pinned_parameter",
  "unknown_endpoint",
  "rate_limited",
  "internal",
  "endpoint_broken",
  "shutting_down",
];

/** Errors of every call that runs an endpoint. */
export const runErrors: readonly ErrorCode[] = [
  ...callErrors,
  "query_failed",
  "query_refused",
  "not_acceptable",
  "limit_exceeded",
  "residual_too_large",
  "result_too_large",
  "memory_exceeded",
  "too_many_queries",
  "held_back",
  "engine_unavailable",
  "timeout",
];

/** Possible errors of the text of a query, whoever wrote it. */
export const languageErrors: readonly ErrorCode[] = [
  "sql_and_lql",
  "query_too_long",
  "syntax_error",
  "too_complex",
  "unknown_column",
  "unknown_function",
  "unsupported",
  "ambiguous_name",
  "duplicate_name",
  "type_mismatch",
  "invalid_query",
  "invalid_lql",
];

/** Additional errors of a run with a caller's query. */
export const consumerErrors: readonly ErrorCode[] = [...languageErrors, "unknown_parameter", "sandbox_table_denied"];

/** Errors of a route that takes a JSON document and saves it. */
export const savingErrors: readonly ErrorCode[] = ["invalid_body", "validation_failed", "unsupported_media_type"];

/** Responses by status, each with the codes that may come with it. Where tokens are checked, their database may be away. */
export function errorResponses(codes: readonly ErrorCode[]): Readonly<Record<string, Response>> {
  const all: readonly ErrorCode[] = codes.includes("unauthorized") ? [...codes, "metadata_unavailable"] : codes;
  const byStatus = groupBy(new Set(all), (code) => errorCatalogue[code].status);
  const responses = [...byStatus].map(([status, each]) => [String(status), errorResponse(status, each)] as const);
  return Object.fromEntries(responses);
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Response {
  const mayWait = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].title}`).join("; "),
    ...(mayWait ? { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } } : {}),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
}
