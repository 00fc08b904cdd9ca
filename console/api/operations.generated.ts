// Made by `npm run docs` from the service's OpenAPI document: changes here are lost when it is made again.

export type Error = {
  error: {
    /** Never changes its meaning */
    code: string;
    /** For people; may be reworded */
    message: string;
    /** The HTTP status */
    status: number;
    /** The invalid request parameter */
    parameter?: string;
    /** The values that it may have */
    allowed?: string[];
    /** Messages by field, if something could not be saved */
    fields?: Record<string, string[]>;
    /** Position in the caller's query */
    line?: number;
    /** In code points */
    column?: number;
    /** The limit that was reached, by its name */
    limit?: string;
    /** What the caller may do about it */
    hint?: string;
  };
};

export type AnyRow = Record<string, unknown>;

export type Accepted = {
  message: string;
  accepted: number;
};

export type Endpoint = {
  id: string;
  name: string;
  description: string | null;
  query: string;
  max_rows: number;
  cache_seconds: number;
  warm_every_seconds: number | null;
  /** The parameter that selects whose rows a call reads: a token that pins it reads no others */
  tenant_parameter: string | null;
  sandbox: boolean;
  redact_pii: boolean | string[];
  parameters: Record<string, {
    type: string;
    required: boolean;
    allowed: string[] | null;
    default: unknown;
    description: string | null;
  }>;
  table_aliases: Record<string, string>;
  labels: Record<string, string>;
  version?: number;
  origin: "file" | "api";
  file: string | null;
  contract: Contract;
  /** Why it can no longer run, because something it reads has changed */
  problem?: string;
  /** Probable mistakes in its query: fields that no event has carried */
  warnings?: string[];
};

export type Contract = {
  parameters: Array<{
    name: string;
    type: string;
    required: boolean;
    allowed: string[] | null;
    default: unknown;
    description: string | null;
  }>;
  columns: Array<{
    name: string;
    /** In GoogleSQL's notation */
    type: string;
  }>;
};

export type EndpointDocument = {
  id?: string;
  name: string;
  description?: string;
  query_timeout_ms?: number;
  max_rows?: number;
  max_result_bytes?: number;
  max_query_memory_mb?: number;
  max_array_elements?: number;
  max_string_bytes?: number;
  max_query_characters?: number;
  max_query_depth?: number;
  cache_seconds?: number;
  warm_every_seconds?: number;
  sandbox?: boolean;
  redact_pii?: boolean | Array<"ip" | "email" | "jwt" | "card" | "bearer" | "phone">;
  parameters?: Record<string, {
    type?: "string" | "int64" | "float64" | "bool" | "timestamp" | "date";
    required?: boolean;
    allowed?: Array<string | number | boolean>;
    default?: string | number | boolean;
    description?: string;
  } | null>;
  tenant_parameter?: string;
  table_aliases?: Record<string, string>;
  labels?: Record<string, string>;
  query: string;
};

export type EndpointChange = {
  id?: string;
  name?: string;
  description?: string;
  query_timeout_ms?: number;
  max_rows?: number;
  max_result_bytes?: number;
  max_query_memory_mb?: number;
  max_array_elements?: number;
  max_string_bytes?: number;
  max_query_characters?: number;
  max_query_depth?: number;
  cache_seconds?: number;
  warm_every_seconds?: number;
  sandbox?: boolean;
  redact_pii?: boolean | Array<"ip" | "email" | "jwt" | "card" | "bearer" | "phone">;
  parameters?: Record<string, {
    type?: "string" | "int64" | "float64" | "bool" | "timestamp" | "date";
    required?: boolean;
    allowed?: Array<string | number | boolean>;
    default?: string | number | boolean;
    description?: string;
  } | null>;
  tenant_parameter?: string;
  table_aliases?: Record<string, string>;
  labels?: Record<string, string>;
  query?: string;
};

export type Version = {
  version: number;
  name: string;
  current: boolean;
  created_at: string;
  author: string;
  action: string;
  rollback_to: number | null;
  changed: string[];
  document?: AnyRow;
  contract?: Contract;
};

