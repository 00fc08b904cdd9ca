import type { Service } from "../../acceptance/service.ts";

export type Row = Readonly<Record<string, unknown>>;
export type Values = Readonly<Record<string, unknown>>;

/** An answer to a caller, in the terms that all surfaces share. */
export interface SurfaceAnswer {
  /** `ok`, the code of the error, or `refused` where the surface does not say why. */
  readonly code: string;
  readonly rows: readonly Row[];
  /** Everything that the caller can see of the answer. */
  readonly text: string;
  /** Goes on behind the rows; undefined at their end. */
  readonly cursor?: string | undefined;
}

/** A caller with one token. Nothing here throws: what is refused is an answer. */
export interface SurfaceCaller {
  /** Runs an endpoint's own query. */
  run(endpoint: string, parameters: Values): Promise<SurfaceAnswer>;
  /** Runs a query of the caller's own, `sql` or `lql` among the parameters, over the endpoint's tables. */
  query(endpoint: string, parameters: Values): Promise<SurfaceAnswer>;
  /** The names of the endpoints that the caller is told of, as rows with `name`. */
  list(): Promise<SurfaceAnswer>;
  /** The tables that the caller's queries may read, as it is told of them. */
  tables(endpoint: string, parameters: Values): Promise<SurfaceAnswer>;
  close(): Promise<void>;
}

/** A caller whose calls name these parameters, unless they name others. */
export function naming(caller: SurfaceCaller, named: Values): SurfaceCaller {
  return {
    ...caller,
    run: (endpoint, parameters) => caller.run(endpoint, { ...named, ...parameters }),
    query: (endpoint, parameters) => caller.query(endpoint, { ...named, ...parameters }),
    tables: (endpoint, parameters) => caller.tables(endpoint, { ...named, ...parameters }),
  };
}

/** A way in for callers. To hold another one to the same cases, implement this and add it to the test's list. */
export interface Surface {
  readonly name: string;
  /** Cases that have no form here, by their names, each with its reason. */
  readonly omits?: ReadonlyMap<string, string>;
  /**
   * `headers` are those of any call, such as the one of redaction. `narrow` makes a token like the given one for one
   * endpoint alone.
   */
  connect(
    service: Service,
    token: string,
    headers: Readonly<Record<string, string>>,
    narrow: (endpoint: string) => Promise<string>,
  ): Promise<SurfaceCaller>;
}

interface ErrorBody {
  readonly error?: { readonly code: string };
}

/** The address of each endpoint: the surface that others are compared with. */
export const getSurface = endpointSurface("GET");
/** The same address as the console calls it, with parameters in a body. */
export const postSurface = endpointSurface("POST");

function endpointSurface(method: "GET" | "POST"): Surface {
  return { name: method, connect: async (service, token, headers) => connectTo(method, service, token, headers) };
}

function connectTo(
  method: "GET" | "POST",
  service: Service,
  token: string,
  headers: Readonly<Record<string, string>>,
): SurfaceCaller {
  const own = { "x-api-key": token, ...headers };
  const get = async (path: string, parameters: Values): Promise<SurfaceAnswer & { readonly body: unknown }> => {
    const sent = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
    const response = await service.get(path, sent, own);
    const text = await response.text();
    const body = JSON.parse(text) as ErrorBody & { readonly result?: readonly Row[] };
    return { ...toAnswer(text, body, response), body };
  };
  const post = async (path: string, parameters: Values): Promise<SurfaceAnswer> => {
    const response = await fetch(`${service.url}${path}`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify(parameters),
    });
    const text = await response.text();
    return toAnswer(text, JSON.parse(text) as ErrorBody, response);
  };
  const call = method === "GET" ? get : post;
  const run = (endpoint: string, parameters: Values) => call(`/api/endpoints/query/${endpoint}`, parameters);
  return {
    run,
    query: run,
    async list() {
      const { body, ...answer } = await get("/api/openapi.json", {});
      const { paths = {} } = body as { readonly paths?: object };
      const names = Object.keys(paths).flatMap((path) => /^\/api\/endpoints\/query\/([^/{]+)$/.exec(path)?.[1] ?? []);
      return { ...answer, rows: names.map((name) => ({ name })) };
    },
    tables: (endpoint, parameters) => call(`/api/endpoints/query/${endpoint}/tables`, parameters),
    close: async () => undefined,
  };
}

function toAnswer(
  text: string,
  { error, result = [] }: ErrorBody & { readonly result?: readonly Row[] },
  { headers }: Response,
): SurfaceAnswer {
  const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get("link") ?? "")?.[1];
  return { code: error?.code ?? "ok", rows: result, text, cursor };
}
