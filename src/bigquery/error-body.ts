import type { ErrorCode } from "../shared/error-catalogue.ts";
import { type ServiceError, toErrorBody } from "../shared/errors.ts";
import { isCancelled } from "./job-results.ts";

/** An error in a job, and in the list of an answer. */
export interface ErrorProto {
  readonly reason: string;
  readonly location?: string;
  readonly locationType?: "parameter" | "other";
  readonly domain: "global";
  readonly message: string;
  /** Our own code, which says more than the reason. */
  readonly debugInfo: ErrorCode;
}

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: "authError",
  insufficient_scope: "accessDenied",
  pinned_parameter: "accessDenied",
  sandbox_disabled: "accessDenied",
  query_refused: "accessDenied",
  sandbox_table_denied: "notFound",
  unknown_endpoint: "notFound",
  unknown_source: "notFound",
  not_found: "notFound",
  duplicate_name: "duplicate",
  rate_limited: "rateLimitExceeded",
  too_many_queries: "rateLimitExceeded",
  held_back: "rateLimitExceeded",
  result_too_large: "responseTooLarge",
  memory_exceeded: "resourcesExceeded",
  limit_exceeded: "resourcesExceeded",
  residual_too_large: "resourcesExceeded",
  timeout: "timeout",
  invalid_parameter: "invalid",
  missing_parameter: "required",
  invalid_body: "parseError",
};

const statuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  429: "RESOURCE_EXHAUSTED",
};

/** The form of an error with BigQuery's reason; the message ends with the place in the query. */
export function toErrorProto(error: ServiceError): ErrorProto {
  const { code } = error;
  const { line, column, parameter, hint } = toErrorBody(error).error;
  const place = line === undefined ? "" : ` at [${line}:${column}]`;
  const location = parameter ?? (line === undefined ? undefined : "query");
  const other = error.status >= 500 ? "backendError" : line === undefined ? "invalid" : "invalidQuery";
  return {
    reason: isCancelled(error) ? "stopped" : (reasonOfDuplicate(error) ?? reasons[code] ?? other),
    ...(location === undefined ? {} : { location, locationType: parameter === undefined ? "other" : "parameter" }),
    domain: "global",
    message: `${error.message}${place}${line === undefined && hint !== undefined ? `. ${hint}` : ""}`,
    debugInfo: code,
  };
}

/** A name that a query defines twice is no job that exists. */
function reasonOfDuplicate({ code, details }: ServiceError): string | undefined {
  return code === "duplicate_name" && details.line !== undefined ? "invalidQuery" : undefined;
}

/** The status and body of an answer. BigQuery says 401 only where there is no valid token, and clients renew it then. */
export function toBigQueryError(error: ServiceError): { readonly status: number; readonly body: object } {
  const proto = toErrorProto(error);
  const status = statusOf(error, proto);
  const text = statuses[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return { status, body: { error: { code: status, message: proto.message, errors: [proto], status: text } } };
}

function statusOf(error: ServiceError, { reason }: ErrorProto): number {
  if (reason === "notFound") return 404;
  if (reason === "duplicate") return 409;
  if (reason === "accessDenied") return 403;
  return error.status === 422 ? 400 : error.status;
}
