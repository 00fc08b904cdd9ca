/**
 * The part of a generated client that is the same for every service. It is text because it is written into files of
 * other projects.
 */
export const clientRuntime = `/** Where the service is, and who calls. */
export interface ClientOptions {
  /** For example http://127.0.0.1:4000. */
  readonly url: string;
  readonly token: string;
  /** The global fetch unless given. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Aborting it ends the call; the service then stops its query. */
  readonly signal?: AbortSignal | undefined;
  /** true replaces personal data by REDACTED; false asks for none of that, which not every token may. */
  readonly redact?: boolean | undefined;
  /** Seconds that the call may take. */
  readonly waitSeconds?: number | undefined;
}

export interface Page<Row> {
  readonly rows: Row[];
  /** Of the next page; undefined on the last one. */
  readonly cursor: string | undefined;
  /** The newest event of what was read, as ISO 8601. */
  readonly dataThrough: string | undefined;
}

export type AnyRow = Record<string, unknown>;

/** A query of your own over an endpoint's tables. */
export type OwnQuery = { readonly sql: string } | { readonly lql: string };

/** Rows at most. */
export interface Limit {
  readonly limit?: number | undefined;
}

type Arguments<Parameters, Options> =
  Partial<Parameters> extends Parameters
    ? [parameters?: Parameters & Limit, options?: Options]
    : [parameters: Parameters & Limit, options?: Options];

/** An endpoint: called for its rows, or page by page. */
export interface Endpoint<Parameters, Row> {
  (...args: Arguments<Parameters, CallOptions>): Promise<Row[]>;
  /** One page; the first unless a cursor is given. */
  page(...args: Arguments<Parameters, CallOptions & { readonly cursor?: string | undefined }>): Promise<Page<Row>>;
  /** Every row of every page. */
  all(...args: Arguments<Parameters, CallOptions>): AsyncGenerator<Row, void, undefined>;
}

/** An endpoint whose tables may be queried. */
export interface SandboxedEndpoint<Parameters, Row> extends Endpoint<Parameters, Row> {
  query<OwnRow = AnyRow>(query: OwnQuery, ...args: Arguments<Parameters, CallOptions>): Promise<OwnRow[]>;
}

/** What the service answered instead of rows. */
export class LogweirError extends Error {
  override readonly name = "LogweirError";
  /** Never changes its meaning; http_error where what answered is no Logweir. */
  readonly code: ErrorCode;
  readonly status: number;
  /** The parameter at fault. */
  readonly parameter: string | undefined;
  readonly allowed: readonly string[] | undefined;
  /** Where in the query that was sent, both from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(response: Response, body: ErrorBody) {
    super(body.message);
    this.code = body.code;
    this.status = response.status;
    this.parameter = body.parameter;
    this.allowed = body.allowed;
    this.line = body.line;
    this.column = body.column;
    this.hint = body.hint;
    const retryAfter = response.headers.get("retry-after");
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
    this.requestId = response.headers.get("x-request-id") ?? undefined;
  }
}

interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly parameter?: string;
  readonly allowed?: readonly string[];
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

interface Call extends CallOptions {
  readonly cursor?: string | undefined;
}

async function readError(response: Response): Promise<LogweirError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { readonly error: ErrorBody };
    if (typeof error.code === "string") return new LogweirError(response, error);
  } catch {
    // It is told below.
  }
  return new LogweirError(response, { code: "http_error", message: "The answer has the status " + response.status });
}

/** Dates and integers beyond 2^53 as the service reads them. */
function toJson(parameters: object): Record<string, unknown> {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (value instanceof Date) return [name, value.toISOString()];
      return [name, typeof value === "bigint" ? String(value) : value];
    }),
  );
}

async function callPage<Row>(
  client: ClientOptions,
  path: string,
  parameters: object,
  { cursor, signal, redact, waitSeconds }: Call,
): Promise<Page<Row>> {
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/json",
    "x-api-key": client.token,
  };
  if (redact !== undefined) headers["lf-endpoint-redact-pii"] = String(redact);
  if (waitSeconds !== undefined) headers["prefer"] = "wait=" + waitSeconds;
  const send = client.fetch ?? fetch;
  const response = await send(client.url.replace(/\\/+$/, "") + path, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...toJson(parameters), ...(cursor === undefined ? {} : { cursor }) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await readError(response);
  const { result } = (await response.json()) as { readonly result: Row[] };
  const link = /<([^>]*)>; *rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const linked = link === undefined ? null : new URL(link, "http://localhost").searchParams.get("cursor");
  const next = linked ?? response.headers.get("x-logweir-next-cursor");
  const dataThrough = response.headers.get("x-logweir-data-through") ?? undefined;
  return { rows: result, cursor: next ?? undefined, dataThrough };
}

function makeEndpoint<Parameters, Row>(client: ClientOptions, path: string): SandboxedEndpoint<Parameters, Row> {
  const page = (parameters: object = {}, options: Call = {}) => callPage<Row>(client, path, parameters, options);
  const run = async (parameters: object = {}, options: CallOptions = {}) => (await page(parameters, options)).rows;
  async function* all(parameters: object = {}, options: CallOptions = {}): AsyncGenerator<Row, void, undefined> {
    let cursor: string | undefined;
    do {
      const current = await page(parameters, { ...options, cursor });
      yield* current.rows;
      cursor = current.cursor;
    } while (cursor !== undefined);
  }
  async function query<OwnRow>(own: OwnQuery, parameters: object = {}, options: CallOptions = {}): Promise<OwnRow[]> {
    return (await callPage<OwnRow>(client, path, { ...parameters, ...own }, options)).rows;
  }
  return Object.assign(run, { page, all, query }) as SandboxedEndpoint<Parameters, Row>;
}
`;