export type VersionDiff = {
  from: number;
  to: number;
  breaking: boolean;
  changes: Array<{
    area: "column" | "parameter" | "setting";
    name: string;
    change: string;
    from: string | null;
    to: string | null;
    breaking: boolean;
  }>;
  query: AnyRow[];
};

export type QueryRequest = {
  sql?: string;
  lql?: string;
  parameters?: Record<string, unknown>;
};

export type QueryAnswer = {
  result: AnyRow[];
};

export type QueryReport = {
  result: {
    parameters: AnyRow[];
    columns: Array<{
      name: string;
      type: string;
    }>;
    tables: string[];
    endpoints: string[];
    diagnostics: AnyRow[];
    warnings: AnyRow[];
    compiled_sql: string | null;
    explain: AnyRow[];
  };
};

export type Source = {
  id: string;
  name: string;
  aliases: string[];
  kind: string;
  description: string;
  retention_days: number | null;
  read_only: boolean;
  /** The source's name, if this is another name of it */
  alias_of?: string;
};

export type SourceSchema = {
  name: string;
  fields: Array<{
    path: string;
    type: string;
  }>;
};

export type SourceDocument = {
  name?: string;
  aliases?: string[];
  kind?: string;
  description?: string;
  tenant?: string | null;
  retention_days?: number | null;
  fields?: Record<string, "STRING" | "INT64" | "FLOAT64" | "BOOL">;
};

export type BackendDocument = {
  name?: string;
  description?: string;
  type?: "webhook" | "logweir" | "loki";
  /** url, headers, gzip; token and source of logweir, username and password of loki */
  config?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
};

export type Backend = {
  id: string;
  token: string;
  name: string;
  description: string;
  type: string;
  /** Secrets are shown as ******** */
  config: Record<string, unknown>;
  metadata: Record<string, unknown>;
  inserted_at: string;
  updated_at: string;
  status: Array<{
    rule_id: string;
    source: string;
    waiting: number;
    delivered: number;
    refused: number;
    dropped: number;
    failures: number;
    last_error: string | null;
    last_delivered_at: string | null;
  }>;
};

export type RuleDocument = {
  backend_id?: string;
  /** Id, name or alias of a source */
  source_id?: string;
  /** The same, by the name that rules are shown with */
  source?: string;
  /** Which events go there, in LQL; empty for all */
  lql_string?: string;
};

export type Rule = {
  id: string;
  token: string;
  backend_id: string;
  source_id: string;
  source: string;
  lql_string: string;
  inserted_at: string;
};

export type NewAccessToken = {
  description?: string;
  /** A list, or a string with spaces between */
  scopes: string[] | string;
  pins?: Record<string, unknown>;
  /** A lifetime such as 30d */
  expires?: string;
  expires_at?: string;
  budget?: {
    /** Deadline of one query in milliseconds; then 504. */
    query_timeout_ms?: number;
    /** Rows of one answer, or of one page of it. */
    max_rows?: number;
    /** Size of one answer's rows in bytes; beyond it 422. */
    max_result_bytes?: number;
    /** Memory in megabytes that one query may take from the engine's; beyond it 422. */
    max_query_memory_mb?: number;
    /** Elements of an array that one call of a function makes; beyond it 422. */
    max_array_elements?: number;
    /** Bytes of a text that one call of a function makes; beyond it 422. */
    max_string_bytes?: number;
    /** Length of a query that is sent to an endpoint; beyond it 413. */
    max_query_characters?: number;
    /** Levels to which a query that is sent to an endpoint nests; beyond them 422. */
    max_query_depth?: number;
    /** Events in a minute, over all sources; beyond them 429. */
    max_ingest_events_per_minute?: number;
    /** Bytes of events, as JSON, in a minute, over all sources; beyond them 429. */
    max_ingest_bytes_per_minute?: number;
  };
  redaction?: "required" | "fixed" | "switchable";
};

