import { type EventStore, type LogEvent, newestTimestampUs } from "../../engines/contract/query-engine.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { IngestGate, IngestQuotas } from "../quotas/ingest-quotas.ts";
import { measureEvents } from "../quotas/measure-events.ts";
import { listenForSyslog, type SyslogListener } from "./listen.ts";

/** The context of the syslog listener. */
const sourceName = "syslog";

export interface OpenSyslogOptions {
  readonly host: string;
  /** Nothing listens without one. */
  readonly port: number | undefined;
  readonly store: Pick<EventStore, "append">;
  readonly quotas: Pick<IngestQuotas, "gateFor">;
  /** Returns the source's current tenant field. */
  readonly tenantField: () => string | undefined;
  /** Called with the newest event that was stored. */
  readonly onStored: (source: string, newestUs: bigint) => void;
  readonly nowMs: () => number;
  readonly logger: { info(message: string): void; warn(message: string): void };
}

/** Listens for syslog where a port is set, and stores what comes in the source `syslog`. */
export async function openSyslog({
  host,
  port,
  store,
  quotas,
  tenantField,
  onStored,
  nowMs,
  logger,
}: OpenSyslogOptions): Promise<SyslogListener | undefined> {
  if (port === undefined) return undefined;
  const listener = await listenForSyslog({
    host,
    port,
    nowMs,
    warn: (message) => logger.warn(message),
    admit: createGate(quotas, tenantField, (message) => logger.warn(message)),
    append: async (events, signal) => {
      await store.append(sourceName, events, signal);
      const newest = newestTimestampUs(events);
      if (newest !== undefined) onStored(sourceName, newest);
    },
  });
  logger.info(`syslog is taken at ${host}:${listener.port}, over TCP and UDP, without a token`);
  return listener;
}

/** How often the log reports dropped messages, in milliseconds. */
const warnEveryMs = 60_000;

/**
 * Syslog has no answer that asks a sender to wait, and other tenants' messages come over the same connection: what
 * is beyond a tenant's limit is dropped, and counted.
 */
function createGate(
  quotas: Pick<IngestQuotas, "gateFor">,
  tenantField: () => string | undefined,
  warn: (message: string) => void,
) {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (event: LogEvent) => {
    const gate = quotas.gateFor({ source: sourceName, tenantField: tenantField() });
    if (gate === undefined) return () => undefined;
    const reason = whyNotAdmitted(gate, event);
    if (reason === undefined) return gate.giveBack;
    const now = performance.now();
    if (now - warnedAtMs >= warnEveryMs) {
      warn(`messages of syslog are dropped: ${reason}`);
      warnedAtMs = now;
    }
    return undefined;
  };
}

/** Has the gate admit one event; where it does not, the reason. */
function whyNotAdmitted({ measure, admit }: IngestGate, event: LogEvent): string | undefined {
  try {
    admit(measureEvents([event], measure));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
