import { watchedFetch } from "../state/connection.ts";
import { refusedCall, token } from "../state/token.ts";
import { type Answers, type OperationName, operations } from "./operations.ts";

/** A problem in a query's text: lines and columns count from 1, columns in code points. */
export type Problem = Answers["checkQuery"]["result"]["diagnostics"][number];

/** An error answer of the service. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly hint: string | undefined;
  readonly parameter: string | undefined;
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
  /** Everything that is wrong with the query that was sent, where the service reports it. */
  readonly diagnostics: readonly Problem[] | undefined;

  constructor(status: number, body: ErrorBody, diagnostics?: readonly Problem[]) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.line = body.line;
    this.column = body.column;
    this.hint = body.hint;
    this.parameter = body.parameter;
    this.fields = body.fields;
    this.diagnostics = diagnostics;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
  readonly parameter?: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The inputs of a call: values of the path, of the URL, and a JSON body. With a body, a call that permits both methods
 * is a POST.
 */
export interface CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborting it ends the call, and with it the query that it runs. */
  readonly signal?: AbortSignal | undefined;
}

/** Operations that read, whatever the method: their parameters may be long, and go into a body. */
const posted: ReadonlySet<OperationName> = new Set([
  "listTables",
  "checkQuery",
  "countRows",
  "showAround",
  "runQuery",
  "parseQuery",
] as const);

/** Calls an operation of the service's OpenAPI document. Throws `ApiError`, and `TypeError` where nobody answers. */
export async function callApi<Name extends OperationName>(name: Name, options: CallOptions): Promise<Answers[Name]> {
  const response = await send(name, options);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answers[Name];
}

/** The same for an answer that is not read at once, or not JSON. */
export function send(name: OperationName, options: CallOptions): Promise<Response> {
  const [method, template] = operations[name];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(options.path?.[key] ?? ""));
  return request(posted.has(name) && options.body !== undefined ? "POST" : method.toUpperCase(), path, options);
}

/** Runs an endpoint, whose parameters and answer only the endpoint defines. */
export async function runEndpoint(
  endpoint: string,
  parameters: Readonly<Record<string, unknown>>,
  options: { readonly signal?: AbortSignal | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return request("POST", `/api/endpoints/query/${encodeURIComponent(endpoint)}`, { ...options, body: parameters });
}

/** Follows an endpoint's rows as they arrive. */
export function followEndpoint(
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const path = `/api/endpoints/query/${encodeURIComponent(endpoint)}/tail`;
  return request("GET", path, { query: parameters, signal, headers: { ...headers, accept: "text/event-stream" } });
}

/** The service lies where the page does, also below a path of a proxy. */
export function addressOf(path: string, query?: CallOptions["query"]): string {
  const url = new URL(path.replace(/^\//, ""), new URL(".", location.href.split("#")[0]));
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value));
  return url.href;
}

async function request(method: string, path: string, options: CallOptions): Promise<Response> {
  const { body, query, signal, headers } = options;
  const secret = token.value;
  const response = await watchedFetch(addressOf(path, query), {
    method,
    headers: {
      accept: "application/json",
      ...(secret === undefined ? { "x-logweir-session": "1" } : { "x-api-key": secret }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    cache: "no-store",
    // Who signed in without a token is known by a cookie, the service's or that of a proxy.
    credentials: "same-origin",
    referrerPolicy: "no-referrer",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  const error = await readError(response);
  if (error.code === "unauthorized") refusedCall.value = { token: secret };
  throw error;
}

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error, result } = (await response.json()) as {
      readonly error: ErrorBody;
      readonly result?: { readonly diagnostics?: readonly Problem[] };
    };
    return new ApiError(response.status, error, result?.diagnostics);
  } catch {
    return new ApiError(response.status, {
      code: "http_error",
      message: `The answer has the status ${response.status}`,
    });
  }
}

/** True for calls that were given up by ourselves. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** An error as people read it. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "The service cannot be reached";
  return error instanceof Error ? error.message : String(error);
}
