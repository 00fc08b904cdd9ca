/**
 * Every setting of the service, as data: what reads the environment, checks values, prints `logweir config` and is
 * documented in `docs/configuration.md` works from these rows.
 */

import { auditLevels } from "../audit/audit-event.ts";
import { limitDefinitions } from "../shared/budget.ts";
import { alertSettings } from "./alert-settings.ts";
import { type EngineServer, engineSettings } from "./engine-settings.ts";
import { ingestSettings } from "./ingest-settings.ts";
import { maskDatabaseUrl } from "./mask-database-url.ts";
import { giga, integer, nameSettings, type ValuesOf } from "./setting-definition.ts";
import { signInSettings } from "./sign-in-settings.ts";

/** The settings of how long connections may take. */
const connectionSettings = nameSettings({
  headersTimeoutMs: {
    type: integer(100, 600_000),
    default: 20_000,
    description:
      "Time in milliseconds for the headers of a request, from its first byte or the opening of the connection; then " +
      "408, and the connection is closed.",
  },
  bodyTimeoutMs: {
    type: integer(100, 600_000),
    default: 30_000,
    description: "Idle timeout of a request body in milliseconds; then 408, and the connection is closed.",
  },
  minBodyBytesPerSecond: {
    type: integer(1, giga),
    default: 1_000,
    description:
      "Minimum rate of a request body on the whole, in bytes per second, not counting body_timeout_ms; below it 408, " +
      "and the connection is closed.",
  },
  keepAliveTimeoutMs: {
    type: integer(100, 600_000),
    default: 72_000,
    description: "Time in milliseconds without a request before a connection is closed.",
  },
  sendTimeoutMs: {
    type: integer(100, 600_000),
    default: 60_000,
    description:
      "Time in milliseconds in which a caller takes nothing of an answer that is being sent, before the connection is " +
      "closed.",
  },
});

const text = { kind: "text" } as const;

