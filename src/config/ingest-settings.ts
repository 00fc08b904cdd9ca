import { limitDefinitions } from "../shared/budget.ts";
import { giga, integer, type SettingDefinition } from "./setting-definition.ts";

const { max_ingest_events_per_minute: events, max_ingest_bytes_per_minute: bytes } = limitDefinitions;

/** The settings of what is sent, and of how much of it. */
export const ingestSettings = {
  maxBodyBytes: {
    name: "max_body_bytes",
    type: integer(1_000, giga),
    default: 12_000_000,
    description: "Size of a request's body in bytes, after decompression too; beyond it 413.",
  },
  bodyTimeoutMs: {
    name: "body_timeout_ms",
    type: integer(100, 600_000),
    default: 30_000,
    description:
      "How long nothing more of a request's body may come, in milliseconds; then 408, and the connection is closed.",
  },
  autoSources: {
    name: "auto_sources",
    type: integer(0, 10_000),
    default: 0,
    description:
      "How many sources may be made by sending events to a name that no source has; 0 makes none. Sources " +
      "made over the API count too.",
  },
  drainMaxMb: {
    name: "drain_max_mb",
    type: integer(1, 1_000_000),
    default: 256,
    description:
      "Disk in megabytes for events that wait to be drained, of which ids and times are kept; beyond it the " +
      "oldest are dropped and counted.",
  },
  maxIngestEventsPerMinute: {
    name: "max_ingest_events_per_minute",
    type: integer(events.minimum, events.maximum),
    default: undefined,
    description: "Events that one token may send in a minute, over all sources; more are answered 429.",
  },
  maxIngestBytesPerMinute: {
    name: "max_ingest_bytes_per_minute",
    type: integer(bytes.minimum, bytes.maximum),
    default: undefined,
    description:
      "Bytes of events, as JSON, that one token may send in a minute, over all sources; more are answered 429.",
  },
  maxTenantEventsPerMinute: {
    name: "max_tenant_events_per_minute",
    type: integer(1, giga),
    default: undefined,
    description: "Events that may come of one tenant of a source in a minute; more are answered 429.",
  },
  maxTenantBytesPerMinute: {
    name: "max_tenant_bytes_per_minute",
    type: integer(1, 1_000 * giga),
    default: undefined,
    description:
      "Bytes of events, as JSON, that may come of one tenant of a source in a minute; more are answered 429.",
  },
  maxTenantColumns: {
    name: "max_tenant_columns",
    type: integer(0, 10_000),
    default: 500,
    description:
      "Columns that the fields of one tenant of a source may have; its further fields are read from the JSON.",
  },
  maxTenantColumnPercent: {
    name: "max_tenant_column_percent",
    type: integer(0, 100),
    default: 90,
    description:
      "The same as a share of the columns that a source may have, in percent; the stricter of the two holds.",
  },
  syslogPort: {
    name: "syslog_port",
    type: integer(1, 65_535),
    default: undefined,
    description: "Port for syslog over TCP and UDP, which asks for no token; closed unless set.",
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;
