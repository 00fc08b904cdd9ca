/**
 * Every error the service answers with. `docs/errors.md` has one section for each code, and a test holds the two
 * together.
 */

/** The properties that every occurrence of an error shares. */
export interface ErrorDefinition {
  /** The HTTP status. */
  readonly status: number;
  /** A few words, for people who look the code up. */
  readonly title: string;
  /** Advice for the caller, in the answer unless the occurrence has a hint of its own. */
  readonly hint?: string;
}

const definitions = {
  // ------------------------------------------------------------------------------------------ the request
  invalid_body: { status: 400, title: "The body does not match its content type" },
  missing_parameter: { status: 400, title: "A required parameter is missing" },
  invalid_parameter: { status: 400, title: "A parameter has an invalid value" },
  sql_and_lql: { status: 400, title: "Both sql and lql were sent", hint: "Send one of the two." },
  not_found: { status: 404, title: "No such route" },
  not_acceptable: {
    status: 406,
    title: "The answer is not available in any format that Accept names",
    hint: "Name one of the allowed media types, or send the parameter format.",
  },
  body_too_large: { status: 413, title: "The body is larger than the service accepts" },
  unsupported_media_type: { status: 415, title: "The content type or encoding is not supported" },
  request_too_large: { status: 431, title: "The request line and headers are larger than the service accepts" },
  malformed_request: { status: 400, title: "The request is not valid HTTP" },
  // ------------------------------------------------------------------------------------------ access
  unauthorized: {
    status: 401,
    title: "No valid token",
    hint: "Send an access token as X-API-KEY, as Authorization: Bearer, or as the api_key parameter.",
  },
  insufficient_scope: { status: 401, title: "The token has no scope for this call" },
  pinned_parameter: { status: 403, title: "The token is pinned to another value of a parameter" },
  foreign_origin: {
    status: 403,
    title: "A page of another origin may not call this",
    hint: "Call it from a program, or from a page on the same machine.",
  },
  unknown_endpoint: { status: 404, title: "No endpoint has this name or id" },
  unknown_source: { status: 404, title: "No source has this name" },
  unknown_version: { status: 404, title: "The endpoint has no version with this number" },
  unknown_token: { status: 404, title: "No token has this id" },
  unknown_backend: { status: 404, title: "No backend has this id" },
  unknown_rule: { status: 404, title: "No rule has this id" },
  unknown_alert: { status: 404, title: "No alert has this id or name" },
  unknown_view: { status: 404, title: "No saved view has this id" },
  // ------------------------------------------------------------------------------------------ saving
  source_read_only: {
    status: 409,
    title: "The source cannot be changed here",
    hint: "Change its file, and reload the files.",
  },
  source_in_use: { status: 409, title: "Endpoints read the source" },
  validation_failed: { status: 422, title: "The document to be saved is invalid" },
  endpoint_read_only: {
    status: 409,
    title: "The endpoint is defined in a file, which the API does not change",
    hint: "Change the file, and reload the files.",
  },
  alert_read_only: {
    status: 409,
    title: "The alert is defined in a file, which the API does not change",
    hint: "Change the file, and reload the files.",
  },
  endpoint_in_use: {
    status: 409,
    title: "Other endpoints read this one",
    hint: "Change or remove those that read it first.",
  },
  version_conflict: {
    status: 412,
    title: "The change is based on another version of the endpoint",
    hint: "Read the endpoint again, and apply the change to it.",
  },
  // ------------------------------------------------------------------------------------------ the consumer's query
  syntax_error: { status: 400, title: "The query does not parse" },
  query_too_long: { status: 413, title: "The query is longer than max_query_characters" },
  too_complex: { status: 422, title: "The query is nested too deeply or too long" },
  unknown_table: { status: 400, title: "The query names a table that does not exist" },
  unknown_column: { status: 400, title: "The query names a column or field that does not exist" },
  unknown_function: { status: 400, title: "The query calls a function that does not exist" },
  unsupported: { status: 400, title: "The query uses something that is refused here" },
  unknown_parameter: { status: 400, title: "The query uses a parameter that the endpoint does not declare" },
  ambiguous_name: { status: 400, title: "A name in the query has several meanings" },
  duplicate_name: { status: 400, title: "A name in the query is defined twice" },
  type_mismatch: { status: 400, title: "A value in the query has the wrong type" },
  invalid_query: { status: 400, title: "The query breaks a rule of the language" },
  invalid_lql: { status: 400, title: "The LQL text does not parse" },
  query_failed: { status: 400, title: "The data caused the query to fail" },
  not_followable: {
    status: 400,
    title: "The rows of the query have no order in time by which new ones could be recognised",
  },
  sandbox_disabled: { status: 403, title: "The endpoint does not accept sql or lql" },
  sandbox_table_denied: {
    status: 403,
    title: "The query names a table that is not one of the endpoint's",
    hint: "A query sent to an endpoint reads only the tables that the endpoint's own WITH clause defines.",
  },
  query_refused: { status: 403, title: "The engine's own check refused the query" },
  method_not_allowed: { status: 405, title: "The path does not support this method" },
  request_timeout: {
    status: 408,
    title: "The request did not arrive in time",
    hint: "Send the request in one go, and long bodies in smaller requests.",
  },
  // ------------------------------------------------------------------------------------------ limits
  result_too_large: {
    status: 422,
    title: "The result is larger than max_result_bytes",
    hint: "Select fewer columns, or lower the limit.",
  },
  limit_exceeded: {
    status: 422,
    title: "A function would produce a larger value than the call may",
    hint: "Produce smaller arrays and texts.",
  },
  residual_too_large: {
    status: 422,
    title: "Too many rows would have to leave the server for what it cannot compute",
    hint: "Filter by what the server can compute; `logweir explain` shows what it cannot.",
  },
  memory_exceeded: {
    status: 422,
    title: "The query needs more memory than the engine has",
    hint: "Narrow the time range, or group by fewer values.",
  },
  too_many_queries: { status: 429, title: "Too many queries are running and waiting", hint: "Retry later." },
  rate_limited: {
    status: 429,
    title: "The token made too many calls, or sent too many events",
    hint: "Retry after the number of seconds in Retry-After.",
  },
  tenant_limit: {
    status: 429,
    title: "A tenant sent more events than it may",
    hint: "Nothing was stored; retry after the number of seconds in Retry-After.",
  },
  held_back: {
    status: 429,
    title: "Queries of the token crashed the engine",
    hint: "Retry after the number of seconds in Retry-After, with queries that need less memory.",
  },
  overloaded: {
    status: 429,
    title: "More events are waiting to be written than the service can buffer",
    hint: "Retry later.",
  },
  timeout: {
    status: 504,
    title: "The query took longer than its deadline",
    hint: "Narrow the time range, or select less.",
  },
  // ------------------------------------------------------------------------------------------ the service
  endpoint_broken: {
    status: 500,
    title: "The endpoint's saved query no longer fits what it reads",
    hint: "Its owner sees the reason on the endpoint.",
  },
  metadata_unavailable: {
    status: 503,
    title: "The metadata database is unreachable",
    hint: "Retry after the number of seconds in Retry-After.",
  },
  issuer_unavailable: {
    status: 503,
    title: "The issuer that people sign in with cannot be used",
    hint: "Retry later, or sign in with an access token.",
  },
  internal: {
    status: 500,
    title: "A fault in the service",
    hint: "The service's log has details under this request's id.",
  },
  engine_unavailable: { status: 503, title: "The engine is restarting", hint: "Retry later." },
  shutting_down: { status: 503, title: "The service is stopping", hint: "Retry later." },
  disk_full: {
    status: 507,
    title: "The disk is full",
    hint:
      "Free some space on that disk, which deleting events and shortening retention need too, and repeat the request. " +
      "Queries still run. LOGWEIR_MIN_FREE_MB deletes the oldest events before a disk is full.",
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>;

/** The machine-readable name of an error, e.g. `missing_parameter`. Never changes its meaning. */
export type ErrorCode = keyof typeof definitions;

/** By code. */
export const errorCatalogue: Readonly<Record<ErrorCode, ErrorDefinition>> = definitions;
