import { limitDefinitions } from "../shared/budget.ts";
import { giga, integer, type SettingDefinition } from "./setting-definition.ts";

const { max_ingest_events_per_minute: events, max_ingest_bytes_per_minute: bytes } = limitDefinitions;

/** The settings of what is sent, and of how much of it. */
export const ingestSettings = {
  maxBodyBytes: {
    name: "max_body_bytes",
    type: integer(1_000, giga),
    default: 12_000_000,
    description: "Maximum size of a request body in bytes, also after decompression; beyond it 413.",
  },
  bodyTimeoutMs: {
    name: "body_timeout_ms",
    type: integer(100, 600_000),
    default: 30_000,
    description: "Idle timeout of a request body in milliseconds; then 408, and the connection is closed.",
  },
  autoSources: {
    name: "auto_sources",
    type: integer(0, 10_000),
    default: 0,
    description:
      "Number of sources that may be created by sending events to an unknown name; 0 creates none. Sources created " +
      "over the API count too.",
  },
  drainMaxMb: {
    name: "drain_max_mb",
    type: integer(1, 1_000_000),
    default: 256,
    description:
      "Disk space in megabytes for events waiting to be drained, stored as ids and times; beyond it the oldest are " +
      "dropped and counted.",
  },
  maxIngestEventsPerMinute: {
    name: "max_ingest_events_per_minute",
    type: integer(events.minimum, events.maximum),
    default: undefined,
    description: "Events per minute that one token may send, over all sources; more are answered 429.",
  },
  maxIngestBytesPerMinute: {
    name: "max_ingest_bytes_per_minute",
    type: integer(bytes.minimum, bytes.maximum),
    default: undefined,
    description:
      "Bytes of events per minute, as JSON, that one token may send, over all sources; more are answered 429.",
  },
  maxTenantEventsPerMinute: {
    name: "max_tenant_events_per_minute",
    type: integer(1, giga),
    default: undefined,
    description: "Events per minute for one tenant of a source; more are answered 429.",
  },
  maxTenantBytesPerMinute: {
    name: "max_tenant_bytes_per_minute",
    type: integer(1, 1_000 * giga),
    default: undefined,
    description: "Bytes of events per minute, as JSON, for one tenant of a source; more are answered 429.",
  },
  maxTenantColumns: {
    name: "max_tenant_columns",
    type: integer(0, 10_000),
    default: 500,
    description: "Columns for the fields of one tenant of a source; further fields are read from the JSON.",
  },
  maxTenantColumnPercent: {
    name: "max_tenant_column_percent",
    type: integer(0, 100),
    default: 90,
    description:
      "The same limit as a percentage of the columns that a source may have; the stricter of the two applies.",
  },
  syslogPort: {
    name: "syslog_port",
    type: integer(1, 65_535),
    default: undefined,
    description: "Port for syslog over TCP and UDP, without a token; closed unless set.",
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;