export const settingDefinitions = nameSettings({
  host: { type: text, default: "127.0.0.1", description: "Address to listen on; 0.0.0.0 for all." },
  port: {
    type: integer(0, 65_535),
    default: 4000,
    otherVariables: ["PHX_HTTP_PORT", "PORT"],
    description: "Port to listen on; 0 takes any free one.",
  },
  dataDir: {
    type: text,
    default: "./data",
    description: "Folder for all stored data: events and tokens. Created if missing.",
  },
  metadataUrl: {
    type: { kind: "text", form: /^postgres(?:ql)?:\/\//i, formText: "a URL that begins with postgres://" },
    default: undefined,
    mask: maskDatabaseUrl,
    description:
      "PostgreSQL database for endpoints, tokens, keys, sources, saved views, drains and alerts, instead of the data " +
      "folder: `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`. Services that share one are nodes, " +
      "see [nodes.md](nodes.md).",
  },
  ...engineSettings,
  config: {
    type: text,
    default: undefined,
    isEnvironmentOnly: true,
    description:
      "YAML file with settings by name; defaults to `logweir.yaml` in the working folder if it exists. The " +
      "environment takes precedence.",
  },
  endpointsDir: {
    type: text,
    default: undefined,
    description:
      "The only folder to read endpoint files from. Unless set: the ones that ship with Logweir, and those in " +
      "`./endpoints` if it exists.",
  },
  sourcesDir: {
    type: text,
    default: undefined,
    description:
      "The only folder to read source files from. Unless set: the ones that ship with Logweir, and those in " +
      "`./sources` if it exists.",
  },
  ...alertSettings,
  shipped: {
    type: { kind: "choice", choices: ["on", "off"] },
    default: "on",
    description:
      "`off` omits the endpoints and sources that ship with Logweir. One in `./endpoints` or `./sources` replaces " +
      "a shipped one of the same name.",
  },
  privateToken: {
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_PRIVATE_ACCESS_TOKEN"],
    description: "A fixed token with the scope `private`, at least 16 characters.",
  },
  publicToken: {
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_PUBLIC_ACCESS_TOKEN"],
    description: "A fixed token with the scope `ingest`, at least 16 characters.",
  },
  apiKey: {
    type: text,
    default: undefined,
    isSecret: true,
    otherVariables: ["LOGFLARE_API_KEY"],
    description: "A fixed token with the scopes `query` and `ingest`, at least 16 characters.",
  },
  jwtKeys: {
    type: {
      kind: "text",
      findProblem: (value) =>
        /^[a-z]+:\/\//i.test(value) && !/^https:\/\//i.test(value)
          ? "must be a file or an https:// address"
          : undefined,
    },
    default: undefined,
    description:
      "Accepts tokens that others sign (JWT), by the keys of a JSON Web Key Set: a file, or an `https://` address. " +
      "See [Signed tokens](api.md#signed-tokens).",
  },
  jwtIssuer: {
    type: text,
    default: undefined,
    description: "What the claim `iss` of signed tokens must be.",
  },
  jwtAudience: {
    type: text,
    default: undefined,
    description: "What the claim `aud` of signed tokens must be or contain.",
  },
  jwtRevoked: {
    type: text,
    default: undefined,
    description:
      "A file with the ids (`jti`) of signed tokens that are revoked, one a line. It takes effect in a second.",
  },
  ...signInSettings,
  allowWeakTokens: {
    type: { kind: "choice", choices: ["0", "1"] },
    default: "0",
    description:
      "`1` accepts fixed tokens of fewer than 16 characters, which only Logflare's variables may hold, on an " +
      "address that others can reach.",
  },
  queryTimeoutMs: {
    type: integer(1, 3_600_000),
    default: 30_000,
    description: "Deadline of one query in milliseconds; beyond it 504.",
  },
  maxConcurrentQueries: {
    type: integer(1, 1_000),
    default: 8,
    description: "Concurrent queries; others wait in a queue.",
  },
  maxConcurrentQueriesPerToken: {
    type: integer(1, 1_000),
    default: 6,
    description: "Concurrent queries of one token; others wait, and waiting tokens take turns.",
  },
  maxQueuedQueries: {
    type: integer(0, 100_000),
    default: 128,
    description: "Queries that may wait in the queue; more are answered 429.",
  },
  maxRequestsPerMinute: {
    type: integer(1, 10_000_000),
    default: undefined,
    description: "Endpoint calls per minute of one token, in bursts of up to a sixth of it; more are answered 429.",
  },
  maxResultBytes: {
    type: integer(1_000, 10 * giga),
    default: 256_000_000,
    description: "Maximum size of one answer's rows in bytes; beyond it 422.",
  },
  maxRows: {
    type: integer(limitDefinitions.max_rows.minimum, limitDefinitions.max_rows.maximum),
    default: undefined,
    description: "Maximum number of rows in one answer or page, whatever endpoints and tokens allow.",
  },
  maxQueryMemoryMb: {
    type: integer(limitDefinitions.max_query_memory_mb.minimum, limitDefinitions.max_query_memory_mb.maximum),
    default: undefined,
    description: "Share of the engine's memory, in megabytes, that one query may use; beyond it 422.",
  },
  maxArrayElements: {
    type: integer(limitDefinitions.max_array_elements.minimum, limitDefinitions.max_array_elements.maximum),
    default: limitDefinitions.max_array_elements.maximum,
    description: "Elements of an array that one function call may produce; beyond it 422.",
  },
  maxStringBytes: {
    type: integer(limitDefinitions.max_string_bytes.minimum, limitDefinitions.max_string_bytes.maximum),
    default: limitDefinitions.max_string_bytes.maximum,
    description: "Bytes of a text that one function call may produce; beyond it 422.",
  },
  maxQueryCharacters: {
    type: integer(limitDefinitions.max_query_characters.minimum, limitDefinitions.max_query_characters.maximum),
    default: limitDefinitions.max_query_characters.maximum,
    description: "Maximum length of a query that is sent to an endpoint; beyond it 413.",
  },
  maxQueryDepth: {
    type: integer(limitDefinitions.max_query_depth.minimum, limitDefinitions.max_query_depth.maximum),
    default: limitDefinitions.max_query_depth.maximum,
    description: "Maximum nesting depth of a query that is sent to an endpoint; beyond it 422.",
  },
  unstoppableAfterMs: {
    type: integer(50, 60_000),
    default: 600,
    description:
      "Grace period in milliseconds for a query that was stopped, before the engine is killed and restarted; " +
      "longer in proportion to the machine's overload.",
  },
  cacheMaxBytes: {
    type: integer(1_000_000, 1_000 * giga),
    default: 256_000_000,
    description: "Memory in bytes for cached answers; the least recently read are evicted first.",
  },
  ...ingestSettings,
  ...connectionSettings,
  engineMemoryMb: {
    type: integer(128, 1_000_000),
    default: undefined,
    description: "Memory in megabytes that the engine may use; by default a quarter of the machine's, at most 537.",
  },
  shutdownTimeoutMs: {
    type: integer(0, 600_000),
    default: 10_000,
    description: "Time in milliseconds that running requests have to finish after SIGTERM before they are cut off.",
  },
  audit: {
    type: { kind: "choice", choices: auditLevels },
    default: "all",
    description: "What the audit records: nothing, changes and refused calls, or also runs of endpoints.",
  },
  auditRetentionDays: {
    type: integer(1, 36_500),
    default: 90,
    description: "Days after which events of the source `logweir.audit` are deleted.",
  },
  maxStoreMb: {
    type: integer(1, giga),
    default: undefined,
    description:
      "Megabytes that stored events may use; beyond it the oldest of all sources are deleted, see " +
      "[storage.md](storage.md#bounds-of-the-stores-size). Not on a cluster of ClickHouse.",
  },
  minFreeMb: {
    type: integer(1, giga),
    default: undefined,
    description:
      "Megabytes that stay free for events on the disk and in the events' file; below it the oldest events of all " +
      "sources are deleted. Not on ClickHouse.",
  },
  metricsOpen: {
    type: { kind: "choice", choices: ["true", "false"] },
    default: "false",
    description: "`true` serves `/metrics` without a token to everyone who can reach the service.",
  },
  console: {
    type: { kind: "choice", choices: ["on", "off"] },
    default: "on",
    description: "`off` disables the console: `/` is the index of the API for everyone.",
  },
  logLevel: {
    type: { kind: "choice", choices: ["trace", "debug", "info", "warn", "error", "fatal", "silent"] },
    default: "info",
    otherVariables: ["LOGFLARE_LOG_LEVEL"],
    description: "Minimum severity of log lines written to standard error.",
  },
});

/** The values of all settings. */
export type SettingValues = ValuesOf<typeof settingDefinitions>;

/** The values of all settings, and what follows from them. */
export interface Settings extends SettingValues {
  /** The server that stores the events; undefined where they are in the data folder. */
  readonly engineServer: EngineServer | undefined;
  /** Files of a later folder replace those of an earlier one with the same name. */
  readonly endpointFolders: readonly string[];
  /** The same for sources. */
  readonly sourceFolders: readonly string[];
  /** Undefined where there is none. */
  readonly alertFolder: string | undefined;
  /** Disk space for events whose server is unreachable; 0 for none. */
  readonly spoolMaxMb: number;
  /** Bounds of what events use and of what is left for them. */
  readonly sizeBounds: { readonly maxUsedBytes: number | undefined; readonly minFreeBytes: number | undefined };
  readonly isMetricsOpen: boolean;
  /** The folder of the built console; undefined where it is turned off. */
  readonly consoleFolder: string | undefined;
}
