/**
 * Every setting of the service, as data: what reads the environment, checks values, prints `logweir config` and is
 * documented in `docs/configuration.md` works from these rows.
 */

import { type AuditLevel, auditLevels } from "../audit/audit-event.ts";
import { limitDefinitions } from "../shared/budget.ts";
import { type EngineServer, engineSettings } from "./engine-settings.ts";
import { ingestSettings } from "./ingest-settings.ts";
import { maskDatabaseUrl } from "./mask-database-url.ts";
import { giga, integer, type SettingDefinition, type SettingType } from "./setting-definition.ts";

const text: SettingType = { kind: "text" };

export const settingDefinitions = {
  host: { name: "host", type: text, default: "127.0.0.1", description: "Address to listen on; 0.0.0.0 for all." },
  port: {
    name: "port",
    type: integer(0, 65_535),
    default: 4000,
    otherVariables: ["PHX_HTTP_PORT", "PORT"],
    description: "Port to listen on; 0 takes any free one.",
  },
  dataDir: {
    name: "data_dir",
    type: text,
    default: "./data",
    description: "Folder for all stored data: events and tokens. Created if missing.",
  },
  metadataUrl: {
    name: "metadata_url",
    type: { kind: "text", form: /^postgres(?:ql)?:\/\//i, formText: "a URL that begins with postgres://" },
    default: undefined,
    mask: maskDatabaseUrl,
    description:
      "PostgreSQL database for endpoints, tokens, keys, sources, saved views and drains, instead of the data " +
      "folder: `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`. Services that share one are nodes, " +
      "see [nodes.md](nodes.md).",
  },
  ...engineSettings,
  config: {
    name: "config",
    type: text,
    default: undefined,
    isEnvironmentOnly: true,
    description:
      "YAML file with settings by name; defaults to `logweir.yaml` in the working folder if it exists. The " +
      "environment takes precedence.",
  },
  endpointsDir: {
    name: "endpoints_dir",
    type: text,
    default: undefined,
    description:
      "The only folder to read endpoint files from. Unless set: the ones that ship with Logweir, and those in " +
      "`./endpoints` if it exists.",
  },
  sourcesDir: {
    name: "sources_dir",
    type: text,
    default: undefined,
    description:
      "The only folder to read source files from. Unless set: the ones that ship with Logweir, and those in " +
      "`./sources` if it exists.",
  },
  shipped: {
    name: "shipped",
    type: { kind: "choice", choices: ["on", "off"] },
    default: "on",
    description:
      "`off` omits the endpoints and sources that ship with Logweir. One in `./endpoints` or `./sources` replaces " +
      "a shipped one of the same name.",
  },
  privateToken: {
    name: "private_token",
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_PRIVATE_ACCESS_TOKEN"],
    description: "A fixed token with the scope `private`, at least 16 characters.",
  },
  publicToken: {
    name: "public_token",
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_PUBLIC_ACCESS_TOKEN"],
    description: "A fixed token with the scope `ingest`, at least 16 characters.",
  },
  apiKey: {
    name: "api_key",
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_API_KEY"],
    description: "A fixed token with the scopes `query` and `ingest`, at least 16 characters.",
  },
  allowWeakTokens: {
    name: "allow_weak_tokens",
    type: { kind: "choice", choices: ["0", "1"] },
    default: "0",
    description:
      "`1` accepts fixed tokens of fewer than 16 characters, which only Logflare's variables may hold, on an " +
      "address that others can reach.",
  },
  queryTimeoutMs: {
    name: "query_timeout_ms",
    type: integer(1, 3_600_000),
    default: 30_000,
    description: "Deadline of one query in milliseconds; beyond it 504.",
  },
  maxConcurrentQueries: {
    name: "max_concurrent_queries",
    type: integer(1, 1_000),
    default: 8,
    description: "Concurrent queries; others wait in a queue.",
  },
  maxConcurrentQueriesPerToken: {
    name: "max_concurrent_queries_per_token",
    type: integer(1, 1_000),
    default: 6,
    description: "Concurrent queries of one token; others wait, and waiting tokens take turns.",
  },
  maxQueuedQueries: {
    name: "max_queued_queries",
    type: integer(0, 100_000),
    default: 128,
    description: "Queries that may wait in the queue; more are answered 429.",
  },
  maxRequestsPerMinute: {
    name: "max_requests_per_minute",
    type: integer(1, 10_000_000),
    default: undefined,
    description: "Endpoint calls per minute of one token, in bursts of up to a sixth of it; more are answered 429.",
  },
  maxResultBytes: {
    name: "max_result_bytes",
    type: integer(1_000, 10 * giga),
    default: 256_000_000,
    description: "Maximum size of one answer's rows in bytes; beyond it 422.",
  },
  maxRows: {
    name: "max_rows",
    type: integer(limitDefinitions.max_rows.minimum, limitDefinitions.max_rows.maximum),
    default: undefined,
    description: "Maximum number of rows in one answer or page, whatever endpoints and tokens allow.",
  },
  maxQueryMemoryMb: {
    name: "max_query_memory_mb",
    type: integer(limitDefinitions.max_query_memory_mb.minimum, limitDefinitions.max_query_memory_mb.maximum),
    default: undefined,
    description: "Share of the engine's memory, in megabytes, that one query may use; beyond it 422.",
  },
  maxArrayElements: {
    name: "max_array_elements",
    type: integer(limitDefinitions.max_array_elements.minimum, limitDefinitions.max_array_elements.maximum),
    default: limitDefinitions.max_array_elements.maximum,
    description: "Elements of an array that one function call may produce; beyond it 422.",
  },
  maxStringBytes: {
    name: "max_string_bytes",
    type: integer(limitDefinitions.max_string_bytes.minimum, limitDefinitions.max_string_bytes.maximum),
    default: limitDefinitions.max_string_bytes.maximum,
    description: "Bytes of a text that one function call may produce; beyond it 422.",
  },
  maxQueryCharacters: {
    name: "max_query_characters",
    type: integer(limitDefinitions.max_query_characters.minimum, limitDefinitions.max_query_characters.maximum),
    default: limitDefinitions.max_query_characters.maximum,
    description: "Maximum length of a query that is sent to an endpoint; beyond it 413.",
  },
  maxQueryDepth: {
    name: "max_query_depth",
    type: integer(limitDefinitions.max_query_depth.minimum, limitDefinitions.max_query_depth.maximum),
    default: limitDefinitions.max_query_depth.maximum,
    description: "Maximum nesting depth of a query that is sent to an endpoint; beyond it 422.",
  },
  unstoppableAfterMs: {
    name: "unstoppable_after_ms",
    type: integer(50, 60_000),
    default: 600,
    description:
      "Grace period in milliseconds for a query that was stopped, before the engine is killed and restarted; " +
      "longer in proportion to the machine's overload.",
  },
  cacheMaxBytes: {
    name: "cache_max_bytes",
    type: integer(1_000_000, 1_000 * giga),
    default: 256_000_000,
    description: "Memory in bytes for cached answers; the least recently read are evicted first.",
  },
  ...ingestSettings,
  engineMemoryMb: {
    name: "engine_memory_mb",
    type: integer(128, 1_000_000),
    default: undefined,
    description: "Memory in megabytes that the engine may use; by default a quarter of the machine's, at most 537.",
  },
  shutdownTimeoutMs: {
    name: "shutdown_timeout_ms",
    type: integer(0, 600_000),
    default: 10_000,
    description: "Time in milliseconds that running requests have to finish after SIGTERM before they are cut off.",
  },
  audit: {
    name: "audit",
    type: { kind: "choice", choices: auditLevels },
    default: "all",
    description: "What the audit records: nothing, changes and refused calls, or also runs of endpoints.",
  },
  auditRetentionDays: {
    name: "audit_retention_days",
    type: integer(1, 36_500),
    default: 90,
    description: "Days after which events of the source `logweir.audit` are deleted.",
  },
  metricsOpen: {
    name: "metrics_open",
    type: { kind: "choice", choices: ["true", "false"] },
    default: "false",
    description: "`true` serves `/metrics` without a token to everyone who can reach the service.",
  },
  console: {
    name: "console",
    type: { kind: "choice", choices: ["on", "off"] },
    default: "on",
    description: "`off` disables the console: `/` is the index of the API for everyone.",
  },
  logLevel: {
    name: "log_level",
    type: { kind: "choice", choices: ["trace", "debug", "info", "warn", "error", "fatal", "silent"] },
    default: "info",
    otherVariables: ["LOGFLARE_LOG_LEVEL"],
    description: "Minimum severity of log lines written to standard error.",
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

/** The values of all settings. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Of a database that takes the place of the metadata file. */
  readonly metadataUrl: string | undefined;
  /** That keeps the events; undefined where they are in the data folder. */
  readonly engineServer: EngineServer | undefined;
  /** Files of a later folder take the place of those of an earlier one with the same name. */
  readonly endpointFolders: readonly string[];
  /** The same for sources. */
  readonly sourceFolders: readonly string[];
  readonly privateToken: string | undefined;
  readonly publicToken: string | undefined;
  readonly apiKey: string | undefined;
  readonly queryTimeoutMs: number;
  readonly maxConcurrentQueries: number;
  readonly maxConcurrentQueriesPerToken: number;
  readonly maxQueuedQueries: number;
  readonly maxRequestsPerMinute: number | undefined;
  readonly maxResultBytes: number;
  readonly maxRows: number | undefined;
  readonly maxQueryMemoryMb: number | undefined;
  readonly maxArrayElements: number;
  readonly maxStringBytes: number;
  readonly maxQueryCharacters: number;
  readonly maxQueryDepth: number;
  readonly unstoppableAfterMs: number;
  readonly cacheMaxBytes: number;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly autoSources: number;
  readonly maxIngestEventsPerMinute: number | undefined;
  readonly maxIngestBytesPerMinute: number | undefined;
  readonly maxTenantEventsPerMinute: number | undefined;
  readonly maxTenantBytesPerMinute: number | undefined;
  readonly maxTenantColumns: number;
  readonly maxTenantColumnPercent: number;
  /** Disk for events whose server is away; 0 for none. */
  readonly spoolMaxMb: number;
  readonly drainMaxMb: number;
  readonly syslogPort: number | undefined;
  readonly engineMemoryMb: number | undefined;
  readonly shutdownTimeoutMs: number;
  readonly audit: AuditLevel;
  readonly auditRetentionDays: number;
  readonly isMetricsOpen: boolean;
  /** Of the built console; undefined where it is turned off. */
  readonly consoleFolder: string | undefined;
  readonly logLevel: string;
}
