import { limitDefinitions } from "../shared/budget.ts";
import { findDestinationProblem } from "../shared/network/private-networks.ts";
import { giga, integer, nameSettings } from "./setting-definition.ts";

const { max_ingest_events_per_minute: events, max_ingest_bytes_per_minute: bytes } = limitDefinitions;

/** The settings of what is sent, and of how much of it. */
export const ingestSettings = nameSettings({
  maxBodyBytes: {
    type: integer(1_000, giga),
    default: 12_000_000,
    description: "Maximum size of a request body in bytes, also after decompression; beyond it 413.",
  },
  maxBodyEvents: {
    type: integer(1, giga),
    default: 100_000,
    description: "Maximum number of events in a request body; beyond it 413, before the rest of the body is read.",
  },
  autoSources: {
    type: integer(0, 10_000),
    default: 0,
    description:
      "Number of sources that may be created by sending events to an unknown name; 0 creates none. Sources created " +
      "over the API count too.",
  },
  drainMaxMb: {
    type: integer(1, 1_000_000),
    default: 256,
    description:
      "Disk space in megabytes for events waiting to be drained, stored as ids and times; beyond it the oldest are " +
      "dropped and counted.",
  },
  privateDestinations: {
    type: { kind: "text", findProblem: findDestinationProblem },
    default: undefined,
    description:
      "What drains and alerts may reach of private, loopback and link-local networks: host names, addresses and networks " +
      "(`10.1.0.0/16`), separated by commas. Nothing unless set.",
  },
  maxIngestEventsPerMinute: {
    type: integer(events.minimum, events.maximum),
    default: undefined,
    description: "Events per minute that one token may send, over all sources; more are answered 429.",
  },
  maxIngestBytesPerMinute: {
    type: integer(bytes.minimum, bytes.maximum),
    default: undefined,
    description:
      "Bytes of events per minute, as JSON, that one token may send, over all sources; more are answered 429.",
  },
  maxTenantEventsPerMinute: {
    type: integer(1, giga),
    default: undefined,
    description: "Events per minute for one tenant of a source; more are answered 429.",
  },
  maxTenantBytesPerMinute: {
    type: integer(1, 1_000 * giga),
    default: undefined,
    description: "Bytes of events per minute, as JSON, for one tenant of a source; more are answered 429.",
  },
  repeatWindowHours: {
    type: integer(1, 8_760),
    default: 48,
    description:
      "Hours from its arrival in which an event is recognised by its `id` alone; after that, by `id` and time.",
  },
  maxTenantColumns: {
    type: integer(0, 10_000),
    default: 500,
    description: "Columns for the fields of one tenant of a source; further fields are read from the JSON.",
  },
  maxTenantColumnPercent: {
    type: integer(0, 100),
    default: 90,
    description:
      "The same limit as a percentage of the columns that a source may have; the stricter of the two applies.",
  },
  syslogPort: {
    type: integer(1, 65_535),
    default: undefined,
    description: "Port for syslog over TCP and UDP, without a token; closed unless set.",
  },
});