export type AccessToken = {
  id: string;
  description: string;
  scopes: string[];
  pins: Record<string, string>;
  budget: {
    /** Deadline of one query in milliseconds; then 504. */
    query_timeout_ms?: number;
    /** Rows of one answer, or of one page of it. */
    max_rows?: number;
    /** Size of one answer's rows in bytes; beyond it 422. */
    max_result_bytes?: number;
    /** Memory in megabytes that one query may take from the engine's; beyond it 422. */
    max_query_memory_mb?: number;
    /** Elements of an array that one call of a function makes; beyond it 422. */
    max_array_elements?: number;
    /** Bytes of a text that one call of a function makes; beyond it 422. */
    max_string_bytes?: number;
    /** Length of a query that is sent to an endpoint; beyond it 413. */
    max_query_characters?: number;
    /** Levels to which a query that is sent to an endpoint nests; beyond them 422. */
    max_query_depth?: number;
    /** Events in a minute, over all sources; beyond them 429. */
    max_ingest_events_per_minute?: number;
    /** Bytes of events, as JSON, in a minute, over all sources; beyond them 429. */
    max_ingest_bytes_per_minute?: number;
  };
};

export type CreatedAccessToken = {
  id: string;
  description: string;
  scopes: string[];
  pins: Record<string, string>;
  budget: {
    /** Deadline of one query in milliseconds; then 504. */
    query_timeout_ms?: number;
    /** Rows of one answer, or of one page of it. */
    max_rows?: number;
    /** Size of one answer's rows in bytes; beyond it 422. */
    max_result_bytes?: number;
    /** Memory in megabytes that one query may take from the engine's; beyond it 422. */
    max_query_memory_mb?: number;
    /** Elements of an array that one call of a function makes; beyond it 422. */
    max_array_elements?: number;
    /** Bytes of a text that one call of a function makes; beyond it 422. */
    max_string_bytes?: number;
    /** Length of a query that is sent to an endpoint; beyond it 413. */
    max_query_characters?: number;
    /** Levels to which a query that is sent to an endpoint nests; beyond them 422. */
    max_query_depth?: number;
    /** Events in a minute, over all sources; beyond them 429. */
    max_ingest_events_per_minute?: number;
    /** Bytes of events, as JSON, in a minute, over all sources; beyond them 429. */
    max_ingest_bytes_per_minute?: number;
  };
  /** Shown only once */
  token: string;
};

