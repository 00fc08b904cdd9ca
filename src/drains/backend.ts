/** A destination of events. */
export interface Backend {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: BackendType;
  readonly config: BackendConfig;
  /** Notes of clients, such as `{ type: "log-drain" }`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, as is the other time. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const backendTypes = ["webhook", "logweir", "loki", "otlp", "s3"] as const;

/**
 * `webhook` receives events as a JSON array, `logweir` in the form of its own ingest, `loki` in the form of Loki's push
 * API, `otlp` as OTLP over HTTP in JSON, `s3` as objects of a
 * store.
 */
export type BackendType = (typeof backendTypes)[number];

/** How a destination is reached. Its secrets are the values of headers, `token`, `password` and
 * `secret_access_key`. */
export interface BackendConfig {
  /** `http:` or `https:`, without a name and password in it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** For `logweir`: an access token of the destination. */
  readonly token?: string;
  /** For `logweir`: the source of the destination that receives the events; by default the one of the same name. */
  readonly source?: string;
  /** For `loki`: the user name for Basic authentication. */
  readonly username?: string;
  readonly password?: string;
  /** For `s3`: the region, `us-east-1` unless set, and the key by which requests are signed. */
  readonly region?: string;
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
}

/** Selects the events for a backend: those of a source that match a query in LQL. */
export interface DrainRule {
  /** A UUID. */
  readonly id: string;
  readonly backendId: string;
  /** The source's name. */
  readonly source: string;
  /** Empty for all events. */
  readonly lql: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}
