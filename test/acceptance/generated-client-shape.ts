/** The part of a generated client that its tests use; the client itself is made while they run. */

type Row = Readonly<Record<string, unknown>>;
interface Options {
  readonly signal?: AbortSignal;
  readonly redact?: boolean;
}

interface Endpoint {
  (parameters: object, options?: Options): Promise<Row[]>;
  page(parameters: object): Promise<object>;
  all(parameters: object): AsyncGenerator<Row>;
  query(query: { readonly sql: string }, parameters: object, options?: Options): Promise<Row[]>;
}

export declare function createClient(options: { readonly url: string; readonly token: string }): {
  readonly logsAll: Endpoint;
};

export declare class LogweirError extends Error {}