/** What each operation answers. */
export interface Answers {
  readonly listTables: {
    tables: Array<{
      name: string;
      aliases: string[];
      is_default: boolean;
      fields: Array<{
        path: string;
        type: string;
      }>;
    }>;
  };
  readonly checkQuery: {
    result: {
      is_valid: boolean;
      columns: Array<{
        name: string;
        type: string;
      }>;
      diagnostics: Array<{
        code: string;
        message: string;
        line: number;
        column: number;
        end_line: number;
        end_column: number;
        excerpt: string;
      }>;
      warnings: Array<{
        code: string;
        message: string;
        line: number;
        column: number;
        end_line: number;
        end_column: number;
        excerpt: string;
      }>;
    };
  };
  readonly countRows: {
    result: {
      from: string;
      to: string;
      bucket_us: number;
      total: number;
      is_truncated: boolean;
      series: Array<{
        value: string | null;
        counts: number[];
      }>;
      facets: Array<{
        path: string;
        values: Array<{
          value: string | null;
          count: number;
        }>;
      }>;
    };
  };
  readonly showAround: {
    result: AnyRow[];
  };
  readonly followRows: undefined;
  readonly listViews: {
    views: Array<{
      id: string;
      name: string;
      endpoint: string;
      /** What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
      state: string;
      is_shared: boolean;
      /** True if this token saved it */
      is_own: boolean;
      created_at: string;
    }>;
  };
  readonly saveView: {
    id: string;
    name: string;
    endpoint: string;
    /** What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
    state: string;
    is_shared: boolean;
    /** True if this token saved it */
    is_own: boolean;
    created_at: string;
  };
  readonly deleteView: undefined;
  readonly sendEvents: Accepted;
  readonly listEndpoints: Endpoint[];
  readonly createEndpoint: Endpoint;
  readonly getEndpoint: Endpoint;
  readonly replaceEndpoint: Endpoint;
  readonly changeEndpoint: undefined;
  readonly deleteEndpoint: undefined;
  readonly validateEndpoint: Endpoint;
  readonly listVersions: Version[];
  readonly getVersion: Version;
  readonly diffVersions: VersionDiff;
  readonly rollBack: Endpoint;
  readonly getTests: {
    has_tests: boolean;
    /** Null until they ran, since the service started */
    last: {
      ran_at: string;
      version: number;
      passed: number;
      failed: number;
      tests: Array<{
        name: string;
        is_passed: boolean;
        ms: number;
        difference: string | null;
      }>;
    } | null;
  };
  readonly runTests: {
    has_tests: boolean;
    /** Null until they ran, since the service started */
    last: {
      ran_at: string;
      version: number;
      passed: number;
      failed: number;
      tests: Array<{
        name: string;
        is_passed: boolean;
        ms: number;
        difference: string | null;
      }>;
    } | null;
  };
  readonly runQuery: QueryAnswer;
  readonly parseQuery: QueryReport;
  readonly listSources: Source[];
  readonly createSource: Source;
  readonly getSource: Source;
  readonly replaceSource: Source;
  readonly changeSource: Source;
  readonly deleteSource: undefined;
  readonly getSourceSchema: SourceSchema;
  readonly listRecentEvents: QueryAnswer;
  readonly listEvents: QueryAnswer;
  readonly listBackends: Backend[];
  readonly createBackend: Backend;
  readonly getBackend: Backend;
  readonly replaceBackend: Backend;
  readonly changeBackend: Backend;
  readonly deleteBackend: undefined;
  readonly listRules: Rule[];
  readonly createRule: Rule;
  readonly getRule: Rule;
  readonly replaceRule: Rule;
  readonly changeRule: Rule;
  readonly deleteRule: undefined;
  readonly listAccessTokens: AccessToken[];
  readonly createAccessToken: CreatedAccessToken;
  readonly getAccessToken: AccessToken;
  readonly revokeAccessToken: undefined;
  readonly rotateAccessToken: CreatedAccessToken;
  readonly countCalls: {
    since: string;
    /** False if the service does not record runs */
    is_recorded: boolean;
    endpoints: Array<{
      endpoint: string;
      calls: number;
      /** Calls that were answered with an error; callers that disconnected are not counted */
      errors: number;
      /** Calls that were answered from the cache */
      cached: number;
      p50_ms: number | null;
      p95_ms: number | null;
      newest_call: string;
    }>;
  };
  readonly countIntake: {
    since: string;
    sources: Array<{
      source: string;
      stored: number;
      /** Events that were not stored */
      rejected: number;
      /** Bodies that could not be read as a whole */
      refused_bodies: number;
      /** Stored events whose timestamp could not be read */
      untimed: number;
      /** Stored events without a tenant, in a source that has tenants */
      without_tenant: number;
      /** Why events and bodies were not stored, newest first */
      reasons: Array<{
        reason: string;
        count: number;
        newest: string;
      }>;
      newest_event: string | null;
      /** How long ago the newest event happened */
      lag_ms: number | null;
      retention_days: number | null;
    }>;
  };
  readonly clearCache: {
    cleared: number;
  };
  readonly getStore: AnyRow;
  readonly backUpStore: undefined;
  readonly listSlices: {
    slices: Array<{
      start_us: string;
      events: number;
      fingerprint: string;
    }>;
  };
  readonly readStoredEvents: undefined;
  readonly reloadFiles: AnyRow;
  readonly getSession: {
    token: {
      id: string;
      scopes: string[];
      pins: Record<string, string>;
      budget: Record<string, number>;
      redaction: string;
    };
    may: {
      query: boolean;
      manage: boolean;
      ingest: boolean;
      metrics: boolean;
    };
    endpoints: Array<{
      id: string;
      name: string;
      description: string | null;
      version: number;
      sandbox: boolean;
      max_rows: number;
      parameters: Array<Record<string, unknown>>;
      columns: Array<{
        name: string;
        type: string;
      }>;
    }>;
    sources: string[];
    ingest_sources: string[];
    now: string;
  };
  readonly listFunctions: {
    functions: Array<{
      name: string;
      aliases: string[];
      kind: string;
      area: string;
      signatures: string[];
      summary: string;
    }>;
  };
  readonly getHealth: AnyRow;
  readonly getMetrics: undefined;
  readonly getOpenApi: AnyRow;
}

/** Method and path of each operation. */
export const operations = {
  listTables: ["get", "/api/endpoints/query/{endpoint}/tables"],
  checkQuery: ["get", "/api/endpoints/query/{endpoint}/parse"],
  countRows: ["get", "/api/endpoints/query/{endpoint}/overview"],
  showAround: ["get", "/api/endpoints/query/{endpoint}/around"],
  followRows: ["get", "/api/endpoints/query/{endpoint}/tail"],
  listViews: ["get", "/api/views"],
  saveView: ["post", "/api/views"],
  deleteView: ["delete", "/api/views/{id}"],
  sendEvents: ["post", "/api/logs"],
  listEndpoints: ["get", "/api/endpoints"],
  createEndpoint: ["post", "/api/endpoints"],
  getEndpoint: ["get", "/api/endpoints/{endpoint}"],
  replaceEndpoint: ["put", "/api/endpoints/{endpoint}"],
  changeEndpoint: ["patch", "/api/endpoints/{endpoint}"],
  deleteEndpoint: ["delete", "/api/endpoints/{endpoint}"],
  validateEndpoint: ["post", "/api/endpoints/validate"],
  listVersions: ["get", "/api/endpoints/{endpoint}/versions"],
  getVersion: ["get", "/api/endpoints/{endpoint}/versions/{version}"],
  diffVersions: ["get", "/api/endpoints/{endpoint}/versions/{version}/diff/{other}"],
  rollBack: ["post", "/api/endpoints/{endpoint}/versions/{version}/rollback"],
  getTests: ["get", "/api/endpoints/{endpoint}/tests"],
  runTests: ["post", "/api/endpoints/{endpoint}/tests"],
  runQuery: ["post", "/api/query"],
  parseQuery: ["post", "/api/query/parse"],
  listSources: ["get", "/api/sources"],
  createSource: ["post", "/api/sources"],
  getSource: ["get", "/api/sources/{source}"],
  replaceSource: ["put", "/api/sources/{source}"],
  changeSource: ["patch", "/api/sources/{source}"],
  deleteSource: ["delete", "/api/sources/{source}"],
  getSourceSchema: ["get", "/api/sources/{source}/schema"],
  listRecentEvents: ["get", "/api/sources/{source}/recent"],
  listEvents: ["get", "/api/sources/{source}/events"],
  listBackends: ["get", "/api/backends"],
  createBackend: ["post", "/api/backends"],
  getBackend: ["get", "/api/backends/{id}"],
  replaceBackend: ["put", "/api/backends/{id}"],
  changeBackend: ["patch", "/api/backends/{id}"],
  deleteBackend: ["delete", "/api/backends/{id}"],
  listRules: ["get", "/api/rules"],
  createRule: ["post", "/api/rules"],
  getRule: ["get", "/api/rules/{id}"],
  replaceRule: ["put", "/api/rules/{id}"],
  changeRule: ["patch", "/api/rules/{id}"],
  deleteRule: ["delete", "/api/rules/{id}"],
  listAccessTokens: ["get", "/api/access-tokens"],
  createAccessToken: ["post", "/api/access-tokens"],
  getAccessToken: ["get", "/api/access-tokens/{id}"],
  revokeAccessToken: ["delete", "/api/access-tokens/{id}"],
  rotateAccessToken: ["post", "/api/access-tokens/{id}/rotate"],
  countCalls: ["get", "/api/statistics/endpoints"],
  countIntake: ["get", "/api/statistics/sources"],
  clearCache: ["post", "/api/cache/clear"],
  getStore: ["get", "/api/store"],
  backUpStore: ["get", "/api/store/backup"],
  listSlices: ["get", "/api/store/slices"],
  readStoredEvents: ["get", "/api/store/events"],
  reloadFiles: ["post", "/api/reload"],
  getSession: ["get", "/api/session"],
  listFunctions: ["get", "/api/catalogue"],
  getHealth: ["get", "/health"],
  getMetrics: ["get", "/metrics"],
  getOpenApi: ["get", "/api/openapi.json"],
} as const;
